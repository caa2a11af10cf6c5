import { Schema } from "effect"
import { AccountRole } from "../role/Role.ts"
import { AccountId, Id } from "../shared/Id.ts"
import { JsonObject } from "../shared/Json.ts"
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
    { expected: "an http or https address" }
  )
).annotate({ format: "uri" })

export const ExternalLink = Schema.Struct({ text: Schema.String, url: WebAddress }).annotate({
  identifier: "ProfileExternalLink"
})

export const EmailAddress = Schema.Struct({
  id: Id,
  email_address: Schema.String,
  verified: Schema.Boolean
}).annotate({ identifier: "AccountEmailAddress" })

/** An account as its owner and staff see it (specification 2.2). */
export const Account = Schema.Struct({
  id: AccountId,
  ...resourceFields,
  joined: Timestamp,
  suspended: Schema.optionalKey(Timestamp),
  handle: Schema.String,
  name: Schema.String,
  roles: Schema.Array(AccountRole),
  bio: Schema.String,
  signature: Schema.optionalKey(Schema.String),
  links: Schema.Array(ExternalLink),
  meta: JsonObject,
  verified_status: Schema.Literals(["none", "verified_email", "manual"]),
  kind: Schema.Literals(["human", "bot"]),
  email_addresses: Schema.Array(EmailAddress),
  auth_services: Schema.Array(Schema.String),
  notifications: Schema.Int.annotate({ description: "Unread notifications" }),
  admin: Schema.Boolean,
  invited_by: Schema.optionalKey(ProfileReference)
}).annotate({ identifier: "Account" })
export interface Account extends Schema.Schema.Type<typeof Account> {}

/** A name that can be seen. */
const DisplayName = Schema.String.check(Schema.isPattern(/\S/, { expected: "a name that is not blank" }))

/** What an account may change of itself. Absent keys stay as they are; `links`, `meta` and `interests` are replaced. */
export const AccountChanges = Schema.Struct({
  handle: Schema.optionalKey(Schema.String),
  name: Schema.optionalKey(DisplayName),
  bio: Schema.optionalKey(Schema.String),
  signature: Schema.optionalKey(Schema.String),
  interests: Schema.optionalKey(Schema.Array(Schema.String).annotate({ description: "Tag names" })),
  links: Schema.optionalKey(Schema.Array(ExternalLink)),
  meta: Schema.optionalKey(JsonObject)
}).annotate({ identifier: "AccountMutableProps" })
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
