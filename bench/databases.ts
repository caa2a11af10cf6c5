/**
 * The databases of a run. A seeded forum is a template that no run changes, and
 * each service works on a copy, so that every run begins with the same forum.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { BenchFailure } from "./BenchFailure.ts"
import { fill } from "./forum.ts"
import { repliesPerThread, threads } from "./seed.ts"
import { Server } from "./server.ts"
import type { Side } from "./sides.ts"

const templateOf = ({ seedKey }: Side) => `seed_${seedKey}`

const databasesLike = Effect.fnUntraced(function* (pattern: string) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly name: string }>`
    select datname as name from pg_database where datname like ${pattern} order by datname`
  return rows.map(({ name }) => name)
})

const drop = (name: string) =>
  SqlClient.SqlClient.use((sql) => sql`drop database if exists ${sql(name)} with (force)`)

/** Both sides must have been seeded with the same forum, or the comparison says nothing. */
const checkForum = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [counted] = yield* sql<{ readonly threads: number; readonly posts: number }>`
    select (select count(*)::int from threads) as threads, (select count(*)::int from posts) as posts`
  if (counted?.threads !== threads || counted.posts < threads * (repliesPerThread + 1)) {
    return yield* new BenchFailure({ message: `Seeded another forum: ${JSON.stringify(counted)}` })
  }
})

const make = Effect.fnUntraced(function* (side: Side) {
  const sql = yield* SqlClient.SqlClient
  const server = yield* Server
  // Renamed when it is whole: one that was left half-made keeps this name.
  const unfinished = `unfinished_${side.seedKey}`
  yield* sql`create database ${sql(unfinished)}`
  yield* Effect.logInfo(`Seeding a forum for ${side.name}; later runs use it again`)
  yield* fill(side, server.urlOf(unfinished))
  yield* Effect.andThen(
    checkForum,
    SqlClient.SqlClient.use((sql) => sql`vacuum (freeze, analyze)`)
  ).pipe(server.within(unfinished))
  yield* sql`checkpoint`
  yield* sql`alter database ${sql(unfinished)} rename to ${sql(templateOf(side))}`
})

/** Makes the templates that are missing, and drops those of former schemas when it made one. */
export const prepare = Effect.fn("prepare")(function* (sides: ReadonlyArray<Side>) {
  // What runs that were stopped have left.
  const leftovers = [...(yield* databasesLike("unfinished\\_%")), ...(yield* databasesLike("run\\_%"))]
  yield* Effect.forEach(leftovers, drop, { discard: true })
  const before = new Set(yield* databasesLike("seed\\_%"))
  const wanted = new Map(sides.map((side) => [templateOf(side), side]))
  const missing = [...wanted].filter(([name]) => !before.has(name))
  if (missing.length === 0) return
  for (const [, side] of missing) yield* make(side)
  const former = [...before].filter((name) => !wanted.has(name))
  yield* Effect.forEach(former, drop, { discard: true })
})

/** A copy of a side's template, dropped at the end of the scope. */
export const copy = Effect.fn("copy")(function* (side: Side, name: string) {
  const sql = yield* SqlClient.SqlClient
  const server = yield* Server
  const database = `run_${name}`
  yield* Effect.acquireRelease(
    sql`create database ${sql(database)} template ${sql(templateOf(side))} strategy file_copy`,
    () => Effect.ignore(drop(database))
  )
  return { database, url: server.urlOf(database) }
})

/** Leaves nothing to tidy up: the garbage and the statistics of what was changed, and unwritten pages. */
export const tidy = Effect.fn("tidy")(function* (database: string) {
  const server = yield* Server
  yield* Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const changed = yield* sql<{ readonly name: string }>`select relname as name from pg_stat_user_tables
      where n_dead_tup > 0 or n_mod_since_analyze > 0`
    for (const { name } of changed) yield* sql`vacuum (analyze) ${sql(name)}`
    yield* sql`checkpoint`
  }).pipe(server.within(database))
})
