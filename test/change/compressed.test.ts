/** Streams of changes that are compressed, as those who take them so read them. */
import { spawn } from "node:child_process"
import { get, type IncomingMessage } from "node:http"
import { connect } from "node:net"
import { createGunzip } from "node:zlib"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { StreamPlaces } from "../../src/domain/change/StreamPlaces.ts"
import { EventLog } from "../../src/domain/event/EventLog.ts"
import { readable } from "../event/instances.ts"
import { open } from "../support/discussion.ts"
import * as People from "../support/people.ts"
import { Cast } from "../support/people.ts"
import { port } from "../support/raw.ts"
import { begun, changesIn, type Streaming, told, until } from "./streaming.ts"

/** What has come of a stream so far, which is read as it comes. */
interface Reading extends Streaming {
  /** Bytes of the body as they were sent. */
  readonly sent: () => number
  readonly failure: () => unknown
}

const reading = () => {
  const state = { text: "", sent: 0, isOver: false, failure: undefined as unknown }
  const read = (status: number, headers: Streaming["headers"]): Reading => ({
    status,
    headers,
    text: () => state.text,
    sent: () => state.sent,
    isOver: () => state.isOver,
    failure: () => state.failure
  })
  return { state, read } as const
}

/** Reads a stream by Node's decoder, which wants the right checksum at the end. */
const gunzipped = Effect.fnUntraced(function* (
  headers: Readonly<Record<string, string>> = {},
  path = "/api/changes/stream"
) {
  yield* readable
  const listening = yield* port
  const answer = yield* Effect.promise(
    () =>
      new Promise<IncomingMessage>((resolve, reject) => {
        const asked = { "accept-encoding": "gzip, deflate, br, zstd", ...headers }
        get({ port: listening, path, headers: asked, agent: false }, resolve).on("error", reject)
      })
  )
  yield* Effect.addFinalizer(() => Effect.sync(() => answer.destroy()))
  const { read, state } = reading()
  const text = answer.headers["content-encoding"] === "gzip" ? answer.pipe(createGunzip()) : answer
  answer.on("data", (part: Buffer) => {
    state.sent += part.length
  })
  text
    .setEncoding("utf8")
    .on("data", (part) => {
      state.text += part
    })
    .on("error", (error) => {
      state.failure = error
    })
    .on("end", () => {
      state.isOver = true
    })
  const stream = read(answer.statusCode ?? 0, {
    encoding: answer.headers["content-encoding"],
    vary: answer.headers.vary
  })
  yield* begun(stream)
  return stream
})

/** Lets so many changes happen in one transaction, so that they are told together. */
const changing = Effect.fnUntraced(function* (count: number) {
  const { append } = yield* EventLog
  for (let n = 0; n < count; n++) {
    yield* append(undefined, {
      _tag: "SettingsUpdated",
      settings: { number: n, text: "What everybody may read. ".repeat(1000) }
    })
  }
})

const numbersIn = (stream: Streaming): ReadonlyArray<number> =>
  changesIn(stream).flatMap(({ event }) => event.settings?.number ?? [])

layer(People.layer)("a compressed stream of changes", (it) => {
  it.effect("tells at once what happens, in a part of the bytes, to everybody who may know", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const first = yield* gunzipped(odin.headers)
      assert.deepStrictEqual(first.headers, { encoding: "gzip", vary: "Accept-Encoding, Origin" })
      yield* open(freya, "Small")
      yield* told(first, 1)
      // It has another past, and goes on with the same bytes.
      const second = yield* gunzipped(odin.headers)
      const byGuest = yield* gunzipped()
      const before = second.sent()
      yield* changing(20)
      for (const stream of [first, second]) {
        yield* until("a stream was not told", () => numbersIn(stream).length === 20)
        assert.deepStrictEqual(
          numbersIn(stream),
          Array.from({ length: 20 }, (_, n) => n)
        )
      }
      assert.isBelow(second.sent() - before, second.text().length / 50)
      const { id } = yield* open(freya, "After")
      const [last] = (yield* told(byGuest, 1)).slice(-1)
      assert.strictEqual(last?.event.id, id)
      assert.deepStrictEqual(numbersIn(byGuest), [])
    }).pipe(Effect.scoped)
  )

  it.effect("goes on where its reader was with what the log has, compressed too", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const stream = yield* gunzipped(odin.headers)
      yield* changing(8)
      yield* until("a stream was not told", () => numbersIn(stream).length === 8)
      const cursor: string = changesIn(stream).find(({ event }) => event.settings?.number === 3)?.cursor
      const again = yield* gunzipped({ ...odin.headers, "last-event-id": cursor })
      yield* until("it did not go on", () => numbersIn(again).length === 4)
      assert.deepStrictEqual(numbersIn(again), [4, 5, 6, 7])
      assert.isBelow(again.sent(), again.text().length / 20)
    }).pipe(Effect.scoped)
  )

  it.effect("says that it is there when nothing happens", () =>
    Effect.gen(function* () {
      const stream = yield* gunzipped()
      yield* until("nothing came", () => stream.text().endsWith("\n\n:\n\n"), 500)
      assert.strictEqual(stream.text(), "retry: 3000\n\n:\n\n")
    }).pipe(Effect.scoped)
  )

  it.effect("is not compressed for those who do not take it so", () =>
    Effect.gen(function* () {
      for (const accepted of ["identity", "gzip;q=0", "br"]) {
        const stream = yield* gunzipped({ "accept-encoding": accepted })
        assert.deepStrictEqual(
          stream.headers,
          { encoding: undefined, vary: "Accept-Encoding, Origin" },
          accepted
        )
      }
    }).pipe(Effect.scoped)
  )

  it.effect("is read by Node's fetch and by curl", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const url = `http://127.0.0.1:${yield* port}/api/changes/stream`
      yield* readable
      const byFetch = reading()
      const response = yield* Effect.promise((signal) => fetch(url, { headers: odin.headers, signal }))
      assert.strictEqual(response.headers.get("content-encoding"), "gzip")
      yield* Effect.forkScoped(
        Effect.promise(async () => {
          const decoder = new TextDecoder()
          for await (const part of response.body ?? []) byFetch.state.text += decoder.decode(part)
        })
      )
      const byCurl = reading()
      const names = Object.entries(odin.headers).flatMap(([name, value]) => ["-H", `${name}: ${value}`])
      const curl = yield* Effect.acquireRelease(
        Effect.sync(() => spawn("curl", ["-sSN", "--compressed", ...names, url])),
        (child) => Effect.sync(() => child.kill("SIGKILL"))
      )
      curl.stdout.setEncoding("utf8").on("data", (part) => (byCurl.state.text += part))
      const streams = [byFetch, byCurl].map(({ read }) => read(200, {}))
      for (const stream of streams) yield* begun(stream)
      const { id } = yield* open(freya, "One")
      for (const stream of streams) assert.strictEqual((yield* told(stream, 1))[0].event.id, id)
      yield* changing(10)
      for (const stream of streams) {
        yield* until("it was not told", () => numbersIn(stream).length === 10)
      }
    }).pipe(Effect.scoped)
  )

  it.effect("has no chunks for clients of HTTP/1.0", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      yield* readable
      const listening = yield* port
      const { read, state } = reading()
      const socket = yield* Effect.acquireRelease(
        Effect.sync(() => connect(listening, "127.0.0.1")),
        (connection) => Effect.sync(() => connection.destroy())
      )
      let answer = ""
      socket.setEncoding("utf8").on("data", (part) => {
        answer += part
        state.text = answer.slice(answer.indexOf("\r\n\r\n") + 4)
      })
      socket.write("GET /api/changes/stream HTTP/1.0\r\nhost: localhost\r\n\r\n")
      const stream = read(200, {})
      yield* begun(stream)
      const { id } = yield* open(freya, "Old")
      yield* told(stream, 1)
      assert.match(state.text, /^retry: 3000\n\nid: \S+\nevent: change\ndata: \{[^\n]*\}\n\n$/)
      assert.include(state.text, id)
    }).pipe(Effect.scoped)
  )

  it.effect("ends as it has to, whatever it has told, and tells nothing after that", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const { endAll } = yield* StreamPlaces
      const streams = [yield* gunzipped(odin.headers), yield* gunzipped()]
      yield* changing(3)
      yield* open(freya, "Before the end")
      yield* told(streams[0] ?? assert.fail(), 4)
      yield* told(streams[1] ?? assert.fail(), 1)
      yield* endAll
      yield* open(freya, "After the end")
      yield* TestClock.adjust("16 seconds")
      for (const stream of streams) {
        yield* until("a stream went on", stream.isOver)
        assert.isUndefined(stream.failure())
        assert.notInclude(stream.text(), ":\n\n:")
      }
      assert.lengthOf(changesIn(streams[1] ?? assert.fail()), 1)
    }).pipe(Effect.scoped)
  )
})
