/** The database of a forum of a test has the time of the test, and begins anew with each reset. */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { assert, it } from "vitest"
import { TagStore } from "../../src/domain/tag/TagStore.ts"
import * as App from "../../src/layers/wiring/App.ts"
import { startForum } from "../../src/testing/Testing.ts"
import { send } from "./sending.ts"

/** A list of tags that says what the database goes by. */
const stores = Layer.effect(
  TagStore,
  Effect.gen(function* () {
    const usual = yield* TagStore
    const sql = yield* SqlClient.SqlClient
    const names = sql<{ readonly name: string }>`
      select unnest(array[now()::text, pg_current_xact_id()::text, gen_random_uuid()::text]) as name`
    return {
      ...usual,
      list: () =>
        Effect.orDie(
          Effect.map(names, (rows) => ({
            total: rows.length,
            tags: rows.map(({ name }) => ({ name, colour: "#000000", item_count: 0 }))
          }))
        )
    }
  })
).pipe(Layer.provideMerge(App.stores))

it("the database goes by the test", async () => {
  await using forum = await startForum({ seed: 42, now: "2026-01-01T00:00:00Z", stores })
  const told = async (): Promise<ReadonlyArray<string>> =>
    (await send(forum, "/tags")).json.tags.map(({ name }: { readonly name: string }) => name)
  const first = await told()
  assert.strictEqual(first[0], "2026-01-01 00:00:00+00")
  const second = await told()
  assert.strictEqual(Number(second[1]), Number(first[1]) + 1)
  assert.notStrictEqual(second[2], first[2])
  await forum.clock.advance("1 day")
  assert.strictEqual((await told())[0], "2026-01-02 00:00:00+00")
  for (let resets = 0; resets < 3; resets++) {
    await forum.reset()
    assert.deepStrictEqual(await told(), first)
    await forum.accounts(1)
    await forum.clock.advance("1 day")
  }
})
