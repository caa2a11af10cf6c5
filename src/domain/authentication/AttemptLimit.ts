/**
 * The limit on guessing an account's password or code. Wrong ones are counted for each place they come from, so
 * that strangers who guess lock out nobody but themselves.
 */

import { Context, DateTime, Effect, Layer } from "effect"
import { makeTurns } from "../queue/Turns.ts"
import type { Client, ClientNetwork } from "../shared/Client.ts"
import type { AccountId } from "../shared/Id.ts"
import { type AttemptSource, decideWait, known, nameOf, window } from "./Attempt.ts"
import { TooManyAttempts } from "./Password.ts"
import { busy } from "./PasswordHashing.ts"
import { PasswordStore } from "./PasswordStore.ts"

// From one place at one account. As many as may wait for their hashes, so that neither bound makes the other useless.
const waitingMax = 64

const make = Effect.gen(function* () {
  const store = yield* PasswordStore
  // Attempts from one place wait for each other, so that many right ones at once are not taken for wrong ones.
  const inTurn = makeTurns({ running: 1, present: 1 + waitingMax }, busy)

  /**
   * Runs an attempt that answers whether it was right, unless too many have failed: for what costs little and is
   * right once only, such as codes.
   */
  const guardAtOnce = <E, R>(
    accountId: AccountId,
    source: AttemptSource,
    attempt: Effect.Effect<boolean, E, R>
  ) =>
    Effect.gen(function* () {
      const at = yield* DateTime.now
      // Counted before the verdict: a burst over several instances gets no more of them than one in a row.
      const attempts = yield* store.countAttempt(accountId, source, {
        at,
        windowStart: DateTime.subtractDuration(at, window),
        knownSince: DateTime.subtractDuration(at, known)
      })
      const wait = decideWait(attempts, at)
      if (wait > 0) return yield* new TooManyAttempts({ metadata: { retry_after: wait } })
      const right = yield* attempt
      if (right) yield* store.clearAttempts(accountId, source, attempts, at)
      return right
    })

  /**
   * Runs an attempt that answers whether the password was right, unless too many have failed. Its turn comes
   * first, then its place. Both may be waited for in vain; what is counted is also completed.
   */
  const guard = <E1, R1, E, R>(
    accountId: AccountId,
    source: AttemptSource,
    inPlace: (work: Effect.Effect<boolean, E1 | TooManyAttempts, R1>) => Effect.Effect<boolean, E, R>,
    attempt: Effect.Effect<boolean, E1, R1>
  ) => inTurn(`${accountId} ${nameOf(source)}`, inPlace(guardAtOnce(accountId, source, attempt)))

  /** Notes that someone has signed in to the account without a password, so that their network is known. */
  const noteSignIn = Effect.fnUntraced(function* (accountId: AccountId, network: ClientNetwork) {
    const at = yield* DateTime.now
    const none = { own: { count: 0, since: at }, strangers: undefined }
    yield* store.clearAttempts(accountId, { _tag: "Network", network }, none, at)
  })

  /** Who asks for something that belongs to an account. */
  const clientOf = Effect.fnUntraced(function* (accountId: AccountId, network: ClientNetwork) {
    const knownSince = DateTime.subtractDuration(yield* DateTime.now, known)
    return { network, isKnown: yield* store.isKnown(accountId, network, knownSince) } satisfies Client
  })

  /** Forgets what counts no more: wrong passwords after their window, networks that nobody signs in from. */
  const forgetOld = Effect.gen(function* () {
    const at = yield* DateTime.now
    yield* store.deleteAttempts({
      windowStart: DateTime.subtractDuration(at, window),
      knownSince: DateTime.subtractDuration(at, known)
    })
  })

  return { guard, guardAtOnce, noteSignIn, clientOf, forgetOld } as const
})

export class AttemptLimit extends Context.Service<AttemptLimit, Effect.Success<typeof make>>()(
  "forum/domain/AttemptLimit"
) {
  static readonly layer = Layer.effect(AttemptLimit, make)
}
