/**
 * Dumps of filled databases: what each table holds, as SQL, for a database that has the schema already. The scenarios
 * of areas do not go together in one database, so that a dump has one for each area.
 */
import { createHash } from "node:crypto"
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { gunzipSync, gzipSync } from "node:zlib"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const folder = "test/persistence/dumps"

export interface Dump {
  /** The migrations that the databases had. */
  readonly migrations: ReadonlyArray<string>
  /** Of the files that they are made of. */
  readonly hash: string
  /** For each area, what fills a database as its scenarios do. */
  readonly areas: Readonly<Record<string, ReadonlyArray<string>>>
}

const filesOf = (migrations: ReadonlyArray<string>) => [
  ...readdirSync("src/persistence/schema").map((file) => `src/persistence/schema/${file}`),
  ...migrations.map((name) => `src/persistence/migrations/${name}.ts`)
]

/** A hash of the files that these migrations are made of. */
export const hashOf = (migrations: ReadonlyArray<string>) => {
  const hash = createHash("sha256")
  for (const file of filesOf(migrations).toSorted()) hash.update(file).update(readFileSync(file))
  return hash.digest("hex")
}

/** All that were kept, by their names. */
export const kept = (): ReadonlyArray<readonly [name: string, dump: Dump]> =>
  readdirSync(folder).map((name) => [
    name,
    JSON.parse(gunzipSync(readFileSync(`${folder}/${name}`)).toString())
  ])

/** Keeps a dump under the name of its newest migration. */
export const keep = (migrations: ReadonlyArray<string>, areas: Dump["areas"]) => {
  const dump: Dump = { migrations, hash: hashOf(migrations), areas }
  writeFileSync(`${folder}/${migrations.at(-1)}.json.gz`, gzipSync(JSON.stringify(dump), { level: 9 }))
}

interface TableRow {
  readonly table: string
  /** Those that a statement can write. */
  readonly columns: string
}

const tables = SqlClient.SqlClient.use(
  (sql) => sql<TableRow>`
    select relname as table, string_agg(quote_ident(attname), ', ' order by attnum) as columns
      from pg_class c join pg_attribute on attrelid = c.oid
      where relnamespace = 'public'::regnamespace and relkind = 'r' and attnum > 0
        and not attisdropped and attgenerated = ''
      group by relname order by relname collate "C"`
)

/** The statements that give a database what this one holds, the states of its sequences included. */
export const statementsOf = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rowsOf = ({ columns, table }: TableRow) =>
    Effect.map(
      sql<{ readonly rows: string | null }>`select jsonb_agg(to_jsonb(t))::text as rows from ${sql(table)} t`,
      ([found]) =>
        typeof found?.rows === "string"
          ? [
              `insert into ${table} (${columns}) overriding system value select ${columns} from jsonb_populate_recordset(null::${table}, $rows$${found.rows}$rows$)`
            ]
          : []
    )
  const inserts = yield* Effect.forEach(yield* tables, rowsOf)
  const sequences = yield* sql<{ readonly statement: string }>`
    select format('select setval(%L, %s)', sequencename, last_value) as statement from pg_sequences
      where schemaname = 'public' and last_value is not null order by sequencename`
  return [...inserts.flat(), ...sequences.map(({ statement }) => statement)]
})

/** Replaces what a database holds. No trigger runs: what they did is in the dump. */
export const restore = Effect.fnUntraced(function* (statements: ReadonlyArray<string>) {
  const sql = yield* SqlClient.SqlClient
  yield* sql.withTransaction(
    Effect.gen(function* () {
      yield* sql`set local session_replication_role = replica`
      for (const { table } of yield* tables) yield* sql`delete from ${sql(table)}`
      for (const statement of statements) yield* sql.unsafe(statement)
    })
  )
})
