/** Codes that are sent by email. */
import { Effect, Option, Result, Schema } from "effect"
import { EmailAddressText } from "../../domain/account/Email.ts"
import { EmailAuth } from "../../domain/authentication/EmailAuth.ts"
import { EmailCode } from "../../domain/authentication/EmailSignIn.ts"
import { fromNetwork } from "../pipeline/RequestContext.ts"
import type { CodeWay } from "./CodePages.ts"
import { handleMax } from "./SignInView.ts"

const toAddress = Schema.decodeOption(EmailAddressText)
const toCode = Schema.decodeOption(EmailCode)

export const makeEmailCodeWay = Effect.gen(function* () {
  const emails = yield* EmailAuth

  return {
    way: "email",
    operations: { request: "AuthEmailSignin", confirm: "AuthEmailVerify" },
    fields: ({ code }) => [
      {
        name: "email",
        label: code.ways.email.address,
        type: "email",
        autocomplete: "email",
        maxlength: handleMax
      }
    ],
    read: (form, { code }) =>
      Result.fromOption(toAddress(form("email").trim()), () => ({
        text: code.ways.email.addressInvalid,
        field: "email"
      })),
    kept: (email) => [["email", email]],
    receiver: (email) => email,
    request: (email, { code, signIn }) => {
      const refuse = (text: string) => () => Effect.succeed(Result.fail({ text, field: "email" }))
      return fromNetwork((from) => emails.requestCode({ email }, from)).pipe(
        Effect.map(Result.succeed),
        Effect.catchTags({
          EmailAddressUnknown: refuse(code.ways.email.addressUnknown),
          SignInSuspended: refuse(signIn.suspended)
        })
      )
    },
    confirm: (email, entered, { code, signIn }) => {
      const refuse = (text: string) => () => Effect.succeed(Result.fail(text))
      return Option.match(toCode({ email, code: entered }), {
        onNone: refuse(code.codeWrong),
        onSome: (pair) =>
          fromNetwork((from) => emails.verify(pair, from)).pipe(
            Effect.map(Result.succeed),
            Effect.catchTags({
              CodeWrong: refuse(code.codeWrong),
              SignInSuspended: refuse(signIn.suspended)
            })
          )
      })
    }
  } satisfies CodeWay<string>
})
