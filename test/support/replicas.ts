/** PostgreSQL servers that replicate one another, as they do on several machines. */
import { spawnSync } from "node:child_process"
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync
} from "node:fs"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { PgClient } from "@effect/sql-pg"
import { Effect, Exit, Redacted, References, Scope } from "effect"
import { type Connection, start } from "../../src/layers/postgres/EmbeddedPostgres.ts"
import { directory } from "./postgres.ts"

type Row = Readonly<Record<string, unknown>>

const settings = {
  fsync: "off",
  shared_buffers: "32MB",
  max_wal_size: "128MB",
  wal_keep_size: "512MB",
  // As long as a standby is not asked for its feedback, what it reads may be gone.
  hot_standby_feedback: "on",
  wal_receiver_status_interval: "1s",
  wal_retrieve_retry_interval: "200ms"
}

/** A server, whether it runs or not. */
export interface Machine {
  readonly name: string
  readonly start: () => Promise<void>
  /** Its address, which is the same wherever it is promoted. */
  readonly url: () => string
  readonly rows: (statement: string) => Promise<ReadonlyArray<Row>>
  /** The ids of its processes. */
  readonly processes: () => ReadonlyArray<number>
  /** Ends it at once, with all of its connections. */
  readonly lose: () => Promise<void>
  /** Stops all of its processes where they are: connections stay open, and nothing is answered. */
  readonly freeze: () => void
  readonly thaw: () => void
  readonly stop: () => Promise<void>
}

interface Place {
  readonly root: string
  readonly name: string
}

const clusterOf = ({ name, root }: Place) => join(root, name, "postgres")

/** The processes of a server: PostgreSQL's work in the directory of its data. */
const processesOf = (place: Place): ReadonlyArray<number> => {
  const cluster = clusterOf(place)
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        return realpathSync(`/proc/${pid}/cwd`) === cluster
      } catch {
        return false
      }
    })
}

const addressOf = ({ password, username }: Connection, places: ReadonlyArray<Place>) => {
  const url = new URL("postgres:///forum")
  const parameters = {
    user: username,
    password: Redacted.value(password),
    host: places.map(clusterOf).join(),
    port: "5432"
  }
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  return url.href
}

const makeMachine = (place: Place): Machine & { readonly connection: () => Connection } => {
  let scope = Scope.makeUnsafe()
  let connection: Connection | undefined

  const known = () => {
    if (connection === undefined) throw new Error(`${place.name} has not started`)
    return connection
  }
  const processes = () => processesOf(place)
  const signal = (what: "SIGSTOP" | "SIGCONT") => {
    for (const pid of processes()) process.kill(pid, what)
  }
  const stop = async () => {
    const ended = scope
    scope = Scope.makeUnsafe()
    await Effect.runPromise(Scope.close(ended, Exit.void))
  }
  return {
    name: place.name,
    connection: known,
    url: () => addressOf(known(), [place]),
    start: async () => {
      connection = await Effect.runPromise(
        start({ dataDir: join(place.root, place.name), settings }).pipe(
          Scope.provide(scope),
          // That it ended is no news here.
          Effect.provideService(References.MinimumLogLevel, "None")
        )
      )
    },
    rows: (statement) => {
      const asked = PgClient.PgClient.use((sql) => sql.unsafe<Row>(statement))
      const client = PgClient.layer({ ...known(), maxConnections: 1 })
      return Effect.runPromise(Effect.scoped(Effect.provide(asked, client)))
    },
    processes,
    lose: async () => {
      const server = Number(readFileSync(join(clusterOf(place), "postmaster.pid"), "utf8").split("\n", 1)[0])
      process.kill(server, "SIGQUIT")
      await stop()
    },
    freeze: () => signal("SIGSTOP"),
    thaw: () => signal("SIGCONT"),
    stop
  }
}

/** Copies the files of a running server, from which another one starts as its standby. */
const copyFiles = (from: Place, source: Connection, to: Place) => {
  const copied = PgClient.PgClient.use((sql) =>
    Effect.gen(function* () {
      yield* sql`select pg_backup_start('copy', true)::text`
      mkdirSync(join(to.root, to.name), { mode: 0o711 })
      // A file of a table that is dropped meanwhile is missing, which the log repairs.
      spawnSync("cp", ["-a", clusterOf(from), clusterOf(to)])
      spawnSync("cp", ["-a", join(from.root, from.name, "postgres.password"), join(to.root, to.name)])
      const [label] = yield* sql<{ readonly labelfile: string }>`select labelfile from pg_backup_stop(false)`
      return label?.labelfile ?? ""
    })
  )
  const client = PgClient.layer({ ...source, maxConnections: 1 })
  return Effect.runPromise(Effect.scoped(Effect.provide(copied, client)))
}

/** Writes a file with the owner of those beside it. */
const write = (place: Place, name: string, text: string) => {
  const file = join(clusterOf(place), name)
  writeFileSync(file, text)
  spawnSync("chown", ["--reference", clusterOf(place), file])
}

const follow = async (from: Place, source: Connection, to: Place) => {
  rmSync(join(to.root, to.name), { recursive: true, force: true })
  const label = await copyFiles(from, source, to)
  rmSync(join(clusterOf(to), "postmaster.pid"), { force: true })
  write(to, "backup_label", label)
  write(to, "standby.signal", "")
  const { host, password, port, username } = source
  const origin = `host=${host} port=${port} user=${username} password=${Redacted.value(password)} application_name=${to.name}`
  // Once it is promoted it has no standby, until the other one comes back.
  const own = `primary_conninfo = '${origin}'\nsynchronous_standby_names = ''\n`
  appendFileSync(join(clusterOf(to), "postgresql.auto.conf"), own)
}

export interface Pair {
  readonly one: Machine
  readonly other: Machine
  /** The address of both. */
  readonly url: string
  /**
   * Makes a server, which is not running, a standby of the other, and waits until it has what that one has. From then on
   * the other acknowledges what both have.
   */
  readonly rejoin: (standby: Machine) => Promise<void>
  readonly close: () => Promise<void>
}

/** Starts a primary, and a standby that confirms each commit. */
export const startPair = async (): Promise<Pair> => {
  const root = mkdtempSync(join(directory(), "forum-pair-"))
  chmodSync(root, 0o711)
  const places = { one: { root, name: "one" }, other: { root, name: "other" } }
  const one = makeMachine(places.one)
  const other = makeMachine(places.other)
  await one.start()
  appendFileSync(join(clusterOf(places.one), "pg_hba.conf"), "local replication all scram-sha-256\n")
  await one.rows("select pg_reload_conf()")

  const confirms = async (primary: Machine) => {
    for (;;) {
      const [row] = await primary.rows(
        "select count(*)::int as n from pg_stat_replication where state = 'streaming'"
      )
      if (row?.n === 1) return
      await setTimeout(20)
    }
  }
  const rejoin = async (standby: Machine) => {
    const isOne = standby.name === "one"
    const [to, from] = isOne ? [places.one, places.other] : [places.other, places.one]
    const primary = isOne ? other : one
    await follow(from, primary.connection(), to)
    await standby.start()
    await confirms(primary)
    await primary.rows("alter system set synchronous_standby_names = '*'")
    await primary.rows("select pg_reload_conf()")
  }

  await rejoin(other)

  return {
    one,
    other,
    url: addressOf(one.connection(), [places.one, places.other]),
    rejoin,
    close: async () => {
      for (const machine of [one, other]) machine.thaw()
      await Promise.all([one.stop(), other.stop()])
      rmSync(root, { recursive: true, force: true })
    }
  }
}
