/** Signs people in by the password that they enter: by the programs of the API, with their limits and failures. */
import { Effect, Option, Result, Schema } from "effect"
import { EmailAuth } from "../../domain/authentication/EmailAuth.ts"
import { EmailPasswordPair } from "../../domain/authentication/EmailSignIn.ts"
import { AuthPair, Password } from "../../domain/authentication/Password.ts"
import { PasswordAuth } from "../../domain/authentication/PasswordAuth.ts"
import { Outbox } from "../../domain/mail/Outbox.ts"
import type { IssuedSession } from "../../domain/session/Session.ts"
import { fromNetwork } from "../pipeline/RequestContext.ts"
import type { Refusal, SignInField } from "./SignInView.ts"
import type { Spoken } from "./texts/Texts.ts"

/** A session, or why there is none. */
type Entered = Result.Result<IssuedSession, Refusal<SignInField>>

const isPassword = Schema.is(Password)
const toPair = Schema.decodeOption(AuthPair)
const toAddressPair = Schema.decodeOption(EmailPasswordPair)

const refusal = (text: string, field?: SignInField): Entered =>
  Result.fail(field === undefined ? { text } : { text, field })

const refuse = (text: string, field?: SignInField) => () => Effect.succeed(refusal(text, field))

const entered = Effect.map((session: IssuedSession): Entered => Result.succeed(session))

export const makePasswordEntry = Effect.gen(function* () {
  const passwords = yield* PasswordAuth
  const emails = yield* EmailAuth
  const { enabled: takesAddresses } = yield* Outbox

  const byAddress = Effect.fnUntraced(function* ({ signIn }: Spoken, email: string, password: string) {
    if (!takesAddresses) return refusal(signIn.addressesNotTaken, "identifier")
    const pair = toAddressPair({ email, password })
    if (Option.isNone(pair)) return refusal(signIn.addressUnknown, "identifier")
    return yield* fromNetwork((from) => emails.signInWithPassword(pair.value, from)).pipe(
      entered,
      Effect.catchTags({
        EmailAddressUnknown: refuse(signIn.addressUnknown, "identifier"),
        PasswordWrong: refuse(signIn.passwordWrong, "password"),
        PasswordNotSet: refuse(signIn.passwordNotSet),
        SignInSuspended: refuse(signIn.suspended)
      })
    )
  })

  const byHandle = Effect.fnUntraced(function* ({ signIn }: Spoken, identifier: string, token: string) {
    const pair = toPair({ identifier, token })
    if (Option.isNone(pair)) return refusal(signIn.handleUnknown, "identifier")
    return yield* fromNetwork((from) => passwords.signIn(pair.value, from)).pipe(
      entered,
      Effect.catchTags({
        HandleUnknown: refuse(signIn.handleUnknown, "identifier"),
        PasswordWrong: refuse(signIn.passwordWrong, "password"),
        PasswordNotSet: refuse(signIn.passwordNotSet),
        SignInSuspended: refuse(signIn.suspended)
      })
    )
  })

  const enter = Effect.fnUntraced(function* (texts: Spoken, identifier: string, password: string) {
    const { signIn } = texts
    if (identifier === "") return refusal(signIn.handleMissing, "identifier")
    if (password === "") return refusal(signIn.passwordMissing, "password")
    // No account has a password that is too short, or too long.
    if (!isPassword(password)) return refusal(signIn.passwordWrong, "password")
    // No handle has the sign that each address has.
    return yield* (identifier.includes("@") ? byAddress : byHandle)(texts, identifier, password)
  })

  return { enter, takesAddresses } as const
})
