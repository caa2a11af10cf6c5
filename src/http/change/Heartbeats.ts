/** Tells those who are silent that something is due, so that connections are seen to be in use: one timer for all of them. */
import { Clock, Duration, Effect, Latch, type Scope } from "effect"
import { type Entry, LinkedList } from "../pipeline/LinkedList.ts"

/** How long nothing is sent at most, so that those in between see that the connection is in use. */
const silenceMax = Duration.toMillis("15 seconds")

// Other requests go on in between, however many are silent.
const beatenAtOnce = 50

interface Silent {
  /** When it has been silent for long enough, in milliseconds of a clock that nobody sets. */
  ends: number
  readonly due: () => void
}

export const makeHeartbeats = Effect.gen(function* () {
  const clock = yield* Clock.Clock
  const now = () => Number(clock.monotonicTimeNanosUnsafe() / 1_000_000n)
  // Who has been silent for longest comes first, as all may be for the same time.
  const silent = new LinkedList<Silent>()
  const someSilent = yield* Latch.make()

  const beat = Effect.gen(function* () {
    for (let beaten = 1; ; beaten++) {
      const { first } = silent
      if (first === undefined || first.value.ends > now()) return
      silent.remove(first)
      first.value.due()
      if (beaten % beatenAtOnce === 0) yield* Effect.yieldNow
    }
  })

  const pause = Effect.suspend(() => {
    const { first } = silent
    if (first !== undefined) return Effect.sleep(Math.max(0, first.value.ends - now()))
    someSilent.closeUnsafe()
    return someSilent.await
  })

  yield* Effect.forkScoped(Effect.forever(Effect.andThen(pause, beat)))

  /**
   * Calls `due` whenever nothing has been sent for a while, until the scope ends. Answers what notes that something is
   * sent.
   */
  const begin = (due: () => void): Effect.Effect<() => void, never, Scope.Scope> =>
    Effect.suspend(() => {
      const one: Silent = { ends: now() + silenceMax, due }
      let entry: Entry<Silent> = silent.add(one)
      someSilent.openUnsafe()
      const sent = () => {
        silent.remove(entry)
        one.ends = now() + silenceMax
        entry = silent.add(one)
        someSilent.openUnsafe()
      }
      return Effect.as(
        Effect.addFinalizer(() => Effect.sync(() => silent.remove(entry))),
        sent
      )
    })

  return { begin } as const
})
