/** The limit on guessing an account's password: ten wrong ones in fifteen minutes, from wherever they come. */
import { Context, DateTime, Duration, Effect, Layer, Semaphore } from "effect"
import type { AccountId } from "../shared/Id.ts"
import { TooManyAttempts } from "./Password.ts"
import { type Attempts, PasswordStore } from "./PasswordStore.ts"

const limit = 10
const window = Duration.minutes(15)

/** Seconds until an attempt is taken again; 0 if the one just counted is taken. */
export const decideWait = ({ count, since }: Attempts, now: DateTime.Utc): number => {
  if (count <= limit) return 0
  const opens = DateTime.toEpochMillis(since) + Duration.toMillis(window)
  return Math.max(0, Math.ceil((opens - DateTime.toEpochMillis(now)) / 1000))
}

const lanes = 64

const make = Effect.gen(function* () {
  const store = yield* PasswordStore
  // Attempts at one account wait for each other, so that many right ones at once are not taken for wrong ones.
  const turns = Array.from({ length: lanes }, () => Semaphore.makeUnsafe(1))
  const turnOf = (accountId: AccountId) => {
    let sum = 0
    for (const character of accountId) sum += character.charCodeAt(0)
    return turns[sum % lanes] ?? Semaphore.makeUnsafe(1)
  }

  /** Runs an attempt that answers whether the password was right, unless too many have failed. */
  const guard = <E>(accountId: AccountId, attempt: Effect.Effect<boolean, E>) =>
    Effect.gen(function* () {
      const now = yield* DateTime.now
      // Counted before the verdict: a burst over several instances gets no more of them than one in a row.
      const attempts = yield* store.countAttempt(accountId, now, DateTime.subtractDuration(now, window))
      const wait = decideWait(attempts, now)
      if (wait > 0) return yield* new TooManyAttempts({ metadata: { retry_after: wait } })
      const right = yield* attempt
      if (right) yield* store.clearAttempts(accountId)
      return right
      // A right attempt whose client hangs up midway must not stay counted.
    }).pipe(Effect.uninterruptible, turnOf(accountId).withPermits(1))

  return { guard } as const
})

export class AttemptLimit extends Context.Service<AttemptLimit, Effect.Success<typeof make>>()(
  "forum/domain/AttemptLimit"
) {
  static readonly layer = Layer.effect(AttemptLimit, make)
}
