/** Signing up and in with a phone number: what requests say, and how they fail. */
import { Schema } from "effect"
import { withExample } from "../field/Example.ts"
import * as Text from "../field/Text.ts"
import { Problem } from "../shared/Problem.ts"
import { Handle } from "./Password.ts"
import { PhoneNumberText } from "./PhoneNumber.ts"

/** A handle, and the number to which a code goes. */
export const PhoneRequest = Schema.Struct({
  identifier: Handle.annotate({
    description: "The handle of the account, or the one to sign up with; letter case does not matter"
  }),
  phone_number: PhoneNumberText
})
  .annotate({
    identifier: "PhoneRequestCodeProps",
    description: "A handle, and the phone number to which a code is sent"
  })
  .pipe(withExample({ identifier: "idun", phone_number: "+49 1512 3456789" }))
export interface PhoneRequest extends Schema.Schema.Type<typeof PhoneRequest> {}

/** The code that was sent to a number. */
export const PhoneCode = Schema.Struct({
  code: Text.verbatim({ max: 100, description: "Six digits", examples: ["123456"] })
})
  .annotate({ identifier: "PhoneSubmitCodeProps", description: "The code that was sent to the phone number" })
  .pipe(withExample({ code: "123456" }))
export interface PhoneCode extends Schema.Schema.Type<typeof PhoneCode> {}

export class PhoneCodeWrong extends Problem<PhoneCodeWrong>()("PhoneCodeWrong", {
  status: 403,
  title: "The code is wrong or no longer valid",
  explanation:
    "A code is valid for one hour, for one sign-in and with the handle it was asked for with. Each network may send back five wrong ones, and all strangers together twenty in an hour. Whoever asks again ends the code that nobody else has asked for. Ask for a new one."
}) {}
