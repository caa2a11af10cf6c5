import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { HandleInvalid, HandleTaken } from "../../domain/account/Account.ts"
import { RegistrationClosed, SignInSuspended, TooManyAttempts } from "../../domain/authentication/Password.ts"
import { PhoneCode, PhoneCodeWrong, PhoneRequest } from "../../domain/authentication/PhoneSignIn.ts"
import * as Text from "../../domain/field/Text.ts"
import { Id } from "../../domain/shared/Id.ts"
import { TextLimitReached } from "../../domain/sms/SmsRefusal.ts"
import { anyone } from "../contract/AccessPolicies.ts"
import { operation } from "../contract/Operation.ts"
import { SmsOperation } from "../contract/SmsOperation.ts"
import { AuthSuccess } from "./AuthenticationApi.ts"
import { CodeSent } from "./CodeSent.ts"

export class PhoneApi extends HttpApiGroup.make("authPhone")
  .add(
    HttpApiEndpoint.post("requestCode", "/", {
      query: {
        invitation_id: Schema.optionalKey(Id).annotateKey({ description: "The id of the invitation, if any" })
      },
      payload: PhoneRequest,
      success: CodeSent,
      error: [HandleTaken, RegistrationClosed, HandleInvalid, SignInSuspended, TextLimitReached]
    })
      .middleware(SmsOperation)
      .pipe(
        operation({
          id: "PhoneRequestCode",
          units: 10,
          cost: "write",
          summary: "Ask for a code that is sent to a phone number",
          description:
            "Sends a code to the number: to sign in to the account with this handle whose number it is, or to sign up with a handle that nobody has. The account is made once the code has been sent back with `PhoneSubmitCode`. If the handle has another number, or the number is that of another account, a message to the number says so instead of a code; the answer is the same, so that nobody learns whose a number is.",
          access: anyone
        })
      ),
    HttpApiEndpoint.put("submitCode", "/:account_handle", {
      params: { account_handle: Text.mark({ description: "The handle that the code was asked for with" }) },
      payload: PhoneCode,
      success: AuthSuccess,
      error: [PhoneCodeWrong, SignInSuspended, TooManyAttempts, HandleTaken, RegistrationClosed]
    })
      .middleware(SmsOperation)
      .pipe(
        operation({
          id: "PhoneSubmitCode",
          units: 10,
          cost: "write",
          summary: "Sign up or in with a code",
          description:
            "Starts a session. For a handle that nobody has, creates the account first, with the number that the code was sent to; the first account of an instance becomes its administrator. A code is valid for one hour and works once; each network may send back five wrong ones.",
          access: anyone,
          setsSession: true
        })
      )
  )
  .prefix("/auth/phone")
  .annotateMerge(
    OpenApi.annotations({
      title: "auth by phone",
      description: "Sign up and in with codes that are sent to a phone number"
    })
  ) {}
