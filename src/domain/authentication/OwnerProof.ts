/** Whether who asks for what cannot be undone, or gives everything away, is the owner of the account. */
import { DateTime, Duration, Effect, Option, Schema } from "effect"
import * as Text from "../field/Text.ts"
import { SessionStore } from "../session/SessionStore.ts"
import { CurrentAccount } from "../shared/Actor.ts"
import { Problem } from "../shared/Problem.ts"
import { PasswordAuth } from "./PasswordAuth.ts"

/** How long ago a session may have begun that proves by itself who asks. */
export const recently = Duration.minutes(10)

// As long as any password may be that was ever set.
const passwordMax = 10_000

/** The password of who asks, unless the session is new enough. */
export const ownPassword = Schema.optionalKey(
  Text.verbatim({
    max: passwordMax,
    format: "password",
    description: "The password of your account. Not needed within ten minutes after you signed in"
  })
)

export class SignInNotRecent extends Problem<SignInNotRecent>()("SignInNotRecent", {
  status: 403,
  title: "Send your password, or sign in again first",
  explanation:
    "What cannot be undone, or tells everything of an account, is done for who proves once more to be its owner: by its password where the operation takes one, or by a session that began within the last ten minutes."
}) {}

/** Whether a session that began then proves by itself who asks. */
export const isRecent = (began: DateTime.Utc, now: DateTime.Utc): boolean =>
  DateTime.isGreaterThanOrEqualTo(DateTime.addDuration(began, recently), now)

export const makeOwnerProof = Effect.gen(function* () {
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
