/** The database of each release, filled, becomes what a new one is and keeps what it holds. */
import { readdirSync, readFileSync } from "node:fs"
import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { MigrationFailed, migrateBy, migrations } from "../../src/persistence/shared/Migrations.ts"
import { copyOf } from "../process/support.ts"
import { catalogueLines } from "../support/catalogue.ts"
import { startService } from "../support/child.ts"
import { type Dump, hashOf, kept, restore } from "./databaseDump.ts"

const inDatabase = <A, E>(
  url: string,
  use: Effect.Effect<A, E, SqlClient.SqlClient>,
  startupParameters: Record<string, string> = {}
) =>
  Effect.scoped(
    Effect.provide(use, PgClient.layer({ url: Redacted.make(url), maxConnections: 2, startupParameters }))
  )

const emptyDatabase = Effect.promise(() => copyOf("template1"))

/** The name of an empty database as a release made it, for copies. */
const emptyOf = ({ migrations: then }: Dump) =>
  Effect.gen(function* () {
    const url = yield* emptyDatabase
    const known = Object.fromEntries(Object.entries(migrations).filter(([name]) => then.includes(name)))
    yield* inDatabase(url, migrateBy(known))
    return new URL(url).pathname.slice(1)
  }).pipe(Effect.cached, Effect.runSync)

type Release = readonly [dump: Dump, empty: ReturnType<typeof emptyOf>]

/** A database as the release had it, filled by the scenarios of an area. */
const older = Effect.fnUntraced(function* ([{ areas }, empty]: Release, area: string) {
  const template = yield* empty
  const url = yield* Effect.promise(() => copyOf(template))
  yield* inDatabase(url, restore(areas[area] ?? []))
  return url
})

/** The schema of a new database by these migrations. */
const schemaBy = (all: typeof migrations) =>
  Effect.flatMap(emptyDatabase, (url) => inDatabase(url, Effect.andThen(migrateBy(all), catalogueLines)))

const applied = SqlClient.SqlClient.use((sql) =>
  Effect.map(
    sql<{ readonly name: string }>`
      select lpad(migration_id::text, 4, '0') || '_' || name as name from migrations order by migration_id`,
    (rows) => rows.map(({ name }) => name)
  )
)

/** How many rows each table has of those that every database has, but for what is known of migrations. */
const counts = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const tables = yield* sql<{ readonly name: string }>`select tablename as name from pg_tables
    where schemaname = 'public' and tablename not in ('migrations', 'others') order by 1`
  const each = tables.map(({ name }) => `select '${name}' as name, count(*)::int as rows from ${name}`)
  return yield* sql.unsafe(`${each.join(" union all ")} order by name`)
})

/** A migration after all that there are, of a large table with triggers, which writes what is there. */
const another = SqlClient.SqlClient.use((sql) =>
  Effect.all(
    [
      sql`alter table posts add column another integer not null default 0`,
      sql`update posts set another = 1`,
      sql`create table others as select id from posts`
    ],
    { discard: true }
  )
)

const withAnother: typeof migrations = { ...migrations, "9999_another": another }

const interruptedAt = (name: string) => ({
  ...withAnother,
  [name]: Effect.andThen(withAnother[name] ?? Effect.void, Effect.interrupt)
})

const newest = await Effect.runPromise(Effect.cached(schemaBy(withAnother)))

const state = Effect.all([applied, counts, catalogueLines])

it("there is a dump", () => {
  assert.isNotEmpty(kept())
})

describe.each(kept())("the databases of %s", (_, dump) => {
  const release: Release = [dump, emptyOf(dump)]

  it("are made of migrations that have not changed since", () => {
    assert.deepStrictEqual(Object.keys(migrations).slice(0, dump.migrations.length), dump.migrations)
    assert.strictEqual(hashOf(dump.migrations), dump.hash, "until it is released: npm run dump")
  })

  it("hold something in every table, but for nine that no scenario leaves anything in", () => {
    const filled = Object.values(dump.areas).flatMap((statements) =>
      statements.map((statement) => /^insert into (\w+)/.exec(statement)?.[1])
    )
    const tables = readdirSync("src/persistence/schema").flatMap((file) =>
      [...readFileSync(`src/persistence/schema/${file}`, "utf8").matchAll(/^create table (\w+)/gm)].map(
        ([, table]) => table
      )
    )
    assert.deepStrictEqual(
      tables.filter((table) => !filled.includes(table)).toSorted(),
      [
        "account_writes",
        "asked_configurations",
        "parked_events",
        "link_picture_totals",
        "idempotency_counts",
        "idempotency_keys",
        "internal_errors",
        "oauth_registration_counts",
        "theme_files"
      ].toSorted()
    )
  })

  it.effect.each(Object.keys(dump.areas))(
    "become new ones with all of %s, though interrupted twice",
    (area) =>
      Effect.gen(function* () {
        const url = yield* older(release, area)
        const before = yield* inDatabase(url, state)
        assert.deepStrictEqual(before[0], dump.migrations)
        const pending = Object.keys(withAnother).filter((name) => !dump.migrations.includes(name))
        for (const name of [pending[0] ?? "", "9999_another"]) {
          const exit = yield* Effect.exit(inDatabase(url, migrateBy(interruptedAt(name))))
          assert.isTrue(Exit.isFailure(exit))
        }
        assert.deepStrictEqual(yield* inDatabase(url, state), before)
        const after = yield* inDatabase(url, Effect.andThen(migrateBy(withAnother), state))
        assert.deepStrictEqual([after[0], after[2]], [Object.keys(withAnother), yield* newest])
        assert.includeDeepMembers([...after[1]], [...before[1]])
      })
  )

  it.effect("stay as they were where a migration fails, which is said in one line", () =>
    Effect.gen(function* () {
      const url = yield* older(release, "thread")
      const before = yield* inDatabase(url, state)
      const failing = SqlClient.SqlClient.use((sql) =>
        Effect.andThen(another, sql`create table posts (id text)`)
      )
      const error = yield* Effect.flip(inDatabase(url, migrateBy({ ...migrations, "9999_another": failing })))
      assert.instanceOf(error, MigrationFailed)
      assert.strictEqual(
        error.message,
        'Migration "9999_another" failed: relation "posts" already exists. The database is as it was: go on with the release that it was used with, and report this line.'
      )
      assert.deepStrictEqual(yield* inDatabase(url, state), before)
    })
  )

  it.effect("may be changed for longer than any request takes", () =>
    Effect.gen(function* () {
      const url = yield* older(release, "thread")
      const slow = SqlClient.SqlClient.use((sql) => Effect.asVoid(sql`select pg_sleep(0.3)`))
      const all = { ...migrations, "9999_another": slow }
      yield* inDatabase(url, migrateBy(all), { statement_timeout: "100ms" })
      assert.deepStrictEqual(yield* inDatabase(url, applied), Object.keys(all))
    })
  )

  it.each([
    ["thread", "threads"],
    ["library", "nodes"],
    ["calendar", "events"]
  ])("are served by this release, such as what %s holds", async (area, list) => {
    const url = await Effect.runPromise(older(release, area))
    const service = startService({ DATABASE_URL: url })
    try {
      const port = await service.listening()
      const answer = await fetch(`http://127.0.0.1:${port}/api/${list}`)
      assert.strictEqual(answer.status, 200)
      assert.match(await answer.text(), new RegExp(`"${list}":\\[\\{`))
    } finally {
      service.process.kill("SIGTERM")
      await service.exited
    }
  })
})
