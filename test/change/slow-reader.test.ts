/** A reader of a stream that takes nothing of what is sent. */
import { get, type IncomingMessage } from "node:http"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { EventLog } from "../../src/domain/event/EventLog.ts"
import { ConnectionFigures } from "../../src/http/operations/ConnectionFigures.ts"
import { readable } from "../event/instances.ts"
import { ok } from "../support/answers.ts"
import * as People from "../support/people.ts"
import { Cast, type Person } from "../support/people.ts"
import { port } from "../support/raw.ts"
import { begun, changesIn, framesIn, type Streaming, streaming, told, until } from "./streaming.ts"

/** Half a megabyte in each event: the system takes some megabytes before the service sees that nobody does. */
const length = 512 * 1024

/** More than any system takes. */
const most = 120

/** Opens a stream of which nothing is taken; the second answers what had come of it, once it is over. */
const takingNothing = Effect.fnUntraced(function* ({ headers }: Person) {
  const listening = yield* port
  const response = yield* Effect.promise(
    () =>
      new Promise<IncomingMessage>((resolve, reject) => {
        get({ port: listening, path: "/api/changes/stream", headers, agent: false }, resolve).on(
          "error",
          reject
        )
      })
  )
  response.pause()
  const rest = Effect.promise(
    () =>
      new Promise<string>((resolve) => {
        let text = ""
        response.setEncoding("utf8").on("data", (part) => {
          text += part
        })
        response.on("error", () => {}).on("close", () => resolve(text))
        response.resume()
      })
  )
  return { rest } as const
})

const streamOf = (text: string): Streaming => ({
  status: 200,
  headers: {},
  text: () => text,
  isOver: () => true
})

layer(People.layer)("a reader of a stream that takes nothing", (it) => {
  it.effect("is disconnected when too much waits for it, others are told, and it goes on without a gap", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const { append } = yield* EventLog
      const figures = yield* ConnectionFigures
      const endedReaders = () => figures()?.refusals.get("slow_reader") ?? 0
      yield* readable
      const from: string = ok(yield* odin.get("/changes?after=latest")).next
      const other = yield* streaming(odin)
      yield* begun(other)
      const slow = yield* takingNothing(odin)

      let appended = 0
      while (endedReaders() === 0) {
        assert.isBelow(appended, most, "the reader was not disconnected")
        appended += 1
        yield* append(undefined, {
          _tag: "SettingsUpdated",
          settings: { number: appended, text: "x".repeat(length) }
        })
        // The other one has taken everything.
        yield* until("the other one was not told", () => other.text().length > appended * length)
      }
      assert.strictEqual(endedReaders(), 1)
      assert.isFalse(other.isOver())

      const before = framesIn(yield* slow.rest)
      const first = changesIn(streamOf(`${before.join("\n\n")}\n\n`))
      const cursor: string = first.at(-1)?.cursor ?? from
      const again = yield* streaming(odin, "/changes/stream", { "last-event-id": cursor })
      const rest = yield* told(again, appended - first.length)
      const numbers = [...first, ...rest].map(({ event }) => event.settings.number)
      assert.deepStrictEqual(
        numbers,
        Array.from({ length: appended }, (_, n) => n + 1)
      )
    }).pipe(Effect.scoped)
  )
})
