/** Accounts that used the operations of every area are erased, and nothing that was known of them is found. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { findKnown } from "../../src/operator/erased/Known.ts"
import { searchColumns } from "../../src/operator/erased/Searching.ts"
import { placesOf } from "../../src/persistence/erasure/PersonalColumns.ts"
import { columnsWith, untilErased } from "../erasure/support.ts"
import * as People from "../support/people.ts"
import { Cast, drainEvents } from "../support/people.ts"
import { areas } from "../support/scenarios.ts"

/** Where people of the tests have words that are also handles of others: in what they write, and in slugs of it. */
const ofOthers = new Set([
  ...placesOf("content").map(({ column, table }) => `${table}.${column}`),
  "event_log.event",
  "identities_elsewhere.name"
])

/** Asks for erasures that are due now, whoever may still ask for it by then; and there is an administrator. */
const erase = (ids: ReadonlyArray<string>, administrator: string, keepPosts: boolean) =>
  SqlClient.SqlClient.use((sql) =>
    Effect.andThen(
      sql`update accounts set admin = true, suspended_at = null where id = ${administrator}`,
      sql`insert into erasures (account_id, requested_at, due_at, keep_posts, next_at)
        select id, 'epoch', 'epoch', ${keepPosts}, 'epoch' from unnest(${ids}::text[]) id
        on conflict (account_id) do update set due_at = excluded.due_at, next_at = excluded.next_at,
          requested_at = excluded.requested_at`
    )
  )

for (const [index, { area, scenarios }] of areas.entries()) {
  // Either is compared for whole areas in test/erasure.
  const keepPosts = index % 2 === 0
  layer(People.layer)(`accounts that used the operations of ${area}`, (it) => {
    it.effect(`leave nothing that was known of them, ${keepPosts ? "but posts" : "nor posts"}`, () =>
      Effect.gen(function* () {
        const { freya, loki, odin, tyr } = yield* Cast
        for (const { call } of yield* scenarios) yield* call
        yield* drainEvents
        const people = [freya.id, loki.id, tyr.id]
        const known = (yield* Effect.forEach(people, findKnown)).flat()
        assert.isAbove(known.length, 5)
        yield* erase(people, odin.id, keepPosts)
        assert.deepStrictEqual(yield* untilErased, [])
        for (const id of people) assert.deepStrictEqual(yield* columnsWith(id), [], id)
        // All people in the tests are at one network.
        const { columns, found } = yield* searchColumns(known.filter((value) => value !== "127.0.0.1"))
        assert.isAbove(columns, 400)
        assert.deepStrictEqual(
          found.filter(({ column, table }) => !ofOthers.has(`${table}.${column}`)),
          []
        )
      })
    )
  })
}
