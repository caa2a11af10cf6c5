/** Looks in every column that can hold a text, in all tables, for some words. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { searchForm } from "../../domain/text/SearchText.ts"
import { orDefect } from "../../persistence/shared/SqlErrors.ts"

export interface FoundInColumn {
  readonly table: string
  readonly column: string
  readonly rows: number
  /** The keys of some of them. */
  readonly examples: ReadonlyArray<string>
}

interface Table {
  readonly table: string
  readonly columns: ReadonlyArray<{ readonly name: string; readonly isBytes: boolean }>
  readonly key: ReadonlyArray<string>
}

const tables = `select c.relname as "table",
    json_agg(json_build_object('name', a.attname, 'isBytes', coalesce(e.typname, t.typname) = 'bytea')
      order by a.attnum) as columns,
    coalesce((select json_agg(k.attname order by array_position(i.indkey::int2[], k.attnum))
      from pg_index i join pg_attribute k on k.attrelid = i.indrelid and k.attnum = any(i.indkey)
      where i.indrelid = c.oid and i.indisprimary), '[]') as key
  from pg_class c join pg_attribute a on a.attrelid = c.oid join pg_type t on t.oid = a.atttypid
    left join pg_type e on e.oid = t.typelem and t.typcategory = 'A'
  where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and a.attnum > 0
    and not a.attisdropped and coalesce(e.typname, t.typname)
      in ('text', 'varchar', 'bpchar', 'name', 'json', 'jsonb', 'bytea', 'xml', 'tsvector')
  group by c.oid, c.relname order by c.relname collate "C"`

const escaped = (text: string) => text.replace(/[\\^$.|?*+()[\]{}-]/g, "\\$&")

/** A pattern of PostgreSQL that finds any of these words where no letter or digit is beside it, in any case. */
export const patternOf = (words: ReadonlyArray<string>): string =>
  `(?<![[:alnum:]])(?:${words.map(escaped).join("|")})(?![[:alnum:]])`

/** As PostgreSQL writes bytes where it escapes those that are no ASCII. */
const inBytes = (word: string) =>
  Array.from(new TextEncoder().encode(word), (byte) =>
    byte < 128 ? String.fromCharCode(byte).replace("\\", "\\\\") : `\\${byte.toString(8).padStart(3, "0")}`
  ).join("")

const quoted = (name: string) => `"${name}"`

/** What a column says. Words of texts that are searched have a letter between them (`SearchText.ts`). */
const saying = (table: string, { isBytes, name }: Table["columns"][number]) => {
  if (isBytes) return `encode(${quoted(name)}, 'escape') ~* $2`
  return table === "search_texts"
    ? `replace(${quoted(name)}::text, 'ø', ' ') ~* $1`
    : `${quoted(name)}::text ~* $1`
}

/** How many keys are told of each column. */
const examplesMax = 5

const searchTable = Effect.fnUntraced(function* (
  { columns, key, table }: Table,
  parameters: ReadonlyArray<string>
) {
  const sql = yield* SqlClient.SqlClient
  const named =
    key.length === 0 ? "ctid::text" : key.map((name) => `${quoted(name)}::text`).join(` || ' ' || `)
  const looked = columns.map((column, index) => `coalesce(${saying(table, column)}, false) as found_${index}`)
  const some = columns.map((_, index) => `found_${index}`).join(" or ")
  const text = `select key, array[${columns.map((_, index) => `found_${index}`).join(", ")}] as found
    from (select ${named} as key, ${looked.join(", ")} from ${quoted(table)}
      where $1::text is not null and $2::text is not null) looked where ${some}`
  const rows = yield* orDefect(
    sql.unsafe<{ readonly key: string; readonly found: ReadonlyArray<boolean> }>(text, parameters)
  )
  return columns.flatMap(({ name }, index): ReadonlyArray<FoundInColumn> => {
    const keys = rows.filter(({ found }) => found[index]).map(({ key }) => key)
    if (keys.length === 0) return []
    return [{ table, column: name, rows: keys.length, examples: keys.slice(0, examplesMax) }]
  })
})

/** The columns, of all tables, in which any of these words is. */
export const searchColumns = Effect.fn("searchColumns")(function* (words: ReadonlyArray<string>) {
  const sql = yield* SqlClient.SqlClient
  const spelt = [...new Set(words.flatMap((word) => [word, searchForm(word)]))]
  const parameters = [patternOf(spelt), patternOf(spelt.map(inBytes))]
  const all = yield* orDefect(sql.unsafe<Table>(tables))
  const found = yield* Effect.forEach(all, (table) => searchTable(table, parameters))
  return { columns: all.reduce((sum, { columns }) => sum + columns.length, 0), found: found.flat() }
})
