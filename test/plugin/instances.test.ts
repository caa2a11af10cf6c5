/** A plugin that is connected to one of two instances, and what its connection holds. */
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { HttpClient } from "effect/http"
import { TestClock } from "effect/testing"
import { PluginKeeper } from "../../src/domain/plugin/PluginKeeper.ts"
import { bytesPerSecond, framesPerSecond } from "../../src/domain/plugin/PluginPace.ts"
import { ok } from "../support/answers.ts"
import { until } from "../support/connections.ts"
import { category } from "../support/discussion.ts"
import * as People from "../support/people.ts"
import { Cast, personByKey } from "../support/people.ts"
import { addExternal, connect, dial } from "../support/plugins.ts"
import * as TestApp from "../support/TestApp.ts"
import { inTime } from "../support/waiting.ts"

const keeping = Effect.flatMap(PluginKeeper, ({ run }) => Effect.forkScoped(run))

layer(Layer.provideMerge(TestApp.uncached, People.layer))(
  "a plugin that is connected to another instance",
  (it) => {
    it.effect("is shown as it is, told of what happens there, and ended by what is changed there", () =>
      Effect.gen(function* () {
        const { odin } = yield* Cast
        const client = yield* TestApp.UncachedClient
        const elsewhere = <A, E, R>(call: Effect.Effect<A, E, R>) =>
          Effect.provideService(call, HttpClient.HttpClient, client)
        yield* keeping
        const { connection, id } = yield* elsewhere(
          addExternal(odin, { events_consumed: ["EventCategoryUpdated"] })
        )
        const program = yield* connect(connection.token)
        yield* program.call("get_config")
        assert.strictEqual(ok(yield* elsewhere(odin.get(`/plugins/${id}`))).status.active_state, "active")
        yield* elsewhere(category(odin, "Tides"))
        assert.strictEqual((yield* program.next).method, "event")
        ok(yield* elsewhere(odin.post(`/plugins/${id}/token`)))
        const refused = yield* dial(`/rpc?token=${connection.token}`)
        assert.strictEqual((yield* Effect.promise(() => refused.refused)).status, 401)
        // This instance looks every second.
        const moment = Effect.andThen(
          TestClock.adjust("100 millis"),
          TestClock.withLive(Effect.sleep("5 millis"))
        )
        yield* Effect.repeat(moment, {
          while: () => program.socket.readyState !== program.socket.CLOSED,
          times: 1000
        })
        assert.deepStrictEqual(yield* Effect.promise(() => program.closed), { code: 1000, reason: "closed" })
      })
    )
  }
)

layer(People.layer)("a plugin that sends as fast as it can", (it) => {
  it.effect("is read at a pace, and loses nothing", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const { connection } = yield* addExternal(odin)
      const program = yield* connect(connection.token)
      yield* program.call("get_config")
      const calls = 450
      let answered = 0
      program.socket.on("message", () => {
        answered++
      })
      for (let n = 0; n < calls; n++) {
        program.socket.send(JSON.stringify({ jsonrpc: "2.0", id: `${n}`, method: "get_config" }))
      }
      const answers = (count: number) =>
        inTime(
          `there are no ${count} answers`,
          Effect.promise(() => until(() => answered === count))
        )
      // One was sent before.
      yield* answers(199)
      yield* TestClock.adjust("1 second")
      yield* answers(399)
      yield* TestClock.adjust("1 second")
      yield* answers(calls)
    })
  )

  it.effect("is read no further for as long as a long frame takes, also when it connects again", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const { connection } = yield* addExternal(odin)
      const first = yield* connect(connection.token)
      yield* first.call("get_config", { more: "x".repeat(3 * bytesPerSecond) })
      first.socket.terminate()
      yield* Effect.promise(() => first.closed)
      const program = yield* connect(connection.token)
      const asking = yield* Effect.forkChild(program.call("get_config"))
      for (let waited = 0; waited < 3; waited++) {
        yield* TestClock.withLive(Effect.sleep("100 millis"))
        assert.isUndefined(asking.pollUnsafe())
        yield* TestClock.adjust("1 second")
      }
      yield* Fiber.join(asking)
    })
  )

  it.effect("is read at a pace as well if it sends no text", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const { connection } = yield* addExternal(odin)
      const program = yield* connect(connection.token)
      for (let n = 0; n < framesPerSecond; n++) program.socket.send(Buffer.from("binary"))
      const asking = yield* Effect.forkChild(program.call("get_config"))
      yield* TestClock.withLive(Effect.sleep("200 millis"))
      assert.isUndefined(asking.pollUnsafe())
      yield* TestClock.adjust("1 second")
      yield* Fiber.join(asking)
    })
  )

  it.effect("is read no faster than it may be answered", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const { connection, id } = yield* addExternal(odin)
      const program = yield* connect(connection.token, { configure: () => ({ ok: true }) })
      yield* program.call("get_config")
      const configuration = { text: "x".repeat(60_000) }
      ok(yield* odin.patch(`/plugins/${id}/configuration`, configuration))
      const whole = Math.ceil(bytesPerSecond / 60_000)
      for (let n = 0; n < whole; n++) yield* program.call("get_config")
      const asking = yield* Effect.forkChild(program.call("get_config"))
      yield* TestClock.withLive(Effect.sleep("200 millis"))
      assert.isUndefined(asking.pollUnsafe())
      yield* TestClock.adjust("2 seconds")
      yield* Fiber.join(asking)
    })
  )

  it.effect("is closed if a frame is too long", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const { connection } = yield* addExternal(odin)
      const program = yield* connect(connection.token)
      program.socket.send("x".repeat(4 * 1024 * 1024 + 1))
      assert.strictEqual((yield* Effect.promise(() => program.closed)).code, 1009)
    })
  )
})

layer(People.layer)("the key of a bot", (it) => {
  it.effect("lets do no more than the role of the bot, from the next request on", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const access = { handle: "tide", name: "Tide", permissions: ["MANAGE_CATEGORIES"] }
      const { connection } = yield* addExternal(odin, { access })
      const program = yield* connect(connection.token)
      const bot = personByKey((yield* program.call("access_get")).result.result.access_key, "bot")
      yield* category(bot, "Tides")
      const { roles } = ok(yield* odin.get("/roles"))
      const role = roles.find(({ permissions }: { permissions: Array<string> }) =>
        permissions.includes("MANAGE_CATEGORIES")
      )
      ok(yield* odin.patch(`/roles/${role.id}`, { permissions: [] }))
      const refused = yield* bot.post("/categories", { name: "Winds", description: "", colour: "" })
      assert.strictEqual(refused.status, 403)
    })
  )
})
