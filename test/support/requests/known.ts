/** What random requests refer to: the newest ids, slugs and handles of the database. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import fc from "fast-check"

/** Stands for something that exists until the request is sent. */
export const reference = (name: string): fc.Arbitrary<string> =>
  fc
    .record({ stray: fc.nat({ max: 7 }).map((n) => n === 0), place: fc.nat({ max: 40 }) })
    .map(({ place, stray }) => `@known ${stray ? "" : name} ${place}@`)

const references = /@known (\S*) (\d+)@/g

export interface Known {
  readonly all: ReadonlyArray<string>
  readonly byTable: ReadonlyMap<string, ReadonlyArray<string>>
}

const named = ["id", "slug", "handle"]

/** The newest ids, slugs and handles of each table, and an id that nothing has. */
export const readKnown = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const found = yield* sql<{ readonly table: string; readonly columns: ReadonlyArray<string> }>`
    select table_name as "table", array_agg(column_name::text) as columns from information_schema.columns
    where table_schema = 'public' and (data_type = 'text' or column_name = 'deleted_at') group by table_name`
  const statements = found.flatMap(({ columns, table }) => {
    const undeleted = columns.includes("deleted_at") ? "where deleted_at is null" : ""
    return named
      .filter((column) => columns.includes(column))
      .map(
        (column) =>
          `(select '${table}' as "table", ${column} as value from ${table} ${undeleted} order by id desc limit 20)`
      )
  })
  const rows = yield* sql<{ readonly table: string; readonly value: string | null }>`
    ${sql.literal(statements.join(" union all "))}`
  const byTable = new Map<string, Array<string>>()
  for (const { table, value } of rows) {
    if (value !== null) byTable.set(table, [...(byTable.get(table) ?? []), value])
  }
  return { all: [...byTable.values()].flat(), byTable } satisfies Known
})

/** Names of parameters that are not those of tables: events are also those of the log. */
const otherwise: Readonly<Record<string, string>> = { event: "calendar_events" }

/** The table that a name such as `thread_mark` or `category` refers to begins like it. */
const candidates = ({ all, byTable }: Known, name: string): ReadonlyArray<string> => {
  const [first = ""] = name.split("_", 1)
  const stem = otherwise[first] ?? first.slice(0, -1)
  const tables = stem.length < 3 ? [] : [...byTable.keys()].filter((table) => table.startsWith(stem))
  const own = tables.flatMap((table) => byTable.get(table) ?? [])
  return own.length === 0 ? all : own
}

/** The text with what its references stand for. */
export const resolve = (known: Known, text: string, write: (value: string) => string): string =>
  text.replaceAll(references, (_, name: string, place: string) => {
    const values = candidates(known, name)
    return write(values[Number(place) % values.length] ?? "")
  })
