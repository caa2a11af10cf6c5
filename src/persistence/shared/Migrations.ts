/** Forward-only migrations, run at start. Several instances may start at once: one migrates, the others wait. */
import { Data, Effect } from "effect"
import { Migrator, SqlClient } from "effect/sql"
import baseline from "../migrations/0001_baseline.ts"
import { rootMessageOf } from "./rootMessageOf.ts"

/** The advisory lock that migrations hold: any number that no other program on the same database is likely to lock. */
export const migrationsLock = 7_316_202_611

const table = "migrations"

/** All migrations, by their numbers and names. What was released stays as it is. */
export const migrations: Readonly<Record<string, Effect.Effect<void, unknown, SqlClient.SqlClient>>> = {
  "0001_baseline": baseline
}

/** A migration that cannot be run on this database. The message is one line. */
export class MigrationFailed extends Data.TaggedError("MigrationFailed")<{
  readonly message: string
  readonly cause: unknown
}> {}

const failed = (error: Migrator.MigrationError) =>
  new MigrationFailed({
    message: `${error.message.split("\n", 1)[0]}: ${rootMessageOf(error.cause)}. The database is as it was: go on with the release that it was used with, and report this line.`,
    cause: error
  })

/** The migrations that were run on a database, in order. */
const readApplied = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [found] = yield* sql<{ readonly exists: boolean }>`
    select to_regclass(${table}) is not null as exists`
  return found?.exists === true
    ? yield* sql<{ readonly id: number; readonly name: string }>`
        select migration_id as id, name from ${sql(table)} order by migration_id`
    : []
})

/** The migrations that were run on a database, compared with those that a release knows. */
export interface MigrationState {
  readonly applied: ReadonlyArray<string>
  /** The migrations that the database still needs. */
  readonly pending: ReadonlyArray<string>
  /** The migrations that a newer release has run on the database. */
  readonly unknown: ReadonlyArray<string>
  /** A migration that was run with the number of another one of this release, and so has left another schema. */
  readonly foreign: string | undefined
}

const stateBy = Effect.fnUntraced(function* (all: typeof migrations) {
  const known = yield* Migrator.fromRecord(all)
  const rows = yield* readApplied
  const names = new Map(known.map(([id, name]) => [id, name]))
  const foreign = rows.find(({ id, name }) => names.has(id) && names.get(id) !== name)
  const newest = { known: Math.max(...known.map(([id]) => id)), applied: rows.at(-1)?.id ?? 0 }
  const isOurs = foreign === undefined
  return {
    applied: rows.map(({ name }) => name),
    pending: isOurs ? known.filter(([id]) => id > newest.applied).map(([, name]) => name) : [],
    unknown: isOurs ? rows.filter(({ id }) => id > newest.known).map(({ name }) => name) : [],
    foreign: isOurs ? undefined : `${foreign.id}_${foreign.name}`
  } satisfies MigrationState
})

/** What is wrong with a database that has another history of migrations. */
export const foreignText = (migration: string) =>
  `The database was made by an unreleased version (it has migration ${migration})`

/** Fails where other migrations of the same numbers were run, which leave another schema. */
const checkSameHistory = ({ foreign }: MigrationState) =>
  foreign === undefined
    ? Effect.void
    : Effect.fail(
        new MigrationFailed({
          message: `${foreignText(foreign)}. Give the service an empty one.`,
          cause: foreign
        })
      )

/**
 * Brings the database to the schema after these migrations, or fails and leaves it as it was. A database that a newer
 * release has brought further is not changed. Answers the state that it was in before.
 */
export const migrateBy = Effect.fnUntraced(function* (all: typeof migrations) {
  const sql = yield* SqlClient.SqlClient
  return yield* sql.withTransaction(
    Effect.gen(function* () {
      // Changing a large table takes longer than any request may, and so does waiting for the instance that changes it.
      yield* sql`set local statement_timeout = 0`
      yield* sql`set local lock_timeout = 0`
      yield* sql`select pg_advisory_xact_lock(${migrationsLock})`
      const state = yield* stateBy(all)
      yield* checkSameHistory(state)
      // A table whose deferred triggers have not run yet cannot be altered.
      yield* sql`set constraints all immediate`
      yield* Migrator.make({})({ table, loader: Migrator.fromRecord(all) }).pipe(
        Effect.catchTag("MigrationError", (error) => Effect.fail(failed(error)))
      )
      return state
    })
  )
})

/** Brings the database to the newest schema, or fails and leaves it as it was. */
export const migrate = migrateBy(migrations)

/** Which migrations a database has, and which not. Changes nothing. */
export const migrationState = stateBy(migrations)
