/** Of every column that may hold something about a person it is declared what becomes of it when an account is erased. */
import { assert, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { declared, places, placesOf } from "../../src/persistence/erasure/PersonalColumns.ts"
import * as Database from "../support/database.ts"

interface Column {
  readonly table: string
  readonly column: string
}

const nameOf = ({ column, table }: Column) => `${table}.${column}`

/** The columns that can hold texts: those of texts, JSON and bytes, and arrays of them. */
const columns = SqlClient.SqlClient.use(
  (sql) => sql<Column>`select c.relname as "table", a.attname as "column"
    from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_type t on t.oid = a.atttypid
      left join pg_type e on e.oid = t.typelem and t.typcategory = 'A'
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and a.attnum > 0
      and not a.attisdropped and coalesce(e.typname, t.typname) in ('text', 'varchar', 'bpchar', 'name', 'json', 'jsonb', 'bytea', 'xml')`
)

/** The columns that refer to accounts, with what happens to their rows once the account is gone. */
const references = SqlClient.SqlClient.use(
  (sql) => sql<Column>`select c.relname as "table", a.attname as "column"
    from pg_constraint f join pg_class c on c.oid = f.conrelid
      join pg_attribute a on a.attrelid = f.conrelid and a.attnum = any(f.conkey)
    where f.contype = 'f' and f.confrelid = 'accounts'::regclass`
)

layer(Database.fresh)("a column that may hold something about a person", (it) => {
  it.effect("is declared, once, and exists", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(places.map(nameOf).toSorted(), (yield* columns).map(nameOf).toSorted())
    })
  )

  it.effect("has an answer to what becomes of the account that it refers to", () =>
    Effect.gen(function* () {
      const answered = new Set(
        (["row", "nobody", "none", "special"] as const).flatMap((fate) => placesOf(fate).map(nameOf))
      )
      const without = (yield* references).map(nameOf).filter((name) => !answered.has(name))
      assert.deepStrictEqual(without, [])
    })
  )

  it.effect("goes with its row where the row belongs to an account", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      // What goes with the account, at any number of steps.
      const going = yield* sql<{ readonly name: string }>`with recursive going as (
          select 'accounts'::regclass as id
          union
          select f.conrelid from going g join pg_constraint f on f.confrelid = g.id
            where f.contype = 'f' and f.confdeltype = 'c'
        ) select id::regclass::text as name from going`
      const gone = new Set(going.map(({ name }) => name))
      const swept = new Set(placesOf("row").map(({ table }) => table))
      const special = new Set(placesOf("special").map(({ table }) => table))
      const kept = placesOf("withRow").filter(
        ({ table }) => !gone.has(table) && !swept.has(table) && !special.has(table)
      )
      assert.deepStrictEqual(kept, [])
    })
  )
})

it("a column is declared with one fate", () => {
  for (const [table, byFate] of Object.entries(declared)) {
    const columns = Object.values(byFate).flat()
    assert.deepStrictEqual(columns.length, new Set(columns).size, table)
  }
})
