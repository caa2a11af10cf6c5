import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Queue } from "effect"
import { TestClock } from "effect/testing"
import type { LoggedChange } from "../../../src/domain/change/ChangeFeed.ts"
import { batchMax, pauseAmong, type Told, telling } from "../../../src/domain/plugin/PluginTelling.ts"
import { loggedChange as changeOf } from "./changes.ts"

/** A change that tells when it is written. */
const countedChange = (written: () => void): LoggedChange => {
  const logged = changeOf(1)
  const { event } = logged.change
  return {
    ...logged,
    change: Object.defineProperty({ ...logged.change }, "event", {
      enumerable: true,
      get: () => {
        written()
        return event
      }
    })
  }
}

const textOf = (frame: Uint8Array) => new TextDecoder().decode(frame)

const framed = ({ change, id }: LoggedChange) => ({ jsonrpc: "2.0", id, method: "event", params: change })

describe("a plugin", () => {
  it.effect("is told at once of what happens after a pause, and together of what happens in one", () =>
    Effect.gen(function* () {
      const changes = yield* Queue.unbounded<LoggedChange>()
      const told: Array<unknown> = []
      const tell: Told["tell"] = (_, frames) => told.push(...frames.map((frame) => JSON.parse(textOf(frame))))
      const pauseBetween = pauseAmong(1)
      yield* Effect.forkScoped(
        telling({ take: Queue.takeAll(changes), tell, inBatches: false, pause: () => pauseBetween })
      )
      const [one, two, three, four] = [changeOf(1), changeOf(2), changeOf(3), changeOf(4)]
      yield* Queue.offer(changes, one)
      yield* TestClock.adjust("1 millis")
      assert.deepStrictEqual(told, [framed(one)])
      yield* Queue.offer(changes, two)
      yield* TestClock.adjust("10 millis")
      yield* Queue.offer(changes, three)
      yield* TestClock.adjust("8 millis")
      assert.deepStrictEqual(told, [framed(one)])
      yield* TestClock.adjust("1 millis")
      assert.deepStrictEqual(told, [framed(one), framed(two), framed(three)])
      yield* TestClock.adjust(pauseBetween)
      yield* Queue.offer(changes, four)
      yield* TestClock.adjust(Duration.zero)
      assert.lengthOf(told, 4)
    }).pipe(Effect.scoped)
  )

  it.effect("is told by the text that was written for another one", () =>
    Effect.gen(function* () {
      let written = 0
      const counted = countedChange(() => {
        written += 1
      })
      const told: Array<Uint8Array> = []
      const ofOne = telling({
        take: Effect.succeed([counted]),
        tell: (_, frames) => told.push(...frames),
        inBatches: false,
        pause: () => pauseAmong(2)
      })
      yield* Effect.forkScoped(ofOne)
      yield* Effect.forkScoped(ofOne)
      yield* TestClock.adjust("1 millis")
      assert.deepStrictEqual([told.length, written], [2, 1])
      assert.strictEqual(told[0], told[1])
    }).pipe(Effect.scoped)
  )

  it("waits longer the more plugins are told, and never so long that it would be late", () => {
    const millis = (plugins: number) => Duration.toMillis(pauseAmong(plugins))
    assert.deepStrictEqual([0, 1, 8, 10, 20, 21, 1000].map(millis), [20, 20, 24, 30, 60, 60, 60])
  })

  it.effect("is told at the same time as all others, whenever it was told last", () =>
    Effect.gen(function* () {
      const [early, late] = [yield* Queue.unbounded<LoggedChange>(), yield* Queue.unbounded<LoggedChange>()]
      const told: Array<Uint8Array> = []
      const tellingOf = (queue: typeof early) =>
        Effect.forkScoped(
          telling({
            take: Queue.takeAll(queue),
            tell: (_, frames) => told.push(...frames),
            inBatches: true,
            pause: () => Duration.millis(50)
          })
        )
      yield* tellingOf(early)
      yield* tellingOf(late)
      yield* Queue.offer(early, changeOf(1))
      yield* TestClock.adjust("30 millis")
      yield* Queue.offer(late, changeOf(2))
      yield* TestClock.adjust("1 millis")
      assert.lengthOf(told, 2)
      const [three, four, five] = [changeOf(3), changeOf(4), changeOf(5)]
      yield* Queue.offerAll(early, [three, four])
      yield* Queue.offerAll(late, [three, four])
      yield* TestClock.adjust("18 millis")
      assert.lengthOf(told, 2)
      yield* TestClock.adjust("1 millis")
      assert.lengthOf(told, 4)
      // What is written is the same for both.
      assert.strictEqual(told[2], told[3])
      assert.deepStrictEqual(JSON.parse(textOf(told[2] ?? assert.fail())), [framed(three), framed(four)])
      yield* TestClock.adjust("50 millis")
      yield* Queue.offer(late, five)
      yield* TestClock.adjust("0 millis")
      assert.deepStrictEqual(JSON.parse(textOf(told[4] ?? assert.fail())), framed(five))
    }).pipe(Effect.scoped)
  )

  /** What is told of changes in batches. */
  const toldOf = Effect.fnUntraced(function* (changes: readonly [LoggedChange, ...Array<LoggedChange>]) {
    const told: Array<ReadonlyArray<unknown>> = []
    const tell: Told["tell"] = (_, frames) => told.push(...frames.map((frame) => JSON.parse(textOf(frame))))
    yield* Effect.forkScoped(
      telling({ take: Effect.succeed(changes), tell, inBatches: true, pause: () => Duration.seconds(1) })
    )
    yield* TestClock.adjust("1 millis")
    return told
  })

  it.effect(
    "is told of others where it wants others, also if they begin and end as those of another one",
    () =>
      Effect.gen(function* () {
        const [one, two, three, four] = [changeOf(1), changeOf(2), changeOf(3), changeOf(4)]
        assert.deepStrictEqual(yield* toldOf([one, two, four]), [[one, two, four].map(framed)])
        assert.deepStrictEqual(yield* toldOf([one, three, four]), [[one, three, four].map(framed)])
        assert.deepStrictEqual(yield* toldOf([one, two]), [[one, two].map(framed)])
      }).pipe(Effect.scoped)
  )

  it.effect("is told by several batches of what is too much for one, of each event once and in order", () =>
    Effect.gen(function* () {
      const many = Array.from({ length: 2 * batchMax.events + 1 }, (_, n) => changeOf(n + 1))
      const [first = changeOf(0), ...others] = many
      const told = yield* toldOf([first, ...others])
      assert.deepStrictEqual(
        told.map(({ length }) => length),
        [batchMax.events, batchMax.events, 1]
      )
      assert.deepStrictEqual(told.flat(), many.map(framed))
    }).pipe(Effect.scoped)
  )

  it.effect("is told of what is long by itself", () =>
    Effect.gen(function* () {
      const long: LoggedChange = {
        ...changeOf(2),
        change: { event: "EventSettingsUpdated", settings: { description: "x".repeat(batchMax.characters) } }
      }
      const [one, three, four] = [changeOf(1), changeOf(3), changeOf(4)]
      assert.deepStrictEqual(yield* toldOf([one, long, three, four]), [
        [framed(one)],
        [framed(long)],
        [framed(three), framed(four)]
      ])
    }).pipe(Effect.scoped)
  )
})
