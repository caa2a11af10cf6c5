/** What must hold for every table, asked of the migrated database itself. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import * as Database from "../support/database.ts"

/**
 * Foreign keys whose index holds only some rows, so that deleting the row that
 * they refer to reads the whole table. Nothing may be added.
 */
const unindexedToday: ReadonlyArray<string> = ["threads (author_id)"]

layer(Database.fresh)("a foreign key", (it) => {
  /** Those without an index that starts with their columns and holds every row in which they are set. */
  const unindexed = SqlClient.SqlClient.use((sql) =>
    Effect.map(
      sql<{ readonly key: string }>`
        select format('%s (%s)', conrelid::regclass, columns) as key
        from pg_constraint f,
          lateral (select string_agg(attname, ', ' order by place) as columns, count(*)::int as size
            from unnest(conkey) with ordinality k (attnum, place)
            join pg_attribute a using (attnum) where a.attrelid = conrelid) key
        where contype = 'f' and not exists (
          select from pg_index i where indrelid = conrelid and indisvalid
            and (indkey::int2[])[0 : size - 1] @> conkey and (indkey::int2[])[0 : size - 1] <@ conkey
            and coalesce(pg_get_expr(indpred, indrelid), '') in ('', format('(%s IS NOT NULL)', columns)))
        order by key`,
      (rows) => rows.map(({ key }) => key)
    )
  )

  it.effect("has an index", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* unindexed, [...unindexedToday])
    })
  )

  it.effect("without an index is found", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`create table parents (a int, b int, primary key (a, b))`
      yield* sql`create table children (x int, a int, b int, foreign key (a, b) references parents)`
      const found = "children (a, b)"
      assert.include(yield* unindexed, found)
      for (const [index, serves] of [
        ["(a)", false],
        ["(x, a, b)", false],
        ["(a, b) where x > 0", false],
        ["(b, a, x)", true]
      ] as const) {
        yield* sql`create index children_parent on children ${sql.literal(index)}`
        assert.strictEqual((yield* unindexed).includes(found), !serves, index)
        yield* sql`drop index children_parent`
      }
    })
  )
})

layer(Database.fresh)("a trigger", (it) => {
  it.effect("can be created by its definition, as it is when a dump is restored", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const triggers = yield* sql<{ readonly name: string; readonly table: string; readonly text: string }>`
        select tgname as name, tgrelid::regclass::text as table, pg_get_triggerdef(oid) as text
        from pg_trigger where not tgisinternal order by tgname`
      assert.isAbove(triggers.length, 50)
      for (const { name, table, text } of triggers) {
        yield* sql`drop trigger ${sql(name)} on ${sql(table)}`
        yield* sql.unsafe(text)
      }
    })
  )

  it.effect("that raises the version of a row looks at all of its columns but those that are generated", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const unseen =
        yield* sql`select tgname, attname from pg_trigger t join pg_attribute on attrelid = tgrelid
        where not tgisinternal and tgfoid = 'bump_version'::regproc and tgattr = ''
          and attnum > 0 and not attisdropped and attgenerated = ''
          and pg_get_triggerdef(t.oid) like '% WHEN %' and pg_get_triggerdef(t.oid) not like '%new.*%'
          and not pg_get_triggerdef(t.oid) ~ format('\\mnew\\.%s(\\W|$)', quote_ident(attname))`
      assert.deepStrictEqual(unseen, [])
    })
  )
})
