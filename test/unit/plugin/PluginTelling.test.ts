import { assert, describe, it } from "@effect/vitest"
import { DateTime, Duration, Effect, Queue } from "effect"
import { TestClock } from "effect/testing"
import { changeIdOf, type LoggedChange } from "../../../src/domain/change/ChangeFeed.ts"
import { beginning } from "../../../src/domain/change/ChangePosition.ts"
import { pauseAmong, telling } from "../../../src/domain/plugin/PluginTelling.ts"
import { PostId } from "../../../src/domain/shared/Id.ts"

const changeOf = (number: number, written = () => {}): LoggedChange => {
  const id = changeIdOf(0, BigInt(number))
  const event = () => {
    written()
    return "EventThreadPublished" as const
  }
  return {
    id,
    position: beginning,
    at: DateTime.makeUnsafe(0),
    change: {
      id: PostId.make(id),
      get event() {
        return event()
      }
    },
    audience: { _tag: "Everyone" }
  }
}

const framed = ({ change, id }: LoggedChange) => ({ jsonrpc: "2.0", id, method: "event", params: change })

describe("a plugin", () => {
  it.effect("is told at once of what happens after a pause, and together of what happens in one", () =>
    Effect.gen(function* () {
      const changes = yield* Queue.unbounded<LoggedChange>()
      const told: Array<unknown> = []
      const tell = (_: unknown, frames: ReadonlyArray<string>) =>
        told.push(...frames.map((frame) => JSON.parse(frame)))
      const pauseBetween = pauseAmong(1)
      yield* Effect.forkScoped(telling(Queue.takeAll(changes), tell, () => pauseBetween))
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
      const counted = changeOf(1, () => {
        written += 1
      })
      const told: Array<string> = []
      const ofOne = telling(
        Effect.succeed([counted]),
        (_, frames) => told.push(...frames),
        () => pauseAmong(2)
      )
      yield* Effect.forkScoped(ofOne)
      yield* Effect.forkScoped(ofOne)
      yield* TestClock.adjust("1 millis")
      assert.deepStrictEqual([told.length, written], [2, 1])
    }).pipe(Effect.scoped)
  )

  it("waits longer the more plugins are told, and never so long that it would be late", () => {
    const millis = (plugins: number) => Duration.toMillis(pauseAmong(plugins))
    assert.deepStrictEqual([0, 1, 8, 10, 20, 21, 1000].map(millis), [20, 20, 20, 25, 50, 50, 50])
  })
})
