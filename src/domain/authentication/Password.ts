import { Schema } from "effect"
import { Problem } from "../shared/Problem.ts"

const bytes = (text: string) => new TextEncoder().encode(text).length

/** A password to set or to try: at least 8 bytes, no other rule. */
export const Password = Schema.String.check(
  Schema.makeFilter((text) => bytes(text) >= 8, {
    expected: "a password of at least 8 bytes",
    toJsonSchema: () => [{}, true]
  })
).annotate({ format: "password", description: "At least 8 bytes" })

export const Handle = Schema.String.annotate({
  description: "The account's handle; letter case does not matter",
  examples: ["odin"]
})

/** A handle and its password. */
export const AuthPair = Schema.Struct({ identifier: Handle, token: Password }).annotate({
  identifier: "AuthPair",
  description: "A handle and its password"
})
export interface AuthPair extends Schema.Schema.Type<typeof AuthPair> {}

export const PasswordChange = Schema.Struct({
  old: Schema.String.annotate({ format: "password", description: "The password so far" }),
  new: Password,
  revoke_sessions: Schema.optionalKey(
    Schema.Boolean.annotate({ description: "Also end every other session of the account" })
  )
}).annotate({
  identifier: "AuthPasswordMutableProps",
  description: "The password so far, and the next"
})
export interface PasswordChange extends Schema.Schema.Type<typeof PasswordChange> {}

export class RegistrationClosed extends Problem<RegistrationClosed>()("RegistrationClosed", {
  status: 403,
  title: "Signing up is not possible with this invitation",
  explanation: "The invitation named in the request does not exist, or no longer does.",
  metadata: { invitation_id: Schema.String }
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
  explanation: "An existing password is changed by proving the old one."
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
  title: "Too many wrong passwords; try again later",
  explanation:
    "After ten wrong passwords in fifteen minutes an account takes no attempt, from any address, until the fifteen minutes have passed.",
  metadata: { retry_after: Schema.Int }
}) {}
