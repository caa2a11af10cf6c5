/** A database for a service in its own process, and requests of which a test decides when they end. */
import { request } from "node:http"
import { connect, createServer } from "node:net"
import { text } from "node:stream/consumers"
import { PgClient } from "@effect/sql-pg"
import { Effect, Redacted } from "effect"
import { sendTo } from "../support/raw.ts"
import { testServer } from "../support/servers.ts"

let databases = 0

/** Creates a database on the server of the test run, a copy of another one, and returns its `DATABASE_URL`. */
export const copyOf = async (template: string) => {
  const { host, password, port, username } = testServer()
  const name = `process_${process.pid}_${databases++}`
  const administrator = PgClient.layer({
    host,
    port,
    username,
    password: Redacted.make(password),
    database: "postgres",
    maxConnections: 1
  })
  const create = PgClient.PgClient.use(
    (sql) => sql`create database ${sql(name)} template ${sql(template)} strategy file_copy`
  )
  await Effect.runPromise(Effect.scoped(Effect.provide(create, administrator)))
  const url = new URL(`postgres:///${name}`)
  for (const [key, value] of Object.entries({ host, port: String(port), user: username, password })) {
    url.searchParams.set(key, value)
  }
  return url.href
}

/** Creates an empty forum in the same way. */
export const freshDatabase = () => copyOf("template_forum")

/** A request whose body is sent in part. `finish` sends the rest. */
export const beginRequest = (port: number, path: string, body: string) => {
  const sent = request({
    host: "127.0.0.1",
    port,
    path,
    method: "POST",
    agent: false,
    headers: {
      "content-type": "application/json",
      "content-length": Buffer.byteLength(body),
      expect: "100-continue"
    }
  })
  sent.flushHeaders()
  const answer = new Promise<{ readonly status: number | undefined; readonly text: string }>(
    (resolve, reject) => {
      sent.on("error", reject)
      sent.on("response", async (message) =>
        resolve({ status: message.statusCode, text: await text(message) })
      )
    }
  )
  const begun = new Promise<void>((resolve) => {
    sent.once("continue", () => sent.write(body.slice(0, 5), () => resolve()))
  })
  return { answer, begun, finish: () => sent.end(body.slice(5)) }
}

/** A connection on which only this is sent. `closed` is fulfilled when the service has closed it. */
export const openConnection = async (port: number, sent: string) => {
  const socket = connect(port, "127.0.0.1")
  socket.on("error", () => {})
  await new Promise<void>((resolve) => socket.once("connect", () => resolve()))
  if (sent !== "") await new Promise<void>((resolve) => socket.write(sent, () => resolve()))
  return { closed: new Promise<void>((resolve) => socket.once("close", () => resolve())), socket }
}

/** Waits until the service accepts no more connections. */
export const untilRefused = async (port: number): Promise<void> => {
  for (;;) {
    const answered = await sendTo(port, { path: "/healthz" }).then(
      () => true,
      () => false
    )
    if (!answered) return
  }
}

/** A port that nothing listened on a moment ago. */
export const freePort = () =>
  new Promise<number>((resolve) => {
    const probe = createServer().listen(0, "127.0.0.1", () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0))
    })
  })
