/** What commands run on: the settings of the service and its database. */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { ConfigProvider, Console, Effect, Layer, Option } from "effect"
import { Flag, GlobalFlag } from "effect/cli"
import * as EmbeddedPostgres from "../layers/postgres/EmbeddedPostgres.ts"
import { DirectoryInUse } from "../layers/postgres/EmbeddedPostgresError.ts"
import { findRunning } from "../layers/postgres/RunningServer.ts"
import { Settings } from "../layers/process/Settings.ts"
import { checkReachable, clientOptions, primaryUrl } from "../layers/wiring/Database.ts"
import * as Connections from "../persistence/shared/Connections.ts"
import { foreignText, migrate, migrationState } from "../persistence/shared/Migrations.ts"
import { OperatorFailure } from "./OperatorFailure.ts"

/** Settings in a file, as systemd reads them: those of the environment count more. */
export const EnvFile = GlobalFlag.Setting("env-file")({
  flag: Flag.File("env-file", { mustExist: true }).pipe(
    Flag.withDescription("A file with the settings of the service, such as the EnvironmentFile of systemd"),
    Flag.optional
  )
})

const loadFile = Effect.flatMap(
  EnvFile,
  Option.match({
    onNone: () => Effect.void,
    onSome: (path) =>
      Effect.try({
        try: () => process.loadEnvFile(path),
        catch: (cause) => new OperatorFailure({ message: `${path} cannot be read: ${cause}` })
      })
  })
)

export const settings = Layer.unwrap(
  Effect.map(loadFile, () =>
    Settings.layer.pipe(Layer.provide(Layer.suspend(() => ConfigProvider.layer(ConfigProvider.fromEnv()))))
  )
)

/** Whether there is a database under a data directory. */
export const hasDatabase = (dataDir: string): boolean => existsSync(join(dataDir, "postgres.password"))

/** Whether a command may make the database, or needs one that is there. */
export type Database = "made" | "found"

/** Where the database is, which is started if no service runs it. */
export const serverOf = Effect.fnUntraced(function* (database: Database) {
  const { databaseAddress, dataDir } = yield* Settings
  if (databaseAddress !== undefined) return { url: yield* primaryUrl(databaseAddress) }
  if (!hasDatabase(dataDir)) {
    if (database === "found") {
      return yield* new OperatorFailure({
        message: `There is no database in ${dataDir}. Give this command the settings of the service (DATA_DIR or DATABASE_URL), or start the service first.`
      })
    }
    yield* Console.error(`Creating the database in ${dataDir}`)
  }
  return yield* EmbeddedPostgres.start({ dataDir }).pipe(
    Effect.catchIf(
      (error) => error instanceof DirectoryInUse,
      () => findRunning(dataDir)
    )
  )
})

export type Server = Effect.Success<ReturnType<typeof serverOf>>

export const clientOf = (server: Server) =>
  Connections.layer({
    ...clientOptions,
    ...server,
    applicationName: "forum-operator",
    maxConnections: Connections.fewestConnections
  })

/** Connections to the database, which the service may be using as well. */
export const client = (database: Database) => Layer.unwrap(Effect.map(serverOf(database), clientOf))

/** Fails unless the schema is that of this release: another one belongs to a service that may be running. */
export const checkSchema = Effect.fnUntraced(function* (database: Database) {
  const { applied, foreign, pending, unknown } = yield* checkReachable(migrationState)
  if (foreign !== undefined) {
    return yield* new OperatorFailure({
      message: `${foreignText(foreign)}. Use the program that made it, or give the service an empty one.`
    })
  }
  if (unknown.length > 0) {
    return yield* new OperatorFailure({
      message: `The database is of a newer release than this program (migration ${unknown.at(-1)}). Use the program of that release.`
    })
  }
  if (pending.length === 0) return
  if (database === "made" && applied.length === 0) {
    yield* migrate
    return
  }
  return yield* new OperatorFailure({
    message: `The database is of an older release than this program (${pending.length} migrations are missing). Run \`forum migrate\`, or start the service.`
  })
})

/** The same, where the schema is that of this release. */
export const checked = (database: Database) =>
  Layer.effectDiscard(checkSchema(database)).pipe(Layer.provideMerge(client(database)))
