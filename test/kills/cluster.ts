/** A PostgreSQL that is ended at any moment and in every way, and started again on what it has left. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { PgClient } from "@effect/sql-pg"
import { Effect, Exit, Redacted, References, Scope } from "effect"
import { type Connection, start } from "../../src/layers/postgres/EmbeddedPostgres.ts"
import type { Chance } from "./chance.ts"
import type { Storage } from "./run.ts"

export interface Cluster extends Storage {
  /** Kills the server itself, whose connections end a moment later, and starts it again. */
  readonly killServer: () => Promise<void>
  /** Ends the server and its connections at once, as `pg_ctl stop -m immediate` does, and starts it again. */
  readonly stopAtOnce: () => Promise<void>
  /** Kills what serves one connection, for which the server ends all of them and recovers. */
  readonly killConnection: (chance: Chance) => void
}

const urlOf = ({ database, host, password, port, username }: Connection) => {
  const url = new URL(`postgres:///${database}`)
  const secret = Redacted.value(password)
  for (const [key, value] of Object.entries({ host, port: String(port), user: username, password: secret })) {
    url.searchParams.set(key, value)
  }
  return url.href
}

/** The processes that serve connections of services: Linux tells them from those that the server has for itself. */
const servingOf = (server: number): ReadonlyArray<number> => {
  const children = readFileSync(`/proc/${server}/task/${server}/children`, "utf8").trim().split(" ")
  return children.map(Number).filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, "utf8").startsWith("postgres: forum forum ")
    } catch {
      // It has ended meanwhile.
      return false
    }
  })
}

export const startCluster = async (directory: string): Promise<Cluster> => {
  let scope = Scope.makeUnsafe()
  const run = () =>
    Effect.runPromise(
      start({ dataDir: directory }).pipe(
        Scope.provide(scope),
        // That it ended is no news here.
        Effect.provideService(References.MinimumLogLevel, "None")
      )
    )
  const connection = await run()

  const server = () =>
    Number(readFileSync(join(directory, "postgres", "postmaster.pid"), "utf8").split("\n", 1)[0])

  const close = () => Effect.runPromise(Scope.close(scope, Exit.void))

  const end = async (signal: "SIGKILL" | "SIGQUIT") => {
    process.kill(server(), signal)
    await close()
    scope = Scope.makeUnsafe()
    await run()
  }

  const client = PgClient.layer({ ...connection, maxConnections: 1 })
  return {
    url: urlOf(connection),
    rows: (statement) => {
      const asked = PgClient.PgClient.use((sql) => sql.unsafe<Record<string, unknown>>(statement))
      return Effect.runPromise(Effect.scoped(Effect.provide(asked, client)))
    },
    killServer: () => end("SIGKILL"),
    stopAtOnce: () => end("SIGQUIT"),
    killConnection: (chance) => {
      const pid = chance.of(servingOf(server()))
      if (pid !== undefined) process.kill(pid, "SIGKILL")
    },
    close
  }
}
