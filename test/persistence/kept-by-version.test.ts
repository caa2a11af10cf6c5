import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { cacheByVersion } from "../../src/persistence/shared/cacheByVersion.ts"

/** A reader of what a table with one value for all ids has now, and the ids that were read from it. */
const table = (max: number) => {
  const state = { value: "old" }
  const read: Array<ReadonlyArray<string>> = []
  const kept = cacheByVersion(max, (ids: ReadonlyArray<string>) =>
    Effect.sync(() => {
      read.push(ids)
      return ids.filter((id) => id !== "missing").map((id) => [id, state.value] as const)
    })
  )
  return { state, read, kept }
}

it.effect("values are read once, those that are missing alone, and again in another version", () =>
  Effect.gen(function* () {
    const { kept, read, state } = table(10)
    assert.deepStrictEqual([...(yield* kept(["a", "a", "missing"], "1"))], [["a", "old"]])
    assert.deepStrictEqual(
      [...(yield* kept(["a", "b"], "1"))],
      [
        ["a", "old"],
        ["b", "old"]
      ]
    )
    assert.deepStrictEqual(read, [["a", "missing"], ["b"]])
    state.value = "new"
    assert.strictEqual((yield* kept(["a"], "1")).get("a"), "old")
    assert.strictEqual((yield* kept(["a"], "2")).get("a"), "new")
    assert.deepStrictEqual(read.slice(2), [["a"]])
  })
)

it.effect("no more are kept than it was told, and all that were asked for are answered", () =>
  Effect.gen(function* () {
    const { kept, read } = table(2)
    assert.strictEqual((yield* kept(["a", "b", "c"], "1")).size, 3)
    yield* kept(["c", "b"], "1")
    assert.lengthOf(read, 1)
    yield* kept(["a"], "1")
    assert.deepStrictEqual(read[1], ["a"])
  })
)

it.effect("what was read for a version does not stand for a later one", () =>
  Effect.gen(function* () {
    const started = yield* Deferred.make<void>()
    const go = yield* Deferred.make<void>()
    const reads: Array<string> = []
    const kept = cacheByVersion(10, (ids: ReadonlyArray<string>, version) =>
      Effect.gen(function* () {
        reads.push(version)
        if (version === "1") {
          yield* Deferred.succeed(started, undefined)
          yield* Deferred.await(go)
        }
        return ids.map((id) => [id, `of ${version}`] as const)
      })
    )
    const slow = yield* Effect.forkChild(kept(["a"], "1"))
    yield* Deferred.await(started)
    yield* kept(["b"], "2")
    yield* Deferred.succeed(go, undefined)
    assert.strictEqual((yield* Fiber.join(slow)).get("a"), "of 1")
    assert.strictEqual((yield* kept(["a"], "2")).get("a"), "of 2")
    assert.deepStrictEqual(reads, ["1", "2", "2"])
  })
)
