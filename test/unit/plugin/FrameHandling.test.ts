/** What is done with frames that come together. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { LoggedChange } from "../../../src/domain/change/ChangeFeed.ts"
import { callsMax, makeFrameHandling } from "../../../src/domain/plugin/FrameHandling.ts"
import { bytesPerSecond } from "../../../src/domain/plugin/PluginPace.ts"
import {
  batchOf,
  failureFrame,
  readFrames,
  requestFrame,
  resultFrame
} from "../../../src/domain/plugin/PluginRpc.ts"
import type { Closing, PluginSocket } from "../../../src/domain/plugin/PluginSocket.ts"
import { makeUnanswered } from "../../../src/domain/plugin/Unanswered.ts"
import { PluginId } from "../../../src/domain/shared/Id.ts"
import { Logs, layer as logsLayer } from "../../support/logs.ts"
import { loggedChange } from "./changes.ts"

/** A connection whose calls are answered as `host` says, and what came of frames on it. */
const handling = (
  host: (method: string) => Effect.Effect<string | undefined> = () => Effect.succeed("{}")
) => {
  const seen = { sent: [] as string[], asked: [] as string[], bytes: 0, frames: 0 }
  const closed: Array<Closing> = []
  const socket: PluginSocket = {
    userAgent: "test",
    readsBatches: true,
    send: (text) => seen.sent.push(text),
    sendTogether: () => {},
    receive: Effect.never,
    close: (closing) => Effect.sync(() => closed.push(closing)),
    closed: Effect.never,
    isOpen: () => true
  }
  const pace = {
    pass: Effect.void,
    count: (bytes: number, frames = 0) => {
      seen.bytes += bytes
      seen.frames += frames
    }
  }
  const { answered, answerTo, toldOf } = makeUnanswered()
  const handle = makeFrameHandling({
    id: PluginId.make("00000000000000000100"),
    socket,
    pace,
    answered,
    host: ({ method }) => {
      seen.asked.push(method)
      return host(method)
    }
  })
  const take = (text: string) => handle(readFrames(text))
  return { seen, closed, take, toldOf, answerTo }
}

const ok = (id: string) => resultFrame(id, "event", { ok: true })
const calls = (count: number) =>
  Array.from({ length: count }, (_, n) => requestFrame(`${n}`, `call ${n}`, {}))

describe("frames that come together", () => {
  it.effect("count one by one", () =>
    Effect.gen(function* () {
      const { seen, take } = handling()
      yield* take(ok("a"))
      assert.strictEqual(seen.frames, 0)
      yield* take(batchOf([ok("a"), ok("b"), ok("c")]))
      assert.strictEqual(seen.frames, 2)
      yield* take(batchOf([ok("a"), "7", "7", "7"]))
      assert.strictEqual(seen.frames, 5)
    })
  )

  it.effect("are answered together, in their order and without those to which nobody waits", () =>
    Effect.gen(function* () {
      const { seen, take } = handling((method) =>
        method === "call 1" ? Effect.succeed(undefined) : Effect.succeed(`"${method}"`)
      )
      yield* take(batchOf([...calls(3), ok("unknown")]))
      assert.deepStrictEqual(seen.sent, ['["call 0","call 2"]'])
      assert.strictEqual(seen.bytes, '["call 0","call 2"]'.length)
      yield* take(batchOf(calls(1)))
      assert.strictEqual(seen.sent[1], '["call 0"]')
      yield* take(requestFrame("0", "call 0", {}))
      assert.strictEqual(seen.sent[2], '"call 0"')
      yield* take(batchOf(calls(2).slice(1)))
      assert.lengthOf(seen.sent, 3)
    })
  )

  it.effect("close the connection where one of them is none, and nothing is done for the others", () =>
    Effect.gen(function* () {
      const { closed, seen, take } = handling()
      yield* take(batchOf([...calls(1), "[]"]))
      assert.deepStrictEqual(
        closed.map(({ code }) => code),
        [1007]
      )
      assert.deepStrictEqual(seen.asked, [])
      assert.deepStrictEqual(seen.sent, [])
    })
  )

  it.effect("are refused where they are more calls than may come together", () =>
    Effect.gen(function* () {
      const { seen, take } = handling()
      const refused = requestFrame("i".repeat(300), "call", {})
      yield* take(batchOf([...calls(callsMax), ...Array(10).fill(ok("a"))]))
      assert.lengthOf(seen.asked, callsMax)
      for (const one of [...calls(1), refused]) yield* take(batchOf([...calls(callsMax), one]))
      assert.lengthOf(seen.asked, callsMax)
      const refusal = failureFrame(null, { code: -32600, message: `A batch has ${callsMax} calls at most` })
      assert.deepStrictEqual(seen.sent.slice(1), [refusal, refusal])
    })
  )

  it.effect("fail from where their answers are too long together", () =>
    Effect.gen(function* () {
      const { seen, take } = handling((method) =>
        Effect.succeed(`"${method}${"x".repeat(bytesPerSecond / 2)}"`)
      )
      const silent = JSON.stringify({ jsonrpc: "2.0", method: "silent" })
      yield* take(batchOf([...calls(4), silent]))
      assert.deepStrictEqual(seen.asked, ["call 0", "call 1"])
      const answers = JSON.parse(seen.sent[0] ?? "")
      assert.lengthOf(answers, 4)
      assert.deepInclude(answers[3], {
        id: "3",
        error: { code: -32000, message: "The answers to this batch are too long together" }
      })
    })
  )

  it.effect("go on after a call that fails in the service", () =>
    Effect.gen(function* () {
      const { seen, take } = handling((method) =>
        method === "call 0" ? Effect.die(new Error("broken")) : Effect.succeed('"done"')
      )
      yield* take(batchOf(calls(2)))
      const [failed, done] = JSON.parse(seen.sent[0] ?? "")
      assert.deepInclude(failed, {
        id: "0",
        error: { code: -32000, message: "The call failed in the service" }
      })
      assert.strictEqual(done, "done")
      assert.deepInclude(
        (yield* Logs).map(({ annotations }) => annotations),
        { plugin_id: "00000000000000000100", method: "call 0" }
      )
    }).pipe(Effect.provide(logsLayer))
  )

  it.effect("tell which events failed, of each once, whatever else is answered", () =>
    Effect.gen(function* () {
      const { answerTo, seen, take, toldOf } = handling()
      const [one, two, three]: ReadonlyArray<LoggedChange> = [1, 2, 3].map(loggedChange)
      if (one === undefined || two === undefined || three === undefined) return assert.fail()
      toldOf([one, two, three])
      const waiting = yield* Effect.forkChild(
        answerTo("configure", () => {}),
        { startImmediately: true }
      )
      const failure = failureFrame(two.id, { code: 7, message: "broken" })
      const refusal = resultFrame(three.id, "event", { ok: false })
      const unknown = failureFrame("unknown", { code: 8, message: "who asks" })
      yield* take(
        batchOf([unknown, ok(one.id), failure, failure, resultFrame("configure", "configure", { ok: true })])
      )
      yield* take(batchOf([refusal, failureFrame(one.id, { code: 9, message: "again" })]))
      assert.deepInclude(waiting.pollUnsafe(), { _tag: "Success" })
      assert.deepStrictEqual(seen.sent, [])
      const failed = (yield* Logs).flatMap(({ text }) =>
        text.includes("could not handle an event") ? text : []
      )
      assert.lengthOf(failed, 2)
      assert.include(failed[0], "broken")
      assert.include(failed[1], "It is not ok")
    }).pipe(Effect.provide(logsLayer))
  )
})
