/** What plugins that are connected are told, and when their connections end. */
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { EventLog } from "../../src/domain/event/EventLog.ts"
import { PluginKeeper } from "../../src/domain/plugin/PluginKeeper.ts"
import {
  PluginConfigurationInvalid,
  PluginConfigurationRefused,
  PluginNotConnected,
  PluginNotSettled
} from "../../src/domain/plugin/RunRefusal.ts"
import { type Answer, ok } from "../support/answers.ts"
import { category, open } from "../support/discussion.ts"
import * as People from "../support/people.ts"
import { Cast } from "../support/people.ts"
import { addExternal, connect, dial, type Program } from "../support/plugins.ts"
import { assertProblem } from "../support/problems.ts"
import { honest } from "./archives/zip.ts"
import { least } from "./manifest.ts"
import { updatePackage, uploadPlugin } from "./support.ts"

const keeping = Effect.flatMap(PluginKeeper, ({ run }) => Effect.forkScoped(run))

const closedBy = ({ closed }: Program) => Effect.promise(() => closed)

const fields = [
  { id: "greeting", label: "Greeting", description: "", type: "string" },
  { id: "count", label: "Count", description: "", type: "number" }
]

layer(People.layer)("a supervised plugin that nobody runs", (it) => {
  it.effect("is waited for, but not for ever", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const { id } = ok(yield* uploadPlugin(odin, honest()))
      const notSettled = Effect.fnUntraced(function* <E, R>(request: Effect.Effect<Answer, E, R>) {
        const asking = yield* Effect.forkChild(request)
        const moment = Effect.andThen(
          TestClock.adjust("1 second"),
          TestClock.withLive(Effect.sleep("5 millis"))
        )
        yield* Effect.repeat(moment, { until: () => asking.pollUnsafe() !== undefined, times: 2000 })
        assertProblem(yield* Fiber.join(asking), PluginNotSettled, { wanted: "active", state: "inactive" })
      })
      yield* notSettled(odin.patch(`/plugins/${id}/active`, { active: "active" }))
      assert.strictEqual(ok(yield* odin.get(`/plugins/${id}`)).status.active_state, "starting")
      yield* notSettled(updatePackage(odin, id, honest({ version: "2" })))
      assert.strictEqual(ok(yield* odin.get(`/plugins/${id}`)).version, "2")
      const stopped = ok(yield* odin.patch(`/plugins/${id}/active`, { active: "inactive" }))
      assert.strictEqual(stopped.status.active_state, "inactive")
    })
  )
})

layer(People.layer)("a plugin that is connected", (it) => {
  it.effect("is told of the events that its manifest names, with exactly what belongs to each", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const events_consumed = ["EventThreadPublished", "EventPostLiked"]
      const { connection } = yield* addExternal(odin, { events_consumed })
      const program = yield* connect(connection.token)
      yield* program.call("get_config")
      const { id } = yield* open(freya, "Tides")
      yield* odin.put(`/likes/posts/${id}`)
      const published = yield* program.next
      assert.strictEqual(published.method, "event")
      assert.match(published.id, /^[0-9a-v]{19}[0g]$/)
      assert.deepStrictEqual(published.params, { event: "EventThreadPublished", id })
      assert.deepStrictEqual((yield* program.next).params, {
        event: "EventPostLiked",
        post_id: id,
        root_post_id: id
      })
    })
  )

  it.effect("is closed so that it comes again where more happens at once than waits for it", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const { connection } = yield* addExternal(odin, { events_consumed: ["EventSettingsUpdated"] })
      const program = yield* connect(connection.token)
      yield* program.call("get_config")
      const { append } = yield* EventLog
      for (let n = 0; n < 4; n++)
        yield* append(undefined, { _tag: "SettingsUpdated", settings: { text: "x".repeat(600 * 1024) } })
      const moment = Effect.andThen(
        TestClock.adjust("10 millis"),
        TestClock.withLive(Effect.sleep("5 millis"))
      )
      yield* Effect.repeat(moment, {
        while: () => program.socket.readyState !== program.socket.CLOSED,
        times: 2000
      })
      assert.deepStrictEqual(yield* closedBy(program), { code: 1013, reason: "too slow" })
    })
  )

  it.effect("takes its whole configuration before it is stored, or nothing is", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const { connection, id } = yield* addExternal(odin, { configuration_schema: { fields } })
      const path = `/plugins/${id}/configuration`
      assertProblem(yield* odin.patch(path, { greeting: "Hi" }), PluginNotConnected, {
        plugin_instance_id: id
      })
      const decisions: Array<object> = [{ ok: false }, { ok: true }]
      const program = yield* connect(connection.token, { configure: () => decisions.shift() })
      yield* program.call("get_config")
      assertProblem(yield* odin.patch(path, { greeting: 7, count: null }), PluginConfigurationInvalid, {
        fields: [
          { id: "greeting", expected: "string" },
          { id: "count", expected: "number" }
        ]
      })
      assert.lengthOf(program.asked, 0)
      assertProblem(yield* odin.patch(path, { greeting: "Hi" }), PluginConfigurationRefused, {
        reason: "refused"
      })
      assert.deepStrictEqual(ok(yield* odin.get(path)), {})
      const whole = { greeting: "Hi", more: { any: [1, null] } }
      assert.deepStrictEqual(ok(yield* odin.patch(path, whole)), whole)
      assert.deepStrictEqual(ok(yield* odin.get(path)), whole)
      assert.deepStrictEqual(
        program.asked.map(({ method, params }) => ({ method, params })),
        [
          { method: "configure", params: { greeting: "Hi" } },
          { method: "configure", params: whole }
        ]
      )
      const some = yield* program.call("get_config", { keys: ["greeting", "unknown"] })
      assert.deepStrictEqual(some.result, { method: "get_config", config: { greeting: "Hi" } })
      const all = yield* program.call("get_config", { keys: [] })
      assert.deepStrictEqual(all.result.config, whole)
    })
  )

  it.effect("has thirty seconds to take a configuration, and may ask the service meanwhile", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const { connection, id } = yield* addExternal(odin)
      const program = yield* connect(connection.token)
      yield* program.call("get_config")
      const asking = yield* Effect.forkChild(odin.patch(`/plugins/${id}/configuration`, { x: 1 }))
      assert.strictEqual((yield* program.next).method, "configure")
      assert.deepInclude((yield* program.call("get_config")).result, { config: {} })
      yield* TestClock.adjust("30 seconds")
      assertProblem(yield* Fiber.join(asking), PluginConfigurationRefused, { reason: "late" })
      assert.deepStrictEqual(ok(yield* odin.get(`/plugins/${id}/configuration`)), {})
    })
  )

  it.effect("has to connect again with another token or manifest, which ends its connection", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      yield* keeping
      const { connection, id } = yield* addExternal(odin)
      const first = yield* connect(connection.token)
      yield* first.call("get_config")
      const { token } = ok(yield* odin.post(`/plugins/${id}/token`))
      assert.deepStrictEqual(yield* closedBy(first), { code: 1000, reason: "closed" })
      const refused = yield* dial(`/rpc?token=${connection.token}`)
      assert.strictEqual((yield* Effect.promise(() => refused.refused)).status, 401)
      const second = yield* connect(token)
      yield* second.call("get_config")
      ok(
        yield* odin.patch(`/plugins/${id}/manifest`, {
          ...least,
          events_consumed: ["EventCategoryUpdated"]
        })
      )
      assert.deepStrictEqual(yield* closedBy(second), { code: 1000, reason: "closed" })
      const third = yield* connect(token)
      yield* third.call("get_config")
      yield* category(odin, "Tides")
      assert.strictEqual((yield* third.next).method, "event")
      assert.strictEqual((yield* odin.delete(`/plugins/${id}`)).status, 204)
      assert.deepStrictEqual(yield* closedBy(third), { code: 1000, reason: "closed" })
    })
  )
})
