/** Whether who asks for what cannot be undone, or gives everything away, is the owner of the account. */
import { DateTime, Effect, Option } from "effect"
import { SessionStore } from "../session/SessionStore.ts"
import { CurrentAccount } from "../shared/Actor.ts"
import { isRecent, SignInNotRecent } from "./OwnerProof.ts"
import { PasswordAuth } from "./PasswordAuth.ts"

export const makeOwnerChecks = Effect.gen(function* () {
  const sessions = yield* SessionStore
  const passwords = yield* PasswordAuth

  /** Fails unless the caller's session began a short time ago. */
  const checkRecent = Effect.fnUntraced(function* () {
    const { session } = yield* CurrentAccount
    const began = session === undefined ? Option.none() : yield* sessions.findStart(session)
    const now = yield* DateTime.now
    if (!Option.exists(began, (at) => isRecent(at, now))) return yield* new SignInNotRecent()
  })

  /** Fails unless the caller has just shown to be the owner. A password goes first: a wrong one is refused, however new the session is. */
  const check = Effect.fnUntraced(function* (password: string | undefined) {
    if (password === undefined) return yield* checkRecent()
    yield* passwords.prove(password)
  })

  return { check, checkRecent } as const
})
