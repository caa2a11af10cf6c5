/** Asks the servers of a database which of them takes writes. */
import { PgConnection } from "@effect/sql-pg"
import { Duration, Effect } from "effect"
import type { SqlError } from "effect/sql"
import { rootMessageOf } from "../shared/rootMessageOf.ts"
import { type DatabaseHost, hostText } from "./DatabaseAddress.ts"
import { socketTo } from "./ServerSockets.ts"

/** How long a server has to let somebody in, and to answer. */
export const answerWithin = Duration.seconds(2)

/** What a server says of itself. */
export type ServerState =
  | {
      readonly kind: "primary"
      /** Rises with each promotion: of two servers that take writes, the one with the lower is of the past. */
      readonly timeline: number
    }
  | { readonly kind: "standby" }
  /** It takes no writes although it is no standby, by its settings. */
  | { readonly kind: "read-only" }

/** A server that did not answer. */
export interface Silent {
  readonly kind: "silent"
  readonly why: string
}

export interface Asked {
  readonly host: DatabaseHost
  readonly state: ServerState | Silent
}

/** How to connect, but for the host. */
export type Login = Omit<PgConnection.Config, "host" | "port" | "path" | "stream">

const question = `select pg_is_in_recovery() as standby,
  current_setting('transaction_read_only') = 'on' as read_only,
  case when pg_is_in_recovery() then '0' else left(pg_walfile_name(pg_current_wal_lsn()), 8) end as timeline`

/** Asks a server on a connection to it. */
export const stateOn = (
  connection: PgConnection.PgConnection
): Effect.Effect<ServerState, SqlError.SqlError> =>
  Effect.map(connection.query(question, [], false), ({ rows: [row] }): ServerState => {
    if (row?.standby === true) return { kind: "standby" }
    if (row?.read_only === true) return { kind: "read-only" }
    return { kind: "primary", timeline: Number.parseInt(String(row?.timeline), 16) }
  })

/** A connection to one server, which ends with the scope, or as soon as the server is silent for too long. */
export const connectTo = (login: Login, at: DatabaseHost) =>
  PgConnection.make({
    ...login,
    ...at,
    connectTimeout: answerWithin,
    // The driver asks a server to cancel what it gives up, and waits for that.
    stream: () => {
      const socket = socketTo(at)
      const lost = new Error(`no answer within ${Duration.format(answerWithin)}`)
      return socket.setTimeout(Duration.toMillis(answerWithin), () => socket.destroy(lost))
    }
  })

const askOne = (login: Login, host: DatabaseHost): Effect.Effect<Asked> =>
  Effect.flatMap(connectTo(login, host), stateOn).pipe(
    Effect.scoped,
    Effect.match({
      onFailure: (error): Asked => ({ host, state: { kind: "silent", why: rootMessageOf(error) } }),
      onSuccess: (state): Asked => ({ host, state })
    })
  )

/** Asks all servers at once. */
export const askAll = (
  login: Login,
  hosts: ReadonlyArray<DatabaseHost>
): Effect.Effect<ReadonlyArray<Asked>> =>
  Effect.forEach(hosts, (host) => askOne(login, host), { concurrency: "unbounded" })

/** The server that takes writes; of several the one that was promoted last, and the first of those. */
export const primaryOf = (asked: ReadonlyArray<Asked>): DatabaseHost | undefined => {
  let found: { readonly host: DatabaseHost; readonly timeline: number } | undefined
  for (const { host, state } of asked) {
    if (state.kind === "primary" && state.timeline > (found?.timeline ?? 0)) {
      found = { host, timeline: state.timeline }
    }
  }
  return found?.host
}

/** What each server said, in one line. */
export const describeAsked = (asked: ReadonlyArray<Asked>): string =>
  asked
    .map(({ host, state }) => `${hostText(host)}: ${state.kind === "silent" ? state.why : state.kind}`)
    .join("; ")
