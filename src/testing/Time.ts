/** The clock of a forum in a test: it stands still until the test moves it. */
import { Clock, Duration, Effect } from "effect"

/** Pauses shorter than this pass by themselves: they are part of how the service works, and no time that a test waits for. */
const shortest = 1_000

interface Sleeper {
  readonly at: number
  readonly wake: () => void
}

export interface MovedClock {
  readonly clock: Clock.Clock
  readonly now: () => number
  /** Moves the time on to an instant; who sleeps until then wakes in order, each at its own time. */
  readonly moveTo: (millis: number) => Effect.Effect<void>
  /** Sets the clock to where it stood at first. Nobody may sleep by it who is to wake. */
  readonly reset: Effect.Effect<void>
}

// Those who were woken go on before the next one wakes.
const aTurn = Effect.promise(() => new Promise<void>((resolve) => setImmediate(resolve)))

/** A clock that stands at `start`, in milliseconds of Unix time. */
export const makeClock = (start: number): MovedClock => {
  const real = Clock.Clock.defaultValue()
  const sleepers = new Set<Sleeper>()
  let now = start

  const sleep = (duration: Duration.Duration): Effect.Effect<void> => {
    const millis = Duration.toMillis(duration)
    if (millis < shortest) return real.sleep(duration)
    return Effect.callback<void>((resume) => {
      const sleeper = { at: now + millis, wake: () => resume(Effect.void) }
      sleepers.add(sleeper)
      return Effect.sync(() => sleepers.delete(sleeper))
    })
  }

  const first = (until: number): Sleeper | undefined => {
    let found: Sleeper | undefined
    for (const one of sleepers) {
      if (one.at <= until && (found === undefined || one.at < found.at)) found = one
    }
    return found
  }

  const moveTo = Effect.fnUntraced(function* (millis: number) {
    for (let next = first(millis); next !== undefined; next = first(millis)) {
      sleepers.delete(next)
      now = Math.max(now, next.at)
      next.wake()
      yield* aTurn
    }
    now = Math.max(now, millis)
  })

  return {
    clock: {
      ...real,
      currentTimeMillisUnsafe: () => now,
      currentTimeMillis: Effect.sync(() => now),
      currentTimeNanosUnsafe: () => BigInt(now) * 1_000_000n,
      currentTimeNanos: Effect.sync(() => BigInt(now) * 1_000_000n),
      monotonicTimeNanosUnsafe: () => real.monotonicTimeNanosUnsafe(),
      monotonicTimeNanos: real.monotonicTimeNanos,
      sleep
    },
    now: () => now,
    moveTo,
    reset: Effect.sync(() => {
      sleepers.clear()
      now = start
    })
  }
}
