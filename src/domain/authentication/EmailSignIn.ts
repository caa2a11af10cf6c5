/** Signing up and in with an email address: what requests say, and how they fail. */
import { Schema } from "effect"
import { EmailAddressText } from "../account/Email.ts"
import { withExample } from "../field/Example.ts"
import * as Text from "../field/Text.ts"
import { Problem } from "../shared/Problem.ts"
import { Handle, Password } from "./Password.ts"

const handle = Schema.optionalKey(Handle).annotateKey({
  description: "The handle of a new account. One is made if it is absent. Signing in ignores it."
})

/** An email address and the password of its account. */
export const EmailPasswordPair = Schema.Struct({ email: EmailAddressText, password: Password, handle })
  .annotate({
    identifier: "AuthEmailPasswordInitialProps",
    description: "An email address and a password"
  })
  .pipe(withExample({ email: "mimir@asgard.example", password: "correct horse battery", handle: "mimir" }))
export interface EmailPasswordPair extends Schema.Schema.Type<typeof EmailPasswordPair> {}

/** An email address to which a code goes. */
export const EmailOnly = Schema.Struct({ email: EmailAddressText, handle })
  .annotate({
    identifier: "AuthEmailInitialProps",
    description: "An email address to which a code is sent"
  })
  .pipe(withExample({ email: "bragi@asgard.example", handle: "bragi" }))
export interface EmailOnly extends Schema.Schema.Type<typeof EmailOnly> {}

/** An email address and the code that was sent to it. */
export const EmailCode = Schema.Struct({
  email: EmailAddressText,
  code: Text.verbatim({ max: 100, description: "Six digits", examples: ["123456"] })
})
  .annotate({
    identifier: "AuthEmailVerifyProps",
    description: "An email address and the code that was sent to it"
  })
  .pipe(withExample({ email: "bragi@asgard.example", code: "123456" }))
export interface EmailCode extends Schema.Schema.Type<typeof EmailCode> {}

export class EmailAddressUnknown extends Problem<EmailAddressUnknown>()("EmailAddressUnknown", {
  status: 404,
  title: "Nobody signs in with this email address",
  explanation:
    "No account has the address. Where a code is asked for, the account may sign in by other means only."
}) {}

export class CodeWrong extends Problem<CodeWrong>()("CodeWrong", {
  status: 401,
  title: "The code is wrong or no longer valid",
  explanation:
    "A code is valid for one hour and for one sign-in. Each network may send back five wrong ones, and all strangers together twenty in an hour. Whoever asks again ends the code that nobody else has asked for. Ask for a new one."
}) {}
