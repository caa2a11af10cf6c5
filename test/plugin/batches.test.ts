/** Plugins that read batches: what they are told in one frame, what they answer and ask in one. */
import { once } from "node:events"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { framesPerSecond } from "../../src/domain/plugin/PluginPace.ts"
import { ok } from "../support/answers.ts"
import { open } from "../support/discussion.ts"
import * as People from "../support/people.ts"
import { Cast } from "../support/people.ts"
import { addExternal, connect, connectTo, type Program } from "../support/plugins.ts"

const events_consumed = ["EventThreadPublished"]

const answered = ({ socket }: Program, text: string) =>
  Effect.promise(async () => {
    const answer = once(socket, "message")
    socket.send(text)
    return JSON.parse(String((await answer)[0]))
  })

const call = (id: unknown, method = "get_config") => ({ jsonrpc: "2.0", id, method })

/** Lets a moment pass by the clock of the test, and on the wall. */
const moment = Effect.andThen(TestClock.adjust("10 millis"), TestClock.withLive(Effect.sleep("5 millis")))

layer(People.layer)("a plugin that reads batches", (it) => {
  it.effect("is told together of what happens in a pause, where others are told of each by itself", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const [some, others] = [
        yield* addExternal(odin, { events_consumed }),
        yield* addExternal(odin, { events_consumed })
      ]
      const reader = yield* connectTo(`/rpc?token=${some.connection.token}&batches=true`)
      const usual = yield* connect(others.connection.token)
      yield* reader.call("get_config")
      yield* usual.call("get_config")
      assert.strictEqual(reader.socket.extensions, "")
      assert.strictEqual(usual.socket.extensions, "permessage-deflate")
      const { id: first } = yield* open(freya, "Tides")
      yield* Effect.repeat(moment, { while: () => reader.asked.length + usual.asked.length < 2, times: 2000 })
      // No time passes meanwhile.
      const ids = [first]
      for (let n = 0; n < 3; n++) ids.push((yield* open(freya, `Tides ${n}`)).id)
      yield* Effect.repeat(moment, { while: () => reader.asked.length + usual.asked.length < 8, times: 2000 })
      const told = (program: Program) => program.asked.map(({ params }) => Object(params).id)
      assert.deepStrictEqual(told(reader), ids)
      assert.deepStrictEqual(told(usual), ids)
      assert.deepStrictEqual(
        reader.asked.map(({ id }) => id),
        usual.asked.map(({ id }) => id)
      )
      assert.isNotEmpty(reader.batches)
      assert.isEmpty(usual.batches)
    })
  )

  it.effect("asks in batches, as any plugin may, and gets the answers in one", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const { connection } = yield* addExternal(odin)
      const program = yield* connect(connection.token)
      const batch = [
        call("a"),
        call(undefined),
        call(7, "fly"),
        call("i".repeat(300)),
        { id: "x", result: {} }
      ]
      const config = { method: "get_config", config: {} }
      const answers = yield* answered(program, JSON.stringify(batch))
      assert.deepStrictEqual(answers, [
        { jsonrpc: "2.0", id: "a", result: config },
        { jsonrpc: "2.0", id: 7, error: { code: -32601, message: "There is no such method" } },
        { jsonrpc: "2.0", id: null, error: { code: -32600, message: "An id has 256 characters at most" } }
      ])
      const many = JSON.stringify(Array.from({ length: 101 }, (_, n) => call(n)))
      assert.deepInclude(yield* answered(program, many), {
        id: null,
        error: { code: -32600, message: "A batch has 100 calls at most" }
      })
      assert.deepInclude(yield* program.call("get_config"), { result: config })
    })
  )

  it.effect("is read no faster by sending batches", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const { connection } = yield* addExternal(odin)
      const program = yield* connect(connection.token)
      yield* program.call("get_config")
      const answers = Array(3 * framesPerSecond).fill({ jsonrpc: "2.0", id: "unknown", result: {} })
      program.socket.send(JSON.stringify(answers))
      program.socket.send(JSON.stringify(call("late")))
      yield* TestClock.withLive(Effect.sleep("100 millis"))
      yield* TestClock.adjust("2 seconds")
      yield* TestClock.withLive(Effect.sleep("100 millis"))
      let isAnswered = false
      program.socket.once("message", () => {
        isAnswered = true
      })
      assert.isFalse(isAnswered)
      yield* Effect.repeat(moment, { while: () => !isAnswered, times: 1000 })
      assert.isTrue(isAnswered)
    })
  )

  it.effect("is closed for a batch of nothing, or in which something is no frame", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const { connection, id } = yield* addExternal(odin)
      for (const text of ["[]", "[[]]", JSON.stringify([call("a"), 7])]) {
        const program = yield* connectTo(`/rpc?token=${connection.token}&batches=true`)
        yield* program.call("get_config")
        program.socket.send(text)
        assert.deepStrictEqual(yield* Effect.promise(() => program.closed), {
          code: 1007,
          reason: "not JSON-RPC 2.0"
        })
        const status = Effect.map(odin.get(`/plugins/${id}`), (answer) => ok(answer).status.active_state)
        yield* Effect.repeat(status, { until: (now) => now === "connecting", times: 2000 })
      }
    })
  )
})
