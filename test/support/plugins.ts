/** Programs of plugins in the tests, which connect to the service. */
import { once } from "node:events"
import { Effect } from "effect"
import { HttpServer } from "effect/http"
import { TestClock } from "effect/testing"
import { WebSocket } from "ws"
import { least } from "../plugin/manifest.ts"
import { ok } from "./answers.ts"
import { until } from "./connections.ts"
import type { Person } from "./people.ts"
import { inTime } from "./waiting.ts"

const waitFor = (without: string, isSo: () => boolean) =>
  inTime(
    without,
    Effect.promise(() => until(isSo))
  )

/** Asks for an external plugin with a manifest. */
export const postExternal = (person: Person, manifest: object = least) =>
  person.post("/plugins", { mode: "external", manifest })

/** Adds an external plugin whose manifest says more than it has to. */
export const addExternal = (administrator: Person, more: object = {}) =>
  Effect.map(postExternal(administrator, { ...least, ...more }), ok)

export interface Request {
  readonly id: string
  readonly method: string
  readonly params?: unknown
}

/** A program that has asked for a connection. */
export interface Program {
  readonly socket: WebSocket
  /** What the service has asked it, and it has not looked at yet. */
  readonly asked: Array<Request>
  /** What has come as a batch, with what was asked in it. */
  readonly batches: ReadonlyArray<ReadonlyArray<Request & Answer>>
  /** Why it is not connected, by status and text; or how its connection was closed. */
  readonly refused: Promise<{ readonly status: number; readonly text: string }>
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>
  /** Asks the service something, and waits for the answer. */
  readonly call: (method: string, params?: unknown, id?: string) => Effect.Effect<Answer>
  readonly answer: (request: Request, result: object) => void
  /** The next thing that the service asks it. */
  readonly next: Effect.Effect<Request>
}

export interface Answer {
  readonly id: string
  // Tests look into answers of every shape.
  // biome-ignore lint/suspicious/noExplicitAny: answers are asserted on, not computed with
  readonly result?: any
  readonly error?: { readonly code: number; readonly message: string }
}

const portOf = Effect.map(HttpServer.HttpServer, ({ address }) =>
  address._tag === "UnixPathAddress" ? 0 : address.port
)

interface Options {
  readonly headers?: Readonly<Record<string, string>>
  /** That of another instance than the usual one. */
  readonly port?: number
  /** Whether events are answered by themselves. */
  readonly answersEvents?: boolean
  /** Decides about new configurations. */
  readonly configure?: (params: object) => object | undefined
}

let calls = 0

const programOf = (socket: WebSocket, { answersEvents = true, configure }: Options): Program => {
  const asked: Array<Request> = []
  const answers = new Map<string, Answer>()
  const send = (frame: object) => socket.send(JSON.stringify({ jsonrpc: "2.0", ...frame }))
  const answer = ({ id, method }: Request, result: object) => send({ id, result: { method, ...result } })
  const batches: Array<ReadonlyArray<Request & Answer>> = []
  const take = (frame: Request & Answer) => {
    if (frame.method === undefined) {
      answers.set(frame.id, frame)
      return
    }
    if (frame.method === "event" && answersEvents) answer(frame, { ok: true })
    const decision = frame.method === "configure" ? configure?.(Object(frame.params)) : undefined
    if (decision !== undefined) answer(frame, decision)
    asked.push(frame)
  }
  socket.on("message", (data) => {
    const received = JSON.parse(String(data))
    if (!Array.isArray(received)) return take(received)
    batches.push(received)
    received.forEach(take)
  })
  socket.on("error", () => {})
  const refused = new Promise<{ status: number; text: string }>((resolve) =>
    socket.once("unexpected-response", (_request, response) => {
      const parts: Array<Buffer> = []
      response.on("data", (part) => parts.push(part))
      response.on("end", () =>
        resolve({ status: response.statusCode ?? 0, text: Buffer.concat(parts).toString() })
      )
    })
  )
  const closed = new Promise<{ code: number; reason: string }>((resolve) =>
    socket.once("close", (code, reason) => resolve({ code, reason: String(reason) }))
  )
  return {
    socket,
    asked,
    batches,
    refused,
    closed,
    answer,
    call: Effect.fnUntraced(function* (method, params, id = `call ${calls++}`) {
      send({ id, method, ...(params === undefined ? {} : { params }) })
      yield* waitFor(`there is no answer to ${method}`, () => answers.has(id))
      const found = answers.get(id)
      answers.delete(id)
      return found ?? { id }
    }),
    next: Effect.gen(function* () {
      // What happens is told a moment later, by the clock of the test.
      const moment = Effect.andThen(
        TestClock.adjust("10 millis"),
        TestClock.withLive(Effect.sleep("5 millis"))
      )
      yield* Effect.repeat(moment, { while: () => asked.length === 0, times: 2000 })
      const [first] = asked.splice(0, 1)
      return first ?? { id: "", method: "" }
    })
  }
}

/** Asks for a connection at an address below the service. */
export const dial = Effect.fnUntraced(function* (address: string, options: Options = {}) {
  const port = options.port ?? (yield* portOf)
  const socket = new WebSocket(`ws://127.0.0.1:${port}${address}`, { headers: options.headers ?? {} })
  yield* Effect.addFinalizer(() => Effect.sync(() => socket.terminate()))
  return programOf(socket, options)
})

/** Connects at an address below the service; fails if it is refused. */
export const connectTo = Effect.fnUntraced(function* (address: string, options: Options = {}) {
  const program = yield* dial(address, options)
  const refused = program.refused.then(({ status, text }) => {
    throw new Error(`A program is not connected: ${status} ${text}`)
  })
  yield* inTime(
    "a program is not connected",
    Effect.promise(() => Promise.race([once(program.socket, "open"), refused]))
  )
  return program
})

/** Connects an external plugin. */
export const connect = (token: string, options: Options = {}) => connectTo(`/rpc?token=${token}`, options)
