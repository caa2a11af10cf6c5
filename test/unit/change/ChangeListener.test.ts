/** What waits for somebody who listens. */
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect, Fiber } from "effect"
import { ChangesLost, changeIdOf, waitingMax } from "../../../src/domain/change/ChangeFeed.ts"
import { makeListener } from "../../../src/domain/change/ChangeListener.ts"
import type { ChangeName } from "../../../src/domain/change/Changes.ts"
import { PostId } from "../../../src/domain/shared/Id.ts"
import { committedSince, parseSnapshot } from "../../../src/persistence/change/LogMoment.ts"
import type { ReadChange } from "../../../src/persistence/change/TellingEvents.ts"

const since = {
  head: { generation: 1, txid: "1", id: 1n },
  generation: 1,
  snapshot: parseSnapshot("10:10:")
}

const read = (id: bigint, size = 100, txid = "10"): ReadChange => ({
  size,
  logged: {
    id: changeIdOf(0, id),
    position: { generation: 1, txid, id },
    at: DateTime.makeUnsafe(0),
    change: { event: "EventThreadUpdated", id: PostId.make("0".repeat(20)) },
    audience: { _tag: "Everyone" }
  }
})

const listener = (names: ReadonlyArray<ChangeName> = ["EventThreadUpdated"]) => {
  const { keep, ...one } = makeListener(names, committedSince(since))
  return { ...one, keep: ({ logged, size }: ReadChange) => keep(logged, size) }
}

const ids = (count: number) => Array.from({ length: count }, (_, n) => BigInt(n))

const taken = (told: ReturnType<typeof listener>) =>
  Effect.map(told.take, (changes) => changes.map(({ position }) => position.id))

describe("a listener", () => {
  it.effect("is handed all that waits at once, in order, and then waits for more", () =>
    Effect.gen(function* () {
      const one = listener()
      for (const id of ids(3)) one.keep(read(id))
      assert.deepStrictEqual(yield* taken(one), ids(3))
      const waiting = yield* Effect.forkChild(taken(one), { startImmediately: true })
      assert.isUndefined(waiting.pollUnsafe())
      one.wake()
      one.keep(read(7n))
      one.keep(read(8n))
      one.wake()
      assert.deepStrictEqual(yield* Fiber.join(waiting), [7n, 8n])
    })
  )

  it.effect("hears neither other names nor what was before it", () =>
    Effect.gen(function* () {
      const other = listener(["EventThreadDeleted"])
      const one = listener()
      for (const listening of [one, other]) {
        listening.keep(read(1n, 100, "9"))
        listening.keep(read(2n))
        listening.keep(read(3n, 100, "11"))
        listening.wake()
      }
      assert.deepStrictEqual(yield* taken(one), [2n, 3n])
      const waiting = yield* Effect.forkChild(taken(other), { startImmediately: true })
      assert.isUndefined(waiting.pollUnsafe())
      yield* Fiber.interrupt(waiting)
    })
  )

  it.effect("has as much waiting as the bound says, again and again", () =>
    Effect.gen(function* () {
      const one = listener()
      for (let round = 0; round < 3; round++) {
        for (const id of ids(waitingMax.changes)) one.keep(read(id))
        assert.deepStrictEqual(yield* taken(one), ids(waitingMax.changes))
      }
      const half = waitingMax.bytes / 2
      for (let round = 0; round < 3; round++) {
        for (const id of ids(2)) one.keep(read(id, half))
        assert.deepStrictEqual(yield* taken(one), ids(2))
      }
      one.keep(read(1n, waitingMax.bytes * 3))
      assert.deepStrictEqual(yield* taken(one), [1n])
    })
  )

  it.effect("that waits when it is beyond it is told so at once", () =>
    Effect.gen(function* () {
      const one = listener()
      const waiting = yield* Effect.forkChild(Effect.flip(one.take), { startImmediately: true })
      for (const id of ids(waitingMax.changes + 1)) one.keep(read(id))
      one.wake()
      assert.deepStrictEqual(yield* Fiber.join(waiting), new ChangesLost())
    })
  )

  it.effect("that is beyond it is told so for good, whatever else happens", () =>
    Effect.gen(function* () {
      const many = listener()
      for (const id of ids(waitingMax.changes + 1)) many.keep(read(id))
      const large = listener()
      large.keep(read(1n, waitingMax.bytes))
      large.keep(read(2n, 1))
      for (const one of [many, large]) {
        assert.deepStrictEqual(yield* Effect.flip(one.take), new ChangesLost())
        one.keep(read(3n))
        assert.deepStrictEqual(yield* Effect.flip(one.take), new ChangesLost())
      }
    })
  )
})
