/** What a test provides begins and ends with each service of the forum. */
import { Effect, Layer } from "effect"
import { assert, it } from "vitest"
import { TagStore } from "../../src/domain/tag/TagStore.ts"
import { startForum, storesBut } from "../../src/testing/Testing.ts"
import { send } from "./sending.ts"

it("each service ends when a reset has put another one in its place", async () => {
  const running = new Set<number>()
  let begun = 0
  const ports = Layer.effectDiscard(
    Effect.acquireRelease(
      Effect.sync(() => {
        running.add(++begun)
        return begun
      }),
      (one) => Effect.sync(() => running.delete(one))
    )
  )
  const forum = await startForum({ ports })
  for (let resets = 0; resets < 4; resets++) {
    // Two at the same time are one after the other.
    await Promise.all([forum.reset(), forum.reset()])
    assert.isAtMost(running.size, 2)
  }
  assert.isAtLeast(begun, 5)
  await forum.stop()
  assert.strictEqual(running.size, 0)
})

it("a reset waits for requests that have begun, and others wait for the reset", async () => {
  const begun = Promise.withResolvers<void>()
  const held = Promise.withResolvers<void>()
  const stores = storesBut(TagStore, (usual) => ({
    ...usual,
    list: (place) =>
      Effect.andThen(
        Effect.promise(() => {
          begun.resolve()
          return held.promise
        }),
        usual.list(place)
      )
  }))
  await using forum = await startForum({ stores })
  await forum.thread({ tags: ["tide"] })
  const before = send(forum, "/tags")
  await begun.promise
  const reset = forum.reset()
  const after = send(forum, "/threads")
  // So that it comes before the reset has ended.
  setTimeout(held.resolve, 200)
  assert.deepStrictEqual(
    (await before).json.tags.map(({ name }: { readonly name: string }) => name),
    ["tide"]
  )
  assert.strictEqual((await after).json.results, 0)
  await reset
})
