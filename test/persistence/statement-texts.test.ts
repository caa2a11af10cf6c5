/**
 * Every connection keeps statements prepared, by their texts. There are few of them, whatever is asked for;
 * `test/every-operation/scenarios.test.ts` counts those of all operations.
 */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { preparedMax, QuickReads, SlowReads } from "../../src/persistence/shared/Connections.ts"
import { ok } from "../support/answers.ts"
import { category } from "../support/discussion.ts"
import * as People from "../support/people.ts"
import { Cast, guest, type Person } from "../support/people.ts"

interface PreparedRow {
  readonly pid: number
  readonly statements: ReadonlyArray<string>
}

/** What the connections keep prepared; asked often enough at once to reach each of them. */
const prepared = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  const rows = yield* Effect.all(
    Array.from(
      { length: 100 },
      () => sql<PreparedRow>`select pg_backend_pid() as pid,
        array(select statement from pg_prepared_statements) as statements`
    ),
    { concurrency: "unbounded" }
  )
  return new Map(rows.flat().map(({ pid, statements }) => [pid, statements]))
})

const textsIn = (connections: ReadonlyMap<number, ReadonlyArray<string>>) =>
  new Set([...connections.values()].flat())

/** One of each, in every combination. */
const combined = (parts: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<string> =>
  parts.reduce<ReadonlyArray<string>>(
    (queries, part) => queries.flatMap((query) => part.map((one) => `${query}${one}`)),
    [""]
  )

layer(People.layer)("a connection", (it) => {
  it.effect("keeps so many statements prepared and no more", () =>
    Effect.gen(function* () {
      const writes = yield* SqlClient.SqlClient
      const quick = yield* QuickReads
      const slow = yield* SlowReads
      for (const sql of [writes, quick, slow]) {
        for (let n = 0; n < 2 * preparedMax; n++) yield* sql.unsafe(`select ${n}`)
        const counts = [...(yield* prepared(sql)).values()].map(({ length }) => length)
        assert.strictEqual(Math.max(...counts), preparedMax)
      }
    })
  )
})

layer(People.layer)("lists of threads", (it) => {
  const insertThreads = Effect.fnUntraced(function* (author: string, place: string) {
    const sql = yield* SqlClient.SqlClient
    yield* sql`insert into tags (id, created_at, name) values (${People.nobody}, now(), 'listed')`
    yield* sql`insert into threads (id, created_at, author_id, category_id, visibility, active_at)
      select 't' || lpad(n::text, 18, '0') || '0', now(), ${author}, ${place}, 'published', now()
      from generate_series(1, 1100) n`
    yield* sql`insert into posts (id, thread_id, ordinal, author_id, created_at, updated_at, visibility, title,
        slug, body, description)
      select id, id, 0, author_id, now(), now(), visibility, 'listed', id, '<body></body>', '' from threads`
    yield* sql`insert into thread_tags select id, ${People.nobody} from threads`
    yield* sql`update thread_totals set published = 1100 where shard = 0`
    yield* sql`update categories set post_count = 1100 where id = ${place}`
    yield* sql`insert into author_totals values (${author}, ${place}, 1100)`
  })

  const list = (who: Person, query: string) => Effect.map(who.get(`/threads?${query}`), ok)

  const listsIn = (texts: Iterable<string>) => [...texts].filter((text) => text.includes("from threads t"))

  it.effect("have few statements, and none that is kept for rare combinations", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const quick = yield* QuickReads
      const slow = yield* SlowReads
      yield* insertThreads(freya.id, (yield* category(odin, "Place")).id)
      const queries = combined([
        ["", "&author=freya"],
        ["", "&categories=null", "&categories=place", "&categories=place&categories=other"],
        ["", `&tags=${People.nobody}`],
        ["", "&visibility=review"],
        ["", "&ignore_pinned=true"],
        ["", "&page=2", "&page=22"]
      ])
      const byBoth = (query: string) =>
        Effect.all([list(guest, query), list(freya, query)], { concurrency: "unbounded" })
      yield* Effect.forEach(queries, byBoth, { concurrency: 4 })
      yield* Effect.forEach(queries.slice(0, 4), (query) => list(odin, `q=listed${query}`))
      const texts = textsIn(yield* prepared(quick))
      assert.isNotEmpty(listsIn(texts))
      assert.isBelow(texts.size, 64)
      assert.isEmpty(listsIn(textsIn(yield* prepared(slow))))

      // Other values have no other texts.
      for (const query of [
        "page=7",
        "page=11&visibility=review&visibility=draft",
        "author=odin&page=3",
        "categories=place&categories=a&categories=b&categories=c",
        "tags=a&tags=b&tags=c&page=5&ignore_pinned=true"
      ]) {
        yield* byBoth(query)
      }
      const more = listsIn(textsIn(yield* prepared(quick))).filter((text) => !texts.has(text))
      assert.deepStrictEqual(more, [])
    })
  )
})
