/** Those who are told of replies while replies are created, in ways that others use. */
import { once } from "node:events"
import { createServer } from "node:http"
import { Effect, Schema, type Scope } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { WebSocket } from "ws"
import { changeNames } from "../src/domain/change/Changes.ts"
import { BenchFailure } from "./BenchFailure.ts"
import { request, staffCookie } from "./forum.ts"
import { quantile } from "./load.ts"
import { Server } from "./server.ts"

/** How long after its commit those were told of a reply who are told, in milliseconds. */
export interface Told {
  readonly p50: number
  readonly p99: number
}

export interface Audience {
  /** How many are told of each reply. */
  readonly size: number
  /** When somebody was told of a reply, in milliseconds since 1970. */
  readonly arrived: ReadonlyArray<{ readonly reply: string; readonly at: number }>
}

/** Those who are told of what the service at an address does, until the scope ends. */
export type Gather = (url: string) => Effect.Effect<Audience, BenchFailure, Scope.Scope>

export const nobody: Gather = () => Effect.succeed({ size: 0, arrived: [] })

const lateAfter = "2 minutes"

/** Waits until all have been told of so many replies. */
export const awaitTold = ({ arrived, size }: Audience, replies: number) =>
  Effect.gen(function* () {
    while (arrived.length < size * replies) yield* Effect.sleep("5 millis")
  }).pipe(
    Effect.timeoutOrElse({
      duration: lateAfter,
      orElse: () =>
        Effect.fail(
          new BenchFailure({
            message: `Told ${arrived.length} times of ${replies} replies, instead of ${size} each`
          })
        )
    })
  )

/** From the commit of each reply, which the database notes, until each was told. */
export const toldFigures = Effect.fnUntraced(function* (
  database: string,
  { arrived, size }: Audience
): Effect.fn.Return<Told | undefined, SqlError.SqlError, Server> {
  if (size === 0) return undefined
  const { within } = yield* Server
  const replies = [...new Set(arrived.map(({ reply }) => reply))]
  const rows = yield* within(database)(
    SqlClient.SqlClient.use(
      (sql) => sql<{ readonly reply: string; readonly at: number }>`select event->>'reply_id' as reply,
          (extract(epoch from pg_xact_commit_timestamp(txid::xid)) * 1000)::float8 as at
        from event_log where tag = 'ThreadReplyCreated' and event->>'reply_id' = any(${replies}::text[])`
    )
  )
  const committed = new Map(rows.map(({ at, reply }) => [reply, at]))
  const waits = arrived.map(({ at, reply }) => at - (committed.get(reply) ?? Number.NaN))
  const sorted = Float64Array.from(waits).sort()
  return { p50: quantile(sorted, 0.5), p99: quantile(sorted, 0.99) }
})

/** Calls an operation as the administrator, and answers what of its answer is wanted. */
const asStaff = <Fields extends Schema.Struct.Fields>(
  url: string,
  path: string,
  body: object,
  fields: Fields
) =>
  Effect.gen(function* () {
    const answer = yield* request(url, path, {
      method: "POST",
      body: JSON.stringify(body),
      headers: { "content-type": "application/json", ...staffCookie }
    })
    const text = yield* Effect.promise(() => answer.text())
    return yield* Effect.orDie(Schema.decodeEffect(Schema.fromJsonString(Schema.Struct(fields)))(text))
  })

const remove = (url: string, path: string) =>
  Effect.ignore(request(url, path, { method: "DELETE", headers: staffCookie }))

const manifest = {
  id: "listener",
  name: "Listener",
  author: "bench",
  description: "Is told of everything",
  version: "1.0.0",
  command: "none",
  events_consumed: changeNames
}

const answerTo = ({ id, method }: { readonly id: string; readonly method: string }) => ({
  jsonrpc: "2.0",
  id,
  result: { method, ok: true }
})

const connect = Effect.fnUntraced(function* (address: string, told: (event: { reply_id: string }) => void) {
  const socket = yield* Effect.acquireRelease(
    Effect.sync(() => new WebSocket(address)),
    (socket) => Effect.sync(() => socket.terminate())
  )
  socket.on("message", (data) => {
    const received = JSON.parse(String(data))
    socket.send(JSON.stringify(Array.isArray(received) ? received.map(answerTo) : answerTo(received)))
    for (const { params } of [received].flat()) if (params.event === "EventThreadReplyCreated") told(params)
  })
  yield* Effect.tryPromise({
    try: () => once(socket, "open"),
    catch: (cause) => new BenchFailure({ message: `A plugin cannot connect: ${cause}` })
  })
})

/** External plugins that are told of everything, and answer; of several events in one frame, if they read batches. */
export const plugins =
  (size: number, readsBatches: boolean): Gather =>
  (url) =>
    Effect.gen(function* () {
      const arrived: Array<Audience["arrived"][number]> = []
      const told = ({ reply_id }: { reply_id: string }) => arrived.push({ reply: reply_id, at: Date.now() })
      const fields = { id: Schema.String, connection: Schema.Struct({ token: Schema.String }) }
      const addOne = Effect.gen(function* () {
        const adding = asStaff(url, "/plugins", { mode: "external", manifest }, fields)
        const { connection } = yield* Effect.acquireRelease(adding, ({ id }) => remove(url, `/plugins/${id}`))
        yield* connect(
          `${url.replace("http", "ws")}/rpc?token=${connection.token}&batches=${readsBatches}`,
          told
        )
      })
      yield* Effect.replicateEffect(addOne, size)
      return { size, arrived }
    })

/** Webhooks that are told of everything, by a receiver that takes it at once. */
export const webhooks =
  (size: number): Gather =>
  (url) =>
    Effect.gen(function* () {
      const arrived: Array<Audience["arrived"][number]> = []
      const receiver = createServer(async (asked, answer) => {
        const parts = await asked.toArray()
        answer.end()
        const { data, type } = JSON.parse(Buffer.concat(parts).toString())
        if (type === "EventThreadReplyCreated") arrived.push({ reply: data.reply_id, at: Date.now() })
      })
      yield* Effect.acquireRelease(
        Effect.promise(() => once(receiver.listen(0, "127.0.0.1"), "listening")),
        () => Effect.sync(() => receiver.close().closeAllConnections())
      )
      const address = receiver.address()
      const port = address !== null && typeof address === "object" ? address.port : 0
      const addOne = Effect.acquireRelease(
        asStaff(
          url,
          "/admin/webhooks",
          { url: `http://127.0.0.1:${port}`, events: ["*"] },
          { id: Schema.String }
        ),
        ({ id }) => remove(url, `/admin/webhooks/${id}`)
      )
      yield* Effect.replicateEffect(addOne, size)
      return { size, arrived }
    })
