/** Every table and column is in an export, or it is said why not. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { type Kind, kinds } from "../../src/domain/exchange/Kinds.ts"
import { leftOut } from "../../src/persistence/exchange/LeftOut.ts"
import { recordsOf } from "../../src/persistence/exchange/RecordQueries.ts"
import * as Database from "../support/database.ts"

const kindsInOrder = Object.keys(kinds) as ReadonlyArray<Kind>

const everything = { withAddresses: true, sortsByBytes: false }

/** The columns that can be written. */
const stored = `select c.relname || '.' || a.attname as name
  from pg_class c join pg_attribute a on a.attrelid = c.oid
  where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
    and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''`

/** The columns that queries read, as PostgreSQL knows it of views of them. */
const read = `select distinct c.relname || '.' || a.attname as name
  from pg_rewrite r join pg_class v on v.oid = r.ev_class and v.relname like 'exported\\_%'
  join pg_depend d on d.classid = 'pg_rewrite'::regclass and d.objid = r.oid
    and d.refclassid = 'pg_class'::regclass and d.refobjsubid > 0
  join pg_class c on c.oid = d.refobjid and c.relkind in ('r', 'p')
  join pg_attribute a on a.attrelid = c.oid and a.attnum = d.refobjsubid`

const isLeftOut = (name: string) => {
  const [table = "", column = ""] = name.split(".")
  const reasons = leftOut[table]
  return typeof reasons === "string" || reasons?.[column] !== undefined
}

const named = Object.entries(leftOut).flatMap(([table, reasons]) =>
  typeof reasons === "string" ? [table] : Object.keys(reasons).map((column) => `${table}.${column}`)
)

layer(Database.fresh)("an export", (it) => {
  it.effect("has every column of every table, those aside that are named with a reason", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const namesIn = (query: string) =>
        Effect.map(sql.unsafe<{ readonly name: string }>(query), (rows) => rows.map(({ name }) => name))
      yield* Effect.gen(function* () {
        for (const kind of kindsInOrder)
          yield* sql.unsafe(`create temporary view exported_${kind} as ${recordsOf(kind, everything)}`)
        const [all, exported] = yield* Effect.all([namesIn(stored), namesIn(read)])
        const isRead = new Set(exported)
        assert.isAbove(all.length, 500)
        assert.deepStrictEqual(
          all.filter((name) => isRead.has(name) === isLeftOut(name)),
          []
        )
        const tables = new Set(all.map((name) => name.split(".")[0]))
        assert.deepStrictEqual(
          named.filter((name) => !tables.has(name) && !all.includes(name)),
          []
        )
      }).pipe(sql.withTransaction)
    })
  )
})
