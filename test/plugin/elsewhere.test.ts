/** Configurations that are chosen at another instance than the one to which their plugin is connected. */
import { assert, layer } from "@effect/vitest"
import { DateTime, Duration, Effect, Fiber, Layer, Option } from "effect"
import { HttpClient } from "effect/http"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { AskedConfigurationStore } from "../../src/domain/plugin/AskedConfigurationStore.ts"
import { PluginKeeper } from "../../src/domain/plugin/PluginKeeper.ts"
import { PluginStore } from "../../src/domain/plugin/PluginStore.ts"
import { PluginConfigurationRefused, PluginNotConnected } from "../../src/domain/plugin/RunRefusal.ts"
import { AccountId, PluginId } from "../../src/domain/shared/Id.ts"
import { ok } from "../support/answers.ts"
import * as People from "../support/people.ts"
import { Cast } from "../support/people.ts"
import { addExternal, connect } from "../support/plugins.ts"
import { assertProblem } from "../support/problems.ts"
import * as TestApp from "../support/TestApp.ts"
import { inTime, second } from "../support/waiting.ts"

/** Lets time pass until something is done. */
const passing = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.raceFirst(inTime("it is not done", effect), Effect.forever(second))

interface Behaviour {
  readonly configure?: (configuration: object) => object | undefined
}

/** A plugin that is connected here, where it is looked after, and how to call the instance elsewhere. */
const connected = Effect.fnUntraced(function* (behaviour: Behaviour = { configure: () => ({ ok: true }) }) {
  const { odin } = yield* Cast
  const client = yield* TestApp.UncachedClient
  yield* Effect.forkScoped(Effect.flatMap(PluginKeeper, ({ run }) => run))
  const { connection, id } = yield* addExternal(odin)
  const program = yield* connect(connection.token, behaviour)
  yield* program.call("get_config")
  const elsewhere = <A, E, R>(call: Effect.Effect<A, E, R>) =>
    Effect.provideService(call, HttpClient.HttpClient, client)
  return {
    id: PluginId.make(id),
    odin,
    program,
    elsewhere,
    /** Chooses a configuration at the other instance. */
    choose: (configuration: object) => elsewhere(odin.patch(`/plugins/${id}/configuration`, configuration)),
    stored: Effect.map(odin.get(`/plugins/${id}/configuration`), ok)
  }
})

const left = SqlClient.SqlClient.use((sql) => sql`select id from asked_configurations`)

const refusedAs = (reason: "refused" | "late" | "gone") => ({ reason })

layer(Layer.provideMerge(TestApp.uncached, People.layer))(
  "a configuration that is chosen elsewhere",
  (it) => {
    it.effect("is stored once the plugin has taken it, by whoever chose it, and nothing else is kept", () =>
      Effect.gen(function* () {
        const { choose, odin, program, stored } = yield* connected()
        assert.deepStrictEqual(ok(yield* passing(choose({ greeting: "Hi" }))), { greeting: "Hi" })
        assert.deepInclude(program.asked.at(-1), { method: "configure", params: { greeting: "Hi" } })
        assert.deepStrictEqual(yield* stored, { greeting: "Hi" })
        assert.deepStrictEqual(yield* left, [])
        const { events } = ok(yield* odin.get("/admin/audit-events"))
        assert.strictEqual(events[0].type, "plugin_configured")
        assert.strictEqual(events[0].enacted_by.id, odin.id)
      })
    )

    it.effect("is not stored if the plugin refuses it, or does not answer in time", () =>
      Effect.gen(function* () {
        let answer: object | undefined = { ok: false }
        const { choose, stored } = yield* connected({ configure: () => answer })
        assertProblem(yield* passing(choose({ n: 1 })), PluginConfigurationRefused, refusedAs("refused"))
        answer = undefined
        assertProblem(yield* passing(choose({ n: 2 })), PluginConfigurationRefused, refusedAs("late"))
        assert.deepStrictEqual(yield* stored, {})
        assert.deepStrictEqual(yield* left, [])
      })
    )

    it.effect("is refused with the words of the plugin, whatever they are", () =>
      Effect.gen(function* () {
        const { choose, program } = yield* connected({})
        const choosing = yield* Effect.forkChild(choose({ n: 1 }))
        const { id } = yield* program.next
        // A code that is no number to JSON, and a character that no text in storage has.
        program.socket.send(`{"id":"${id}","error":{"code":1e400,"message":"a\\u0000b"}}`)
        assertProblem(yield* passing(Fiber.join(choosing)), PluginConfigurationRefused, {
          reason: "failed",
          message: "a\u{fffd}b"
        })
        assert.deepStrictEqual(yield* left, [])
      })
    )

    it.effect("is asked about after those before it, so that the last that the plugin took is stored", () =>
      Effect.gen(function* () {
        const taken: Array<object> = []
        const { choose, elsewhere, id, odin, stored } = yield* connected({
          configure: (configuration) => {
            taken.push(configuration)
            return { ok: true }
          }
        })
        const here = (n: number) => odin.patch(`/plugins/${id}/configuration`, { n })
        const answers = yield* passing(
          Effect.all(
            [1, 2, 3, 4, 5, 6].map((n) => (n % 2 === 0 ? here(n) : choose({ n }))),
            { concurrency: "unbounded" }
          )
        )
        for (const answer of answers) ok(answer)
        assert.strictEqual(taken.length, 6)
        assert.deepStrictEqual(yield* stored, taken.at(-1))
        assert.deepStrictEqual(ok(yield* elsewhere(odin.get(`/plugins/${id}/configuration`))), taken.at(-1))
        assert.deepStrictEqual(yield* left, [])
      })
    )

    it.effect("is refused if the connection is closed meanwhile, or there is none", () =>
      Effect.gen(function* () {
        const { choose, program } = yield* connected({
          configure: () => {
            program.socket.terminate()
            return undefined
          }
        })
        assertProblem(yield* passing(choose({ n: 1 })), PluginConfigurationRefused, refusedAs("gone"))
        assertProblem(yield* choose({ n: 2 }), PluginNotConnected)
      })
    )

    it.effect("is refused if the instance with the connection dies, within seconds", () =>
      Effect.gen(function* () {
        const { odin } = yield* Cast
        const { id } = yield* addExternal(odin)
        const now = yield* DateTime.now
        yield* SqlClient.SqlClient.use(
          (sql) => sql`update plugins set state = 'active', lease_holder = ${"x".repeat(43)},
          lease_until = ${DateTime.toDateUtc(DateTime.add(now, { seconds: 6 }))} where id = ${id}`
        )
        const answer = yield* passing(odin.patch(`/plugins/${id}/configuration`, { n: 1 }))
        assertProblem(answer, PluginConfigurationRefused, refusedAs("gone"))
        assert.isBelow(DateTime.distance(now, yield* DateTime.now).pipe(Duration.toSeconds), 8)
        assert.deepStrictEqual(yield* left, [])
      })
    )

    it.effect("is not stored if whoever chose it has left, whatever the plugin says", () =>
      Effect.gen(function* () {
        const { choose, program, stored } = yield* connected({ configure: () => undefined })
        const choosing = yield* Effect.forkScoped(choose({ n: 1 }))
        const asked = yield* program.next
        yield* Fiber.interrupt(choosing)
        yield* passing(Effect.repeat(left, { until: (rows) => rows.length === 0 }))
        program.answer(asked, { ok: true })
        yield* program.call("get_config")
        assert.deepStrictEqual(yield* stored, {})
      })
    )
  }
)

layer(People.layer)("what plugins are to be asked", (it) => {
  const here = "h".repeat(43)

  it.effect("is one for each plugin, taken and answered once, until its time is over", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const store = yield* AskedConfigurationStore
      const plugins = yield* PluginStore
      const pluginId = PluginId.make((yield* addExternal(odin)).id)
      const now = yield* DateTime.now
      const until = DateTime.add(now, { minutes: 1 })
      const question = { id: "first", pluginId, askedBy: AccountId.make(odin.id), configuration: { n: 1 } }
      const fifty = <A>(effect: Effect.Effect<A>) =>
        Effect.all(
          Array.from({ length: 50 }, () => effect),
          { concurrency: 50 }
        )
      const asked = yield* Effect.all(
        Array.from({ length: 50 }, (_, n) => store.ask({ ...question, id: `${n}` }, until, now)),
        { concurrency: 50 }
      )
      assert.strictEqual(asked.filter(Boolean).length, 1)
      const id = `${asked.indexOf(true)}`
      assert.deepStrictEqual(yield* store.take(here, now), [])
      yield* plugins.takeLease(pluginId, { holder: here, until }, now)
      assert.isTrue((yield* plugins.renewLeases({ holder: here, until }, now))[0]?.isAsked)
      const taken = (yield* fifty(store.take(here, now))).flat()
      assert.deepStrictEqual(taken, [{ ...question, id }])
      assert.isFalse((yield* plugins.renewLeases({ holder: here, until }, now))[0]?.isAsked)
      assert.deepStrictEqual(yield* store.find(id, now), Option.some({ answer: undefined, isHeld: true }))
      const answers = yield* fifty(store.answer(id, { _tag: "Taken" }))
      assert.strictEqual(answers.filter(Boolean).length, 1)
      assert.deepStrictEqual(
        yield* store.find(id, until),
        Option.some({ answer: { _tag: "Taken" }, isHeld: false })
      )
      assert.isTrue(yield* store.ask(question, DateTime.add(until, { minutes: 1 }), until))
      assert.deepStrictEqual(yield* store.find(id, until), Option.none())
      const { clean } = yield* PluginKeeper
      yield* clean
      assert.isTrue(Option.isSome(yield* store.find(question.id, until)))
      yield* TestClock.adjust("2 minutes")
      yield* clean
      assert.deepStrictEqual(yield* left, [])
    })
  )
})
