import { Schema } from "effect"
import { withExample } from "../field/Example.ts"
import * as Text from "../field/Text.ts"
import { RegistrationMode } from "../settings/GeneralSetting.ts"
import { Problem } from "../shared/Problem.ts"

const bytes = (text: string) => new TextEncoder().encode(text).length

// Far longer than any that people or their programs make.
const passwordLength = 10_000

/**
 * A password as it is hashed (OpaqueString of RFC 8265): the same text in another Unicode form, as other systems type
 * it, and with another space, is the same password.
 */
export const preparedPassword = (typed: string): string => typed.replace(/\p{Zs}/gu, " ").normalize("NFC")

/** A password to set or to try: at least 8 bytes, no other rule. */
export const Password = Text.verbatim({
  max: passwordLength,
  format: "password",
  description:
    "At least 8 bytes in UTF-8, in Unicode form NFC and with plain spaces: eight ASCII characters, or fewer of other scripts"
}).check(
  // What is counted is what is hashed.
  Schema.makeFilter((text) => bytes(preparedPassword(text)) >= 8, {
    expected: "a password of at least 8 bytes",
    // Eight bytes are two characters at least; JSON Schema cannot count bytes.
    toJsonSchema: () => [{ minLength: 2 }, true]
  })
)

export const Handle = Text.verbatim({
  max: 1000,
  description: "The handle of the account; letter case does not matter",
  examples: ["odin"]
})

/** A handle and its password. */
export const AuthPair = Schema.Struct({ identifier: Handle, token: Password })
  .annotate({
    identifier: "AuthPair",
    description: "A handle and its password"
  })
  .pipe(withExample({ identifier: "odin", token: "correct horse battery" }))
export interface AuthPair extends Schema.Schema.Type<typeof AuthPair> {}

export const PasswordChange = Schema.Struct({
  old: Text.verbatim({ max: passwordLength, format: "password", description: "The current password" }),
  new: Password,
  revoke_sessions: Schema.optionalKey(
    Schema.Boolean.annotate({ description: "Also end every other session of the account" })
  )
})
  .annotate({
    identifier: "AuthPasswordMutableProps",
    description: "The current password and the new one"
  })
  .pipe(withExample({ old: "correct horse battery", new: "an even longer one" }))
export interface PasswordChange extends Schema.Schema.Type<typeof PasswordChange> {}

export class RegistrationClosed extends Problem<RegistrationClosed>()("RegistrationClosed", {
  status: 403,
  title: "Signing up is not possible, or not with this invitation",
  explanation:
    "With `registration_mode` `disabled` nobody can sign up; with `invitation`, only those who have an invitation that has not been deleted. With `public` the request names an invitation that does not exist, or no longer does.",
  metadata: { registration_mode: RegistrationMode, invitation_id: Schema.optionalKey(Schema.String) }
}) {}

export class HandleUnknown extends Problem<HandleUnknown>()("HandleUnknown", {
  status: 404,
  title: "No account has this handle",
  explanation: "Sign-in takes the handle chosen at sign-up, not a name or an email address."
}) {}

export class PasswordNotSet extends Problem<PasswordNotSet>()("PasswordNotSet", {
  status: 400,
  title: "This account has no password",
  explanation: "The account signs in by other means. Add a password first."
}) {}

export class PasswordAlreadySet extends Problem<PasswordAlreadySet>()("PasswordAlreadySet", {
  status: 400,
  title: "This account already has a password",
  explanation: "To change the password, send the current one and the new one."
}) {}

export class PasswordWrong extends Problem<PasswordWrong>()("PasswordWrong", {
  status: 401,
  title: "The password is wrong",
  explanation: "The password does not belong to the account."
}) {}

export class SignInSuspended extends Problem<SignInSuspended>()("SignInSuspended", {
  status: 403,
  title: "This account is suspended and cannot sign in",
  explanation: "Staff have suspended the account. It can sign in again once they reinstate it."
}) {}

export class TooManyAttempts extends Problem<TooManyAttempts>()("TooManyAttempts", {
  status: 429,
  title: "Too many wrong passwords or codes; try again later",
  explanation:
    "After ten wrong passwords or codes in fifteen minutes an account takes no attempt from the same network until the fifteen minutes have passed. All networks that never signed in to the account may send a hundred together. Changing the password counts for each session.",
  metadata: { retry_after: Schema.Int }
}) {}

export class AuthenticationBusy extends Problem<AuthenticationBusy>()("AuthenticationBusy", {
  status: 503,
  title: "Too many people are signing in or up right now",
  explanation:
    "Passwords are costly to check, so only a few wait for it, and only some of them from the same address. Nothing of the request was kept; repeat it after the seconds in `Retry-After`.",
  metadata: { retry_after: Schema.Int }
}) {}
