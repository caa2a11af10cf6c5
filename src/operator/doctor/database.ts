/** Checks the database, and what the service has noted there. */
import { Clock, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { foreignText, type MigrationState, migrationState } from "../../persistence/shared/Migrations.ts"
import { type Finding, fail, ok, warn } from "./Finding.ts"

const oldestVersion = 150_000

interface Server {
  readonly version: number
  readonly name: string
  readonly encoding: string
  readonly extensions: ReadonlyArray<string>
}

export const serverFindings = ({ encoding, extensions, name, version }: Server): ReadonlyArray<Finding> => [
  version < oldestVersion
    ? fail("database", `PostgreSQL ${name} is too old`, "Use PostgreSQL 15 or newer.")
    : ok("database", `PostgreSQL ${name} answers`),
  encoding === "UTF8"
    ? ok("encoding", encoding)
    : fail("encoding", `The database has the encoding ${encoding}`, "Create it with the encoding UTF8."),
  extensions.includes("pg_trgm")
    ? ok("extensions", "pg_trgm is there")
    : fail(
        "extensions",
        "pg_trgm is missing, which search needs",
        "Install the contributed modules of PostgreSQL (Debian: postgresql-contrib), then start the service."
      )
]

export const schemaFinding = ({ applied, foreign, pending, unknown }: MigrationState): Finding => {
  if (foreign !== undefined) {
    return fail("migrations", foreignText(foreign), "Use the program that made it, or an empty database.")
  }
  if (unknown.length > 0) {
    return warn(
      "migrations",
      `The database is of a newer release: it has ${unknown.at(-1)}`,
      "The service works on it while instances are upgraded. Otherwise use the program of that release."
    )
  }
  if (pending.length === 0) return ok("migrations", `All ${applied.length} were run`)
  const says =
    applied.length === 0
      ? "None was run: the database is new"
      : `The database is of an older release: ${pending.length} are missing`
  return warn("migrations", says, "Start the service, or run: forum migrate")
}

const millis = { warn: 2_000, fail: 60_000 }

/** What the doctor says of the difference between the clocks, for some of which the answer may have been on its way. */
export const clockFinding = (difference: number, onItsWay: number): Finding => {
  const skew = Math.max(0, Math.abs(difference) - onItsWay)
  const says = `The clocks of the database and of this machine differ by ${(skew / 1000).toFixed(1)} seconds`
  const todo = "Set both by the network (chrony, systemd-timesyncd): sessions and limits depend on the time."
  if (skew >= millis.fail) return fail("clock", says, todo)
  return skew >= millis.warn ? warn("clock", says, todo) : ok("clock", "The same as that of the database")
}

const clock = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const asked = yield* Clock.currentTimeMillis
  const [row] = yield* sql<{ readonly now: number }>`
    select (extract(epoch from clock_timestamp()) * 1000)::float8 as now`
  const answered = yield* Clock.currentTimeMillis
  return clockFinding((row?.now ?? 0) - (asked + answered) / 2, (answered - asked) / 2)
})

interface Noted {
  readonly administrators: number
  readonly parked: number
  readonly errors: number
}

export const notedFindings = ({ administrators, errors, parked }: Noted): ReadonlyArray<Finding> => [
  administrators > 0
    ? ok("accounts", `${administrators} ${administrators === 1 ? "administrator" : "administrators"}`)
    : warn(
        "accounts",
        "No administrator can sign in",
        "Run: forum create-admin HANDLE. Without any account, the first who signs up becomes administrator."
      ),
  parked === 0
    ? ok("events", "None is parked")
    : warn(
        "events",
        `${parked} could not be handled and are parked`,
        "The audit log has the reason. After an update that repairs it, run: forum retry-parked"
      ),
  errors === 0
    ? ok("errors", "None inside the service since yesterday")
    : warn(
        "errors",
        `${errors} kinds of errors happened inside the service since yesterday`,
        "Administrators find them in the audit log (internal_error); each names its line in the log."
      )
]

const noted = SqlClient.SqlClient.use(
  (sql) => sql<Noted>`select
      (select count(*)::int from accounts where admin and suspended_at is null) as administrators,
      (select count(*)::int from parked_events) as parked,
      (select count(distinct cause)::int from internal_errors where hour > now() - interval '25 hours') as errors`
)

const server = SqlClient.SqlClient.use(
  (sql) => sql<Server>`select current_setting('server_version_num')::int as version,
      current_setting('server_version') as name, current_setting('server_encoding') as encoding,
      array(select extname::text from pg_extension) as extensions`
)

/** What the doctor finds in the database, which it only reads. */
export const databaseFindings = Effect.gen(function* () {
  const servers: ReadonlyArray<Server> = yield* server
  const state = yield* migrationState
  const ofServer = servers.flatMap(serverFindings)
  const isEmpty = state.applied.length === 0
  // They are created with the tables.
  const common = isEmpty ? ofServer.filter(({ name }) => name !== "extensions") : ofServer
  const known = [...common, schemaFinding(state), yield* clock]
  if (state.pending.length > 0 || state.unknown.length > 0 || state.foreign !== undefined) return known
  return [...known, ...(yield* noted).flatMap(notedFindings)]
})
