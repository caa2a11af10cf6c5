import { Duration, Effect, Fiber } from "effect"
import { assert, describe, it } from "vitest"
import { makeClock } from "../../../src/testing/Time.ts"

const start = Date.parse("2026-01-01T00:00:00Z")

const second = 1_000

/** Lets fibers begin to sleep. */
const begun = Effect.promise(() => new Promise<void>((resolve) => setImmediate(resolve)))

describe("the clock of a forum of a test", () => {
  it("wakes who sleeps in the order of their times, each at its own", () =>
    Effect.gen(function* () {
      const { clock, moveTo, now } = makeClock(start)
      const woken: Array<readonly [string, number]> = []
      const sleeping = (name: string, seconds: number) =>
        Effect.andThen(
          clock.sleep(Duration.seconds(seconds)),
          Effect.sync(() => {
            woken.push([name, (now() - start) / second])
          })
        )
      yield* Effect.forkChild(sleeping("late", 20))
      // Who was woken may do something before sleeping again.
      const again = Effect.andThen(Effect.yieldNow, sleeping("again", 5))
      yield* Effect.forkChild(Effect.andThen(sleeping("early", 5), again))
      yield* Effect.forkChild(sleeping("never", 31))
      const ended = yield* Effect.forkChild(sleeping("ended", 1))
      yield* begun
      yield* Fiber.interrupt(ended)
      yield* moveTo(start + 30 * second)
      assert.deepStrictEqual(woken, [
        ["early", 5],
        ["again", 10],
        ["late", 20]
      ])
      assert.strictEqual(now(), start + 30 * second)
      assert.strictEqual(clock.currentTimeMillisUnsafe(), now())
      assert.strictEqual(clock.currentTimeNanosUnsafe(), BigInt(now()) * 1_000_000n)
      // Time does not go back.
      yield* moveTo(start)
      assert.strictEqual(now(), start + 30 * second)
    }).pipe(Effect.runPromise))

  it("begins anew, and wakes nobody who slept before", () =>
    Effect.gen(function* () {
      const { clock, moveTo, now, reset } = makeClock(start)
      let isAwake = false
      const sleeping = Effect.andThen(
        clock.sleep(Duration.seconds(10)),
        Effect.sync(() => {
          isAwake = true
        })
      )
      yield* Effect.forkChild(sleeping)
      yield* begun
      yield* moveTo(start + second)
      yield* reset
      assert.strictEqual(now(), start)
      yield* moveTo(start + 30 * second)
      assert.isFalse(isAwake)
    }).pipe(Effect.runPromise))

  it("lets pauses of less than a second pass by themselves", () =>
    Effect.runPromise(makeClock(start).clock.sleep(Duration.millis(50))))
})
