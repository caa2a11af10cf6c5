/** A service of a test over a PostgreSQL of its own, with its clock: all that a reset puts another one in the place of. */
import { rm } from "node:fs/promises"
import { join } from "node:path"
import { PgClient } from "@effect/sql-pg"
import { Clock, Effect, Exit, Layer, Scope } from "effect"
import * as Database from "../layers/wiring/Database.ts"
import * as Connections from "../persistence/shared/Connections.ts"
import { guardedDirectory, startServer } from "./Cluster.ts"
import { countAnew, keepAsItIs, restore, searchPath, setTime } from "./Resetting.ts"
import { type Given, goOn, makePlace, type Port, service, settling, tidying } from "./Service.ts"
import { makeClock } from "./Time.ts"

const realTime = Layer.succeed(Clock.Clock, Clock.Clock.defaultValue())

/** Starts a PostgreSQL and connects to it; and a way to it that the service does not have. */
const openDatabase = Effect.fnUntraced(function* (directory: string) {
  const connection = yield* startServer(directory)
  const startupParameters = { ...Database.clientOptions.startupParameters, search_path: searchPath }
  const options = { ...Database.clientOptions, ...connection, startupParameters }
  const database = yield* Layer.build(
    Layer.provide(Connections.layer({ ...options, maxConnections: 8 }), realTime)
  )
  const own = yield* Layer.build(
    Layer.provide(PgClient.layer({ ...options, database: "postgres", maxConnections: 1 }), realTime)
  )
  const allow = (isAllowed: boolean) =>
    PgClient.PgClient.use((sql) =>
      Effect.andThen(
        sql`alter database forum with allow_connections ${sql.literal(String(isAllowed))}`,
        sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = 'forum'`
      )
    ).pipe(Effect.provide(own), Effect.orDie, Effect.asVoid)
  return { database, allow }
})

/** Makes a world at a time, with a service that has just started. */
export const makeWorld = Effect.fnUntraced(function* (
  start: number,
  port: Port,
  given: Omit<Given, "clock" | "directory" | "url">
) {
  const scope = yield* Effect.scope
  const directory = yield* guardedDirectory
  const files = join(directory, "files")
  const time = makeClock(start)
  const { allow, database } = yield* openDatabase(directory)
  const { layer: behind, place } = makePlace(port)
  const layer = service({
    ...given,
    clock: time.clock,
    url: port.url,
    directory: files
  }).pipe(Layer.provide(Layer.succeedContext(database)), Layer.provide(behind))

  const inDatabase = <A, E>(effect: Effect.Effect<A, E, PgClient.PgClient>) =>
    effect.pipe(Effect.provide(database), Effect.orDie)

  const inItsTime = Effect.provideService(Clock.Clock, time.clock)

  /** Starts the service, for which everything is new. */
  const open = Effect.gen(function* () {
    const own = yield* Scope.fork(scope)
    const app = yield* Layer.buildWithScope(layer, own)
    const within = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
      effect.pipe(Effect.provide(app), Scope.provide(own), inItsTime)
    yield* within(goOn)
    return { own, settle: inItsTime(yield* within(settling)), tidy: inItsTime(yield* within(tidying)) }
  })

  /** From here on, everything is as after each start. */
  const begin = Effect.andThen(inDatabase(setTime(start)), inDatabase(countAnew))

  yield* inDatabase(setTime(start))
  let running = yield* open
  yield* inDatabase(keepAsItIs)
  yield* begin

  return {
    place,
    now: time.now,
    allow,
    settle: Effect.suspend(() => running.settle),
    tidy: Effect.suspend(() => running.tidy),
    /** Lets time pass, for the service and for the database. */
    moveTo: (millis: number) =>
      Effect.andThen(time.moveTo(millis), inDatabase(Effect.suspend(() => setTime(time.now())))),
    /** Makes it what it was when it was new. */
    renew: Effect.gen(function* () {
      yield* Scope.close(running.own, Exit.void)
      yield* inDatabase(restore)
      yield* Effect.promise(() => rm(files, { recursive: true, force: true }))
      yield* time.reset
      running = yield* open
      yield* begin
    })
  }
})

export type World = Effect.Success<ReturnType<typeof makeWorld>>
