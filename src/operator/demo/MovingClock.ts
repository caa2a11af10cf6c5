/** A clock whose hands can be set, so that a community of months is written within seconds. Waiting takes real time. */
import { Clock, Effect } from "effect"

export interface MovingClock {
  readonly clock: Clock.Clock
  /** Sets the time, in milliseconds of Unix time. */
  readonly set: (millis: number) => Effect.Effect<void>
}

/** A clock that stands still at `start` until it is set. */
export const make = (start: number): Effect.Effect<MovingClock> =>
  Effect.map(Clock.Clock, (real) => {
    let now = start
    return {
      clock: {
        ...real,
        currentTimeMillisUnsafe: () => now,
        currentTimeMillis: Effect.sync(() => now),
        currentTimeNanosUnsafe: () => BigInt(now) * 1_000_000n,
        currentTimeNanos: Effect.sync(() => BigInt(now) * 1_000_000n),
        monotonicTimeNanosUnsafe: () => real.monotonicTimeNanosUnsafe(),
        monotonicTimeNanos: real.monotonicTimeNanos,
        sleep: (duration) => real.sleep(duration)
      },
      set: (millis) =>
        Effect.sync(() => {
          now = millis
        })
    }
  })
