/** Fills an empty database with what a backup has, in one transaction. */
import { pipeline } from "node:stream/promises"
import { Effect } from "effect"
import { migrateBy, migrations, migrationsLock } from "../../persistence/shared/Migrations.ts"
import { OperatorFailure } from "../OperatorFailure.ts"
import { quoted, type Session } from "../shared/Session.ts"
import { findTables } from "../shared/Snapshot.ts"
import { damaged } from "../shared/Tar.ts"
import { columnsOf, findAnything, foreignKeys, indexes } from "./Catalogue.ts"
import type { Manifest, Sequences, Table, Totals } from "./Manifest.ts"
import { migratingClient } from "./MigratingClient.ts"
import { movedTo } from "./NamedFiles.ts"

// Makes indexes of large tables in less time.
const indexMemory = "128MB"

const refuse = (message: string) => new OperatorFailure({ message })

/** Fails where this release knows nothing of what the database had. */
export const checkRelease = ({ migrations: applied, release }: Manifest) => {
  const known = Object.keys(migrations)
  const unknown = applied.find((name, at) => known[at] !== name)
  if (unknown === undefined) return
  throw refuse(
    known.length < applied.length && known.every((name, at) => applied[at] === name)
      ? `The backup is of a newer release (${release}, it has the migration ${unknown}). Use the program of that release.`
      : `The backup was made by an unreleased version (it has the migration ${unknown}).`
  )
}

/** The database as it was after the migrations of the backup, without rows, and with nothing that they would set off. */
const prepare = async (session: Session, { migrations: applied, tables }: Manifest) => {
  await session.begin()
  // Held by the migrations of a service that starts meanwhile: that one waits until the database is complete.
  await session.run(`select pg_advisory_xact_lock(${migrationsLock})`)
  const found = await findAnything(session)
  if (found !== undefined)
    throw refuse(`The database is not empty (it has ${found}). Give this command an empty one.`)
  const known = Object.fromEntries(Object.entries(migrations).filter(([name]) => applied.includes(name)))
  await Effect.runPromise(Effect.provide(migrateBy(known), migratingClient(session.client)))
  if (JSON.stringify(await findTables(session)) !== JSON.stringify(tables))
    throw refuse("The backup was made by an unreleased version: it has other tables or columns.")
  const removed = { keys: await foreignKeys(session), indexes: await indexes(session) }
  await session.run(
    // A table with triggers that wait for the end of the transaction cannot be changed.
    "set constraints all immediate",
    ...tables.map(({ name }) => `alter table ${quoted(name)} disable trigger user`),
    ...removed.keys.map(({ remove }) => remove),
    ...removed.indexes.map(({ remove }) => remove),
    `truncate ${tables.map(({ name }) => quoted(name)).join(", ")}`,
    `set local maintenance_work_mem = '${indexMemory}'`
  )
  return removed
}

/** What happens in the log from now on is after all that happened before, also what the backup has not. */
const newGeneration =
  "insert into event_generations (generation) select max(generation) + 1 from event_generations"

export const makeLoading = (session: Session, tell: (step: string) => void) => {
  const counts: Record<string, number> = {}
  let tables: Manifest["tables"] = []
  let removed: Awaited<ReturnType<typeof prepare>> | undefined

  return {
    begin: async (manifest: Manifest) => {
      tables = manifest.tables
      removed = await prepare(session, manifest)
    },

    rows: async (table: Table, bytes: AsyncIterable<Uint8Array>) => {
      // Nobody reads the rows before the transaction ends, so they need not be looked at again to tell who may.
      const target = session.copyIn(columnsOf(table), "(freeze)")
      await pipeline(bytes, target)
      counts[table.name] = (counts[table.name] ?? 0) + target.rowCount
    },

    sequences: async (sequences: Sequences) => {
      for (const { name, value } of sequences)
        await session.rows("select setval(format('public.%I', $1::text)::regclass, $2)", [
          name,
          String(value)
        ])
    },

    totals: async ({ rows }: Totals) => {
      const wrong = tables.find(({ name }) => rows[name] !== (counts[name] ?? 0))
      if (wrong !== undefined) throw damaged(`it has not all rows of ${wrong.name}`)
    },

    /** Makes the rest of the database, which checks the rows. */
    complete: async (store: string) => {
      if (removed === undefined) throw damaged("it is empty")
      await session.run(...movedTo(store), newGeneration)
      for (const { make } of removed.indexes) {
        tell("indexes")
        await session.run(make)
      }
      for (const { make } of removed.keys) {
        tell("foreign keys")
        await session.run(make)
      }
      await session.run(...tables.map(({ name }) => `alter table ${quoted(name)} enable trigger user`))
    },

    commit: () => session.run("commit"),

    /** Lets the planner know what there is. */
    analyze: async () => {
      tell("statistics")
      for (const { name } of tables) await session.run(`analyze ${quoted(name)}`)
    }
  } as const
}

export type Loading = ReturnType<typeof makeLoading>
