/** Codes that are sent by text message. */
import { Effect, Option, Result, Schema } from "effect"
import { PhoneAuth } from "../../domain/authentication/PhoneAuth.ts"
import { PhoneCode, PhoneRequest } from "../../domain/authentication/PhoneSignIn.ts"
import { fromNetwork } from "../pipeline/RequestContext.ts"
import type { CodeWay } from "./CodePages.ts"
import { handleMax } from "./SignInView.ts"

const toRequest = Schema.decodeOption(PhoneRequest)
const toCode = Schema.decodeOption(PhoneCode)

const numberMax = 100

export const makePhoneCodeWay = Effect.gen(function* () {
  const phones = yield* PhoneAuth

  return {
    way: "phone",
    operations: { request: "PhoneRequestCode", confirm: "PhoneSubmitCode" },
    fields: ({ code, signIn }) => [
      { name: "identifier", label: signIn.handle, autocomplete: "username", maxlength: handleMax },
      {
        name: "phone_number",
        label: code.ways.phone.number,
        type: "tel",
        autocomplete: "tel",
        maxlength: numberMax
      }
    ],
    read: (form, { code, signIn }) => {
      const identifier = form("identifier").trim()
      const phone_number = form("phone_number").trim()
      if (identifier === "") return Result.fail({ text: signIn.handleMissing, field: "identifier" })
      return Result.fromOption(toRequest({ identifier, phone_number }), () => ({
        text: code.ways.phone.numberInvalid,
        field: "phone_number"
      }))
    },
    kept: ({ identifier, phone_number }) => [
      ["identifier", identifier],
      ["phone_number", phone_number]
    ],
    receiver: ({ phone_number }) => phone_number,
    request: (to, { code, signIn }) => {
      const refuse = (text: string) => () => Effect.succeed(Result.fail({ text, field: "identifier" }))
      return fromNetwork((from) => phones.requestToSignIn(to, from)).pipe(
        Effect.map(Result.succeed),
        Effect.catchTags({
          HandleUnknown: refuse(signIn.handleUnknown),
          HandleTaken: refuse(code.ways.phone.noNumber),
          SignInSuspended: refuse(signIn.suspended)
        })
      )
    },
    confirm: ({ identifier }, entered, { code, signIn }) => {
      const refuse = (text: string) => () => Effect.succeed(Result.fail(text))
      return Option.match(toCode({ code: entered }), {
        onNone: refuse(code.codeWrong),
        onSome: (sent) =>
          fromNetwork((from) => phones.confirmToSignIn(identifier, sent.code, from)).pipe(
            Effect.map(Result.succeed),
            Effect.catchTags({
              PhoneCodeWrong: refuse(code.codeWrong),
              SignInSuspended: refuse(signIn.suspended)
            })
          )
      })
    }
  } satisfies CodeWay<PhoneRequest>
})
