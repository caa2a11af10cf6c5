/** Signing in by a password, whatever program made its hash. A hash that we would not make today is replaced by one that we do. */
import { DateTime, Effect, Option, Redacted } from "effect"
import { Sessions } from "../session/Sessions.ts"
import type { ClientNetwork } from "../shared/Client.ts"
import type { AccountId } from "../shared/Id.ts"
import { AttemptLimit } from "./AttemptLimit.ts"
import { PasswordHashing, signingIn } from "./PasswordHashing.ts"
import { PasswordStore } from "./PasswordStore.ts"
import { makePasswordVerification } from "./PasswordVerification.ts"

export const makePasswordProof = Effect.gen(function* () {
  const verify = yield* makePasswordVerification
  const hashing = yield* PasswordHashing
  const passwords = yield* PasswordStore
  const attempts = yield* AttemptLimit
  const sessions = yield* Sessions

  /** Begins a session for who knows the password of an account, of which this was the hash; none for anybody else. */
  const signIn = Effect.fn("PasswordProof.signIn")(function* (
    accountId: AccountId,
    text: string,
    found: string,
    from: ClientNetwork
  ) {
    const password = Redacted.make(text)
    const inPlace = hashing.inPlace(signingIn(from))
    const source = { _tag: "Network", network: from } as const
    if (!(yield* attempts.guard(accountId, source, inPlace, verify(password, found)))) return Option.none()
    const session = yield* sessions.issueByPassword(accountId, found)
    if (hashing.isOfToday(found)) return session
    if (Option.isSome(session)) {
      const hash = yield* inPlace(hashing.hash(password))
      // Another sign-in may have done it, or the password is another one by now.
      yield* passwords.replace(accountId, found, hash, yield* DateTime.now)
      return session
    }
    // Somebody who signed in at the same time has replaced the hash, and not the password.
    const current = Option.getOrUndefined(yield* passwords.find(accountId))?.passwordHash
    if (current === undefined || current === found || !(yield* inPlace(verify(password, current))))
      return session
    return yield* sessions.issueByPassword(accountId, current)
  })

  return { signIn, verify } as const
})
