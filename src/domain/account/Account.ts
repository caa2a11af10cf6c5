import { Schema } from "effect"
import { withExample } from "../field/Example.ts"
import { JsonObject, Meta } from "../field/Json.ts"
import { resourceFields } from "../field/Resource.ts"
import * as Text from "../field/Text.ts"
import { WebAddress } from "../field/WebAddress.ts"
import { AccountRole } from "../role/Role.ts"
import { EmailAddressId } from "../shared/Id.ts"
import { Permission } from "../shared/Permission.ts"
import { Problem } from "../shared/Problem.ts"
import { TagName } from "../vocabulary/Tag.ts"
import { ownAccount, profileChanges } from "./AccountExamples.ts"
import { namingFields, ProfileReference } from "./Profile.ts"

export class AdministratorProtected extends Problem<AdministratorProtected>()("AdministratorProtected", {
  status: 403,
  title: "Only administrators may do this to an administrator",
  explanation: "The account holds ADMINISTRATOR through one of its roles, and the caller does not."
}) {}

export class AccountStronger extends Problem<AccountStronger>()("AccountStronger", {
  status: 403,
  title: "This account may do more than yours",
  explanation:
    "Whoever can change how an account signs in can sign in to it. So the caller has to hold every permission that the account holds through its roles; `permission` is one that is missing.",
  metadata: { permission: Permission }
}) {}

export const ExternalLink = Schema.Struct({
  text: Text.line({ max: 255, description: "What the link shows" }),
  url: WebAddress
}).annotate({
  identifier: "ProfileExternalLink",
  description: "A link on a profile"
})

export const EmailAddress = Schema.Struct({
  id: EmailAddressId,
  email_address: Schema.String,
  verified: Schema.Boolean.annotate({ description: "Whether its owner has confirmed it" })
})
  .annotate({
    identifier: "AccountEmailAddress",
    description: "An email address of an account"
  })
  .pipe(withExample({ id: "dc0qdu7khh6uivg0009g", email_address: "raven@asgard.example", verified: false }))

/** What everyone sees of an account. */
export const publicFields = {
  ...namingFields,
  ...resourceFields,
  roles: Schema.Array(AccountRole).annotate({ description: "Highest first" }),
  bio: Schema.String.annotate({ description: "Sanitised HTML in a body element" }),
  links: Schema.Array(ExternalLink).annotate({ description: "Links on the profile" }),
  meta: JsonObject,
  invited_by: Schema.optionalKey(ProfileReference).annotateKey({
    description: "Whose invitation the account accepted"
  })
}

export const VerifiedStatus = Schema.Literals(["none", "verified_email", "manual"]).annotate({
  identifier: "AccountVerifiedStatus",
  description: "How the account was verified"
})

export const AccountKind = Schema.Literals(["human", "bot"]).annotate({
  identifier: "AccountKind",
  description: "Whether a person or a program uses it"
})

/** An account as its owner and staff see it. */
export const Account = Schema.Struct({
  ...publicFields,
  verified_status: VerifiedStatus,
  kind: AccountKind,
  email_addresses: Schema.Array(EmailAddress).annotate({
    description: "Empty where the instance sends no mail"
  }),
  auth_services: Schema.Array(Schema.String).annotate({
    description: "The ways in which the account can sign in"
  }),
  notifications: Schema.optionalKey(
    Schema.Int.annotate({ description: "The number of unread notifications; absent in lists" })
  ),
  admin: Schema.Boolean.annotate({ description: "Whether the account holds the built-in Admin role" })
})
  .annotate({
    identifier: "Account",
    description: "An account as its owner and staff see it"
  })
  .pipe(withExample(ownAccount))
export interface Account extends Schema.Schema.Type<typeof Account> {}

/** The handle to have, which is never corrected. Its rules are a problem of their own, so that a form can say which is broken. */
const Handle = Text.verbatim({ max: 1000, description: "Up to 30 bytes in UTF-8", examples: ["odin"] })

/** A name that is not blank. It is shown with every post of its owner, so it may not be long. */
const DisplayName = Text.visibleLine({ max: 255, description: "Not blank" })

/** The limits of rich text on profiles, in characters. Signatures are shown with every post. */
export const profileMarkupMax = { bio: 65_536, signature: 10_000 }

/** What owners may change of their accounts. Absent fields stay as they are; `links`, `meta` and `interests` are replaced. */
export const AccountChanges = Schema.Struct({
  handle: Schema.optionalKey(Handle),
  name: Schema.optionalKey(DisplayName),
  bio: Schema.optionalKey(
    Text.markup({
      description: `HTML or plain text. The sanitised HTML may have ${profileMarkupMax.bio.toLocaleString("en")} characters.`
    })
  ),
  signature: Schema.optionalKey(
    Text.lines({
      max: profileMarkupMax.signature,
      description:
        "HTML or plain text. The limit also holds for the sanitised HTML; its plain text may have 500 characters."
    })
  ),
  interests: Schema.optionalKey(
    Schema.Array(TagName)
      .check(Schema.isMaxLength(50))
      .annotate({ description: "Tag names. A tag is created when it is first used." })
  ),
  links: Schema.optionalKey(Schema.Array(ExternalLink).check(Schema.isMaxLength(50))),
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
  explanation:
    "Handles are unique. Neither letter case distinguishes them, nor letters beyond ASCII that look like letters of ASCII.",
  metadata: { handle: Schema.String }
}) {}

const HandleRule = Schema.Literals(["empty", "too_long", "characters", "reserved"])
export type HandleRule = typeof HandleRule.Type

export class HandleInvalid extends Problem<HandleInvalid>()("HandleInvalid", {
  status: 400,
  title: "This handle cannot be used",
  explanation:
    "A handle is 1 to 30 bytes of letters, marks and digits of any script, `-` and `_`; it neither starts nor ends with `-` or `_`, and has no two `-` in a row. It is none of a few reserved words such as `me` and `admin`, nor one that the instance reserves.",
  metadata: { handle: Schema.String, rule: HandleRule }
}) {}

export class SignatureTooLong extends Problem<SignatureTooLong>()("SignatureTooLong", {
  status: 400,
  title: "The signature is too long",
  explanation: "The plain text of a signature is limited; its markup does not count.",
  metadata: { maximum: Schema.Int, length: Schema.Int }
}) {}

export class ProfileTextTooLong extends Problem<ProfileTextTooLong>()("ProfileTextTooLong", {
  status: 400,
  title: "The text of the profile has too much markup",
  explanation: `The sanitised HTML of a bio may have ${profileMarkupMax.bio.toLocaleString("en")} characters, that of a signature ${profileMarkupMax.signature.toLocaleString("en")}.`,
  metadata: { field: Schema.Literals(["bio", "signature"]), maximum: Schema.Int, length: Schema.Int }
}) {}

export class AdministratorHidden extends Problem<AdministratorHidden>()("AdministratorHidden", {
  status: 403,
  title: "Only administrators see an administrator's account",
  explanation:
    "VIEW_ACCOUNTS allows reading every account, except those that hold ADMINISTRATOR through any role."
}) {}
