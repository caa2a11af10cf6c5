/** What a purge does when something is in its way: it stays within its bounds, and the worker ends it. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { PurgeStore } from "../../src/domain/moderation/PurgeStore.ts"
import { Purges } from "../../src/domain/moderation/Purges.ts"
import { ok } from "../support/answers.ts"
import { open } from "../support/discussion.ts"
import * as People from "../support/people.ts"
import { Cast, type Person } from "../support/people.ts"
import * as TestApp from "../support/TestApp.ts"
import { purgeOf } from "./scenarios.ts"

type Meanwhile = Effect.Effect<unknown>

/** What happens when collections are looked for, when likes have been found, and when the purge says that it goes on. */
const nothing: { readonly collections: Meanwhile; readonly likes: Meanwhile; readonly keep: Meanwhile } = {
  collections: Effect.void,
  likes: Effect.void,
  keep: Effect.void
}
let meanwhile = nothing

const stores = TestApp.storesBut(PurgeStore, (store) => ({
  ...store,
  collections: (search) => Effect.andThen(meanwhile.collections, store.collections(search)),
  likes: (search) => Effect.tap(store.likes(search), () => meanwhile.likes),
  keep: (purge, until) => Effect.andThen(meanwhile.keep, store.keep(purge, until))
}))

const drain = Effect.flatMap(Purges, ({ drain }) => drain)

const purge = (include: string, account: Person) =>
  Effect.flatMap(Cast, ({ odin }) =>
    Effect.map(odin.post("/admin/actions", purgeOf(account, include)), (answer) =>
      assert.strictEqual(answer.status, 201, answer.text)
    )
  )

const insertCollections = (owner: Person, count: number) =>
  SqlClient.SqlClient.use(
    (sql) => sql`insert into collections (id, created_at, updated_at, owner_id, name, slug)
      select 'col' || lpad(n::text, 16, '0') || '0', 'epoch', 'epoch', ${owner.id}, 'One of many', 'one-of-many'
      from generate_series(1, ${count}) n`
  )

const left = SqlClient.SqlClient.use((sql) =>
  Effect.map(
    sql<{ readonly n: number }>`select count(*)::int as n from collections where name = 'One of many'`,
    ([row]) => row?.n
  )
)

layer(People.withCast(TestApp.layerWhere({}, stores)))("a purge", (it) => {
  it.effect("takes two seconds of a request, and the worker ends it", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      yield* insertCollections(freya, 60)
      meanwhile = { ...nothing, keep: TestClock.adjust("2001 millis") }
      yield* purge("collections", freya)
      meanwhile = nothing
      assert.strictEqual(yield* left, 35)
      yield* drain
      assert.strictEqual(yield* left, 0)
    })
  )

  it.effect("stops where another one has taken it, which goes on", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      yield* insertCollections(freya, 60)
      meanwhile = { ...nothing, keep: Effect.orDie(sql`update purges set turn = turn + 1`) }
      yield* purge("collections", freya)
      meanwhile = nothing
      assert.strictEqual(yield* left, 36)
      // Until then, who took it works on it.
      yield* drain
      assert.strictEqual(yield* left, 36)
      yield* TestClock.adjust("1 minute")
      yield* drain
      assert.strictEqual(yield* left, 0)
    })
  )

  it.effect("is answered though nothing can be removed now, and ended later", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      yield* insertCollections(freya, 1)
      meanwhile = { ...nothing, collections: Effect.die(new Error("There is no database")) }
      yield* purge("collections", freya)
      meanwhile = nothing
      assert.strictEqual(yield* left, 1)
      yield* TestClock.adjust("1 minute")
      yield* drain
      assert.strictEqual(yield* left, 0)
    })
  )

  it.effect("tries a hundred things that cannot be removed, and goes on after a pause", () =>
    Effect.gen(function* () {
      const { loki } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      yield* insertCollections(loki, 130)
      // Sequences keep what is rolled back.
      yield* sql`create sequence refusals`
      yield* sql`create function refuse() returns trigger language plpgsql as $$
        begin perform nextval('refusals'); raise exception 'no'; end $$`
      yield* sql`create trigger refuse before delete on collections for each row execute function refuse()`
      const refusals = sql`select last_value::int as n from refusals`
      yield* purge("collections", loki)
      assert.deepStrictEqual(yield* refusals, [{ n: 100 }])
      yield* sql`drop trigger refuse on collections`
      yield* drain
      assert.strictEqual(yield* left, 130)
      yield* TestClock.adjust("1 minute")
      yield* drain
      assert.strictEqual(yield* left, 0)
    })
  )

  it.effect("tells nobody of a like that is gone meanwhile", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const thread = yield* open(freya, "Liked")
      ok(yield* loki.put(`/likes/posts/${thread.id}`))
      meanwhile = { ...nothing, likes: Effect.orDie(sql`delete from likes where account_id = ${loki.id}`) }
      yield* purge("likes", loki)
      meanwhile = nothing
      assert.deepStrictEqual(yield* sql`select from event_log where event ->> '_tag' = 'PostUnliked'`, [])
    })
  )
})
