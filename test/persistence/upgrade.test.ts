/** Databases of older releases that hold something become what a new one is, and keep what they hold. */
import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { inject } from "vitest"
import {
  allMigrations,
  MigrationFailed,
  migrate,
  migrateBy
} from "../../src/persistence/shared/Migrations.ts"
import { olderData } from "./older-data.ts"

let databases = 0

/** A database without any table, of its own for one effect. */
const inEmptyDatabase = <A, E>(use: Effect.Effect<A, E, SqlClient.SqlClient>) =>
  Effect.gen(function* () {
    const { password, ...server } = inject("postgres")
    const options = { ...server, password: Redacted.make(password), maxConnections: 2 }
    const name = `upgrade_${process.pid}_${databases++}`
    const create = PgClient.PgClient.use((sql) => sql`create database ${sql(name)}`)
    yield* Effect.scoped(Effect.provide(create, PgClient.layer({ ...options, database: "postgres" })))
    return yield* Effect.scoped(Effect.provide(use, PgClient.layer({ ...options, database: name })))
  })

const migrateUpTo = (newest: number) =>
  migrateBy(Effect.map(allMigrations, (all) => all.filter(([id]) => id <= newest)))

/** All migrations, with another effect before this one. */
const migrateWith = (number: number, before: Effect.Effect<unknown, unknown>) =>
  migrateBy(
    Effect.map(allMigrations, (all) =>
      all.map(([id, name, load]) => [id, name, id === number ? Effect.andThen(before, load) : load] as const)
    )
  )

/** Fills a database that has this migration as the last with what it holds then. */
const fill = (newest: number) =>
  SqlClient.SqlClient.use((sql) =>
    sql.withTransaction(
      Effect.forEach(olderData(newest), (statement) => sql.unsafe(statement), { discard: true })
    )
  )

const columns = SqlClient.SqlClient.use(
  (sql) => sql<{ readonly name: string }>`
    select table_name || '.' || column_name || ' ' || data_type || ' ' || is_nullable as name
    from information_schema.columns where table_schema = 'public' order by 1`
)

const counts = SqlClient.SqlClient.use(
  (sql) => sql`select (select count(*)::int from accounts) as accounts,
    (select count(*)::int from threads) as threads, (select count(*)::int from posts) as posts,
    (select count(*)::int from links) as links, (select count(*)::int from notifications) as notifications`
)

const applied = SqlClient.SqlClient.use((sql) =>
  Effect.map(
    sql<{ readonly id: number }>`select max(migration_id)::int as id from migrations`,
    ([row]) => row?.id ?? 0
  )
)

const asNew = inEmptyDatabase(Effect.andThen(migrate, columns))

describe("a database that holds something", () => {
  for (const release of [10, 17, 24, 29, 31, 42, 46, 53]) {
    it.effect(`becomes a new one after migration ${release}, though it is interrupted twice`, () =>
      inEmptyDatabase(
        Effect.gen(function* () {
          yield* migrateUpTo(release)
          yield* fill(release)
          const newest = Math.max(...(yield* allMigrations).map(([id]) => id))
          for (const number of [release < 18 ? 18 : release + 1, newest]) {
            const exit = yield* Effect.exit(migrateWith(number, Effect.interrupt))
            assert.isTrue(Exit.isFailure(exit))
            assert.strictEqual(yield* applied, release)
          }
          yield* migrate
          assert.strictEqual(yield* applied, newest)
          assert.deepStrictEqual(yield* columns, yield* asNew)
          // Of the links one has no address: it was removed.
          assert.deepStrictEqual(yield* counts, [
            { accounts: 3, threads: 3, posts: 6, links: release < 11 ? 4 : 5, notifications: 3 }
          ])
          // What waits for the end of a transaction is done: the links of published threads are counted. Migration 11
          // takes a link from replies that write its address in another way.
          const sql = yield* SqlClient.SqlClient
          assert.deepStrictEqual(yield* sql`select sum(links)::int as links from link_totals`, [
            { links: release < 11 ? 2 : 3 }
          ])
          // What accounts had uploaded still counts, and for all together.
          assert.deepStrictEqual(
            yield* sql`select sum, sum(bytes)::int as bytes from upload_totals group by sum order by sum`,
            release < 42 ? [] : ["account", "instance"].map((sum) => ({ sum, bytes: 3 * 65_536 }))
          )
        })
      )
    )
  }

  it.effect("sorts leap seconds that it has as those that it gets", () =>
    inEmptyDatabase(
      Effect.gen(function* () {
        yield* migrateUpTo(53)
        yield* fill(53)
        const sql = yield* SqlClient.SqlClient
        const fid = "field000000000000000"
        yield* sql`insert into property_fields (fid, parent_id, name, type, sort, version)
          select ${fid}, parent_id, 'When', 'timestamp', '', nextval('property_field_versions')
          from nodes where parent_id is not null limit 1`
        const instants = sql<{ readonly value: string; readonly instant: string | null }>`
          select value, as_instant::text as instant from property_values where fid = ${fid}`
        for (const [value, instant] of [
          ["2016-12-31T23:59:60Z", "2016-12-31 23:59:59.999999"],
          ["2017-01-01T00:59:60.5+01:00", "2016-12-31 23:59:59.999999"],
          ["2016-12-31T23:60:00Z", null]
        ] as const) {
          // As an older release wrote it.
          yield* sql`delete from property_values where fid = ${fid}`
          yield* sql`insert into property_values (node_id, fid, value, search)
            select id, ${fid}, ${value}, '' from nodes where parent_id is not null limit 1`
          if ((yield* applied) === 53) {
            assert.deepStrictEqual(yield* instants, [{ value, instant: null }])
            yield* migrate
          }
          assert.deepStrictEqual(yield* instants, [{ value, instant }])
        }
      })
    )
  )

  it.effect("stays as it was where a migration fails, which is said in one line", () =>
    inEmptyDatabase(
      Effect.gen(function* () {
        yield* migrateUpTo(17)
        yield* fill(17)
        const sql = yield* SqlClient.SqlClient
        yield* sql`create table link_fetches (id text)`
        const error = yield* Effect.flip(migrate)
        assert.instanceOf(error, MigrationFailed)
        assert.strictEqual(
          error.message,
          'Migration "18_links" failed: relation "link_fetches" already exists. The database is as it was: go on with the release that it was used with, and report this line.'
        )
        assert.strictEqual(yield* applied, 17)
      })
    )
  )
})
