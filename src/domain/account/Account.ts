import { Schema } from "effect"
import { AccountRole } from "../role/Role.ts"
import { AccountId, Id } from "../shared/Id.ts"
import { JsonObject, Meta } from "../shared/Json.ts"
import { Problem } from "../shared/Problem.ts"
import { resourceFields, Timestamp } from "../shared/Resource.ts"
import { ProfileReference } from "./Profile.ts"

/** A web address that may be stored and shown: http or https, nothing that runs. */
const WebAddress = Schema.String.check(
  Schema.makeFilter(
    (text) => {
      const url = URL.parse(text)
      return url !== null && (url.protocol === "http:" || url.protocol === "https:")
    },
    { expected: "an http or https address", toJsonSchema: () => [{ format: "uri" }, true] }
  )
)

export const ExternalLink = Schema.Struct({ text: Schema.String, url: WebAddress }).annotate({
  identifier: "ProfileExternalLink",
  description: "A link on a profile"
})

export const EmailAddress = Schema.Struct({
  id: Id,
  email_address: Schema.String,
  verified: Schema.Boolean.annotate({ description: "Whether its owner has shown to receive mail there" })
}).annotate({
  identifier: "AccountEmailAddress",
  description: "An address of an account"
})

/** An account as its owner and staff see it (specification 2.2). */
export const Account = Schema.Struct({
  id: AccountId,
  ...resourceFields,
  joined: Timestamp.annotateKey({ description: "When the account was made" }),
  suspended: Schema.optionalKey(Timestamp).annotateKey({
    description: "Since when it is suspended, if it is"
  }),
  handle: Schema.String.annotate({ description: "The name it is addressed by; unique" }),
  name: Schema.String.annotate({ description: "The name it shows" }),
  roles: Schema.Array(AccountRole).annotate({ description: "Highest first" }),
  bio: Schema.String.annotate({ description: "Sanitised HTML in a body element" }),
  signature: Schema.optionalKey(Schema.String.annotate({ description: "Sanitised HTML in a body element" })),
  links: Schema.Array(ExternalLink).annotate({ description: "Where else to find who it is" }),
  meta: JsonObject,
  verified_status: Schema.Literals(["none", "verified_email", "manual"]),
  kind: Schema.Literals(["human", "bot"]),
  email_addresses: Schema.Array(EmailAddress).annotate({ description: "Empty without mail features" }),
  auth_services: Schema.Array(Schema.String).annotate({ description: "The ways it can sign in" }),
  notifications: Schema.Int.annotate({ description: "Unread notifications" }),
  admin: Schema.Boolean.annotate({ description: "Whether a role of it holds ADMINISTRATOR" }),
  invited_by: Schema.optionalKey(ProfileReference).annotateKey({ description: "Whose invitation it took" })
}).annotate({
  identifier: "Account",
  description: "An account as its owner and staff see it"
})
export interface Account extends Schema.Schema.Type<typeof Account> {}

/** A name that can be seen. It shows on everything its owner wrote, and so does the signature: neither may be long. */
const DisplayName = Schema.String.check(
  Schema.isPattern(/\S/, { expected: "a name that is not blank" }),
  Schema.isMaxLength(255)
)
const Signature = Schema.String.check(Schema.isMaxLength(10_000)).annotate({
  description: "HTML; what it shows may have 500 characters"
})

/** What an account may change of itself. Absent keys stay as they are; `links`, `meta` and `interests` are replaced. */
export const AccountChanges = Schema.Struct({
  handle: Schema.optionalKey(Schema.String),
  name: Schema.optionalKey(DisplayName),
  bio: Schema.optionalKey(Schema.String),
  signature: Schema.optionalKey(Signature),
  interests: Schema.optionalKey(Schema.Array(Schema.String).annotate({ description: "Tag names" })),
  links: Schema.optionalKey(Schema.Array(ExternalLink)),
  meta: Schema.optionalKey(Meta)
}).annotate({
  identifier: "AccountMutableProps",
  description: "What an account may change of itself; absent fields stay as they are"
})
export interface AccountChanges extends Schema.Schema.Type<typeof AccountChanges> {}

export class AccountNotFound extends Problem<AccountNotFound>()("AccountNotFound", {
  status: 404,
  title: "There is no such account",
  explanation: "No account has this id or handle.",
  metadata: { account: Schema.String }
}) {}

export class HandleTaken extends Problem<HandleTaken>()("HandleTaken", {
  status: 409,
  title: "Another account has this handle",
  explanation: "Handles are unique, whatever the case of their letters.",
  metadata: { handle: Schema.String }
}) {}

export class HandleInvalid extends Problem<HandleInvalid>()("HandleInvalid", {
  status: 400,
  title: "This handle cannot be used",
  explanation:
    "A handle is 1 to 30 bytes of letters, marks and digits of any script, `-` and `_`; it neither starts nor ends with `-` or `_`, and has no two `-` in a row.",
  metadata: { handle: Schema.String, rule: Schema.Literals(["empty", "too_long", "characters"]) }
}) {}

export class SignatureTooLong extends Problem<SignatureTooLong>()("SignatureTooLong", {
  status: 400,
  title: "The signature is too long",
  explanation: "The plain text of a signature is limited; its markup does not count.",
  metadata: { maximum: Schema.Int, length: Schema.Int }
}) {}

export class AdministratorHidden extends Problem<AdministratorHidden>()("AdministratorHidden", {
  status: 403,
  title: "Only administrators see an administrator's account",
  explanation: "VIEW_ACCOUNTS opens every account but those that hold ADMINISTRATOR through any role."
}) {}
