/** A connection to the database of its own, through which rows are copied in both directions. */
import { Socket } from "node:net"
import { Effect, Redacted } from "effect"
import pg from "pg"
import { from, to } from "pg-copy-streams"
import { SettingInvalid } from "../../layers/process/Setting.ts"
import type { Server } from "../Environment.ts"

interface Place {
  readonly config: pg.ClientConfig
  /** Whether a server without TLS will do. */
  readonly mayBePlain: boolean
}

/** The parameters that the connections of the service understand as well. */
const placeIn = (address: string): Place => {
  const url = new URL(address)
  const { searchParams } = url
  const decoded = (text: string) => (text === "" ? undefined : decodeURIComponent(text))
  const mode = searchParams.get("sslmode")
  const port = searchParams.get("port") ?? url.port
  return {
    mayBePlain: mode === "prefer" || mode === "allow",
    config: {
      host: searchParams.get("host") ?? decoded(url.hostname.replace(/^\[(.*)\]$/, "$1")),
      port: port === "" ? undefined : Number(port),
      user: searchParams.get("user") ?? decoded(url.username),
      password: searchParams.get("password") ?? decoded(url.password),
      database: searchParams.get("dbname") ?? decoded(url.pathname.slice(1)),
      options: searchParams.get("options") ?? undefined,
      ssl: mode !== null && mode !== "disable"
    }
  }
}

const placeOf = (server: Server): Place => {
  if ("url" in server) return placeIn(Redacted.value(server.url))
  const { database, host, password, port, username } = server
  const config = { database, host, port, user: username, password: Redacted.value(password), ssl: false }
  return { config, mayBePlain: false }
}

const open = async (config: pg.ClientConfig) => {
  const socket = new Socket()
  const client = new pg.Client({ ...config, application_name: "forum-operator", stream: () => socket })
  // Whatever runs on the connection fails, too.
  client.on("error", () => {})
  try {
    await client.connect()
  } catch (error) {
    socket.destroy()
    throw error
  }
  return { client, socket }
}

const opened = async ({ config, mayBePlain }: Place) => {
  try {
    return await open(config)
  } catch (error) {
    if (!mayBePlain || !(error instanceof Error) || !error.message.includes("does not support SSL"))
      throw error
    return await open({ ...config, ssl: false })
  }
}

/** How values are written, wherever the server is; and nothing ends what takes long. */
const settings = {
  client_encoding: "UTF8",
  datestyle: "ISO, MDY",
  intervalstyle: "postgres",
  timezone: "UTC",
  bytea_output: "hex",
  extra_float_digits: "1",
  statement_timeout: "0",
  lock_timeout: "0",
  idle_in_transaction_session_timeout: "0",
  transaction_timeout: "0"
}

/** Who uses a stream learns of its failure; when nobody does any more, its connection may still be cut off. */
const unheard = () => {}

const makeSession = (client: pg.Client, cut: () => void) => {
  const rows = async <Row extends pg.QueryResultRow>(text: string, values: ReadonlyArray<unknown> = []) =>
    (await client.query<Row>(text, [...values])).rows

  /** Runs statements that answer nothing. */
  const run = async (...statements: ReadonlyArray<string>) => {
    for (const statement of statements) await client.query(statement)
  }

  return {
    client,
    /** Ends the connection, whatever runs on it. */
    cut,
    rows,
    run,
    /** Begins a transaction of this kind, in which values are written in the same way everywhere. Reads nothing yet. */
    begin: async (kind = "") => {
      const [server] = await rows<{ server_version_num: string }>("show server_version_num")
      const knows = (name: string) =>
        name !== "transaction_timeout" || Number(server?.server_version_num) >= 170_000
      await run(`begin ${kind}`)
      for (const [name, value] of Object.entries(settings).filter(([name]) => knows(name)))
        await run(`set local ${name} = '${value}'`)
    },
    /** Rows as `copy` writes them. */
    copyOut: (query: string, options = "") =>
      client.query(to(`copy ${query} to stdout ${options}`).on("error", unheard)),
    /** Takes rows as `copy` writes them. */
    copyIn: (target: string, options = "") =>
      client.query(from(`copy ${target} from stdin ${options}`).on("error", unheard))
  } as const
}

export type Session = ReturnType<typeof makeSession>

/** A connection, which is cut off when the scope closes: what it does then is undone. */
export const connect = (server: Server) =>
  Effect.acquireRelease(
    Effect.tryPromise({
      try: () => opened(placeOf(server)),
      catch: (cause) =>
        new SettingInvalid({ message: `DATABASE_URL: ${cause instanceof Error ? cause.message : cause}` })
    }),
    ({ socket }) => Effect.sync(() => socket.destroy())
  ).pipe(Effect.map(({ client, socket }) => makeSession(client, () => socket.destroy())))

export const quoted = (name: string) => `"${name}"`
