import { Schema } from "effect"
import { AccountRole } from "../role/Role.ts"
import { withExample } from "../shared/Example.ts"
import { AccountId, Id } from "../shared/Id.ts"
import { JsonObject, Meta } from "../shared/Json.ts"
import { Problem } from "../shared/Problem.ts"
import { resourceFields, Timestamp } from "../shared/Resource.ts"
import { ownAccount, profileChanges } from "./AccountExamples.ts"
import { ProfileReference } from "./Profile.ts"

/** A web address that is safe to show as a link: http or https. */
const WebAddress = Schema.String.check(
  Schema.makeFilter(
    (text) => {
      const url = URL.parse(text)
      return url !== null && (url.protocol === "http:" || url.protocol === "https:")
    },
    { expected: "an http or https address", toJsonSchema: () => [{ format: "uri" }, true] }
  )
)

export const ExternalLink = Schema.Struct({
  text: Schema.String.annotate({ description: "What the link shows" }),
  url: WebAddress.annotate({ description: "An http or https address" })
}).annotate({
  identifier: "ProfileExternalLink",
  description: "A link on a profile"
})

export const EmailAddress = Schema.Struct({
  id: Id,
  email_address: Schema.String,
  verified: Schema.Boolean.annotate({ description: "Whether its owner has confirmed it" })
}).annotate({
  identifier: "AccountEmailAddress",
  description: "An email address of an account"
})

/** An account as its owner and staff see it. */
export const Account = Schema.Struct({
  id: AccountId,
  ...resourceFields,
  joined: Timestamp.annotateKey({ description: "When the account was created" }),
  suspended: Schema.optionalKey(Timestamp).annotateKey({
    description: "When the account was suspended; absent if it is not"
  }),
  handle: Schema.String.annotate({ description: "The unique name in addresses and at sign-in" }),
  name: Schema.String.annotate({ description: "The name that is shown" }),
  roles: Schema.Array(AccountRole).annotate({ description: "Highest first" }),
  bio: Schema.String.annotate({ description: "Sanitised HTML in a body element" }),
  signature: Schema.optionalKey(Schema.String.annotate({ description: "Sanitised HTML in a body element" })),
  links: Schema.Array(ExternalLink).annotate({ description: "Links on the profile" }),
  meta: JsonObject,
  verified_status: Schema.Literals(["none", "verified_email", "manual"]).annotate({
    description: "How the account was verified"
  }),
  kind: Schema.Literals(["human", "bot"]).annotate({
    description: "Whether a person or a program uses it"
  }),
  email_addresses: Schema.Array(EmailAddress).annotate({
    description: "Empty where the instance sends no mail"
  }),
  auth_services: Schema.Array(Schema.String).annotate({
    description: "The ways in which the account can sign in"
  }),
  notifications: Schema.Int.annotate({ description: "The number of unread notifications" }),
  admin: Schema.Boolean.annotate({ description: "Whether the account holds the built-in Admin role" }),
  invited_by: Schema.optionalKey(ProfileReference).annotateKey({
    description: "Whose invitation the account accepted"
  })
})
  .annotate({
    identifier: "Account",
    description: "An account as its owner and staff see it"
  })
  .pipe(withExample(ownAccount))
export interface Account extends Schema.Schema.Type<typeof Account> {}

/** A name that is not blank. It is shown with every post of its owner, as is the signature, so neither may be long. */
const DisplayName = Schema.String.check(
  Schema.isPattern(/\S/, { expected: "a name that is not blank" }),
  Schema.isMaxLength(255)
)
const Signature = Schema.String.check(Schema.isMaxLength(10_000)).annotate({
  description: "HTML, of which the plain text may have 500 characters"
})

/** What owners may change of their accounts. Absent fields stay as they are; `links`, `meta` and `interests` are replaced. */
export const AccountChanges = Schema.Struct({
  handle: Schema.optionalKey(Schema.String.annotate({ description: "Up to 30 bytes in UTF-8" })),
  name: Schema.optionalKey(DisplayName.annotate({ description: "Not blank" })),
  bio: Schema.optionalKey(Schema.String.annotate({ description: "HTML or plain text" })),
  signature: Schema.optionalKey(Signature),
  interests: Schema.optionalKey(Schema.Array(Schema.String).annotate({ description: "Tag names" })),
  links: Schema.optionalKey(Schema.Array(ExternalLink)),
  meta: Schema.optionalKey(Meta)
})
  .annotate({
    identifier: "AccountMutableProps",
    description: "What to change of an account; absent fields stay as they are"
  })
  .pipe(withExample(profileChanges))
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
  explanation: "Handles are unique, and letter case does not distinguish them.",
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
  explanation:
    "VIEW_ACCOUNTS allows reading every account, except those that hold ADMINISTRATOR through any role."
}) {}
