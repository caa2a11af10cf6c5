/** How often instances look after plugins, by the clock of the test. */
import { assert, layer } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { PluginKeeper } from "../../src/domain/plugin/PluginKeeper.ts"
import { PluginStore } from "../../src/domain/plugin/PluginStore.ts"
import { ok } from "../support/answers.ts"
import * as People from "../support/people.ts"
import { Cast } from "../support/people.ts"
import { addExternal, connect } from "../support/plugins.ts"
import * as TestApp from "../support/TestApp.ts"
import { inTime } from "../support/waiting.ts"
import { honest } from "./archives/zip.ts"
import { uploadPlugin } from "./support.ts"

const looks = { idle: 0, free: 0, renewed: 0 }

/** What happens once the database has answered which plugins this instance has, and before it acts on that. */
let meanwhile: Effect.Effect<void> = Effect.void

const counting = TestApp.storesBut(PluginStore, (usual) => ({
  ...usual,
  isAnyWanted: Effect.tap(usual.isAnyWanted, () => Effect.sync(() => looks.idle++)),
  takeFreeLeases: (...asked) =>
    Effect.tap(usual.takeFreeLeases(...asked), () => Effect.sync(() => looks.free++)),
  renewLeases: (...asked) =>
    Effect.tap(usual.renewLeases(...asked), () =>
      Effect.andThen(
        Effect.suspend(() => meanwhile),
        Effect.sync(() => looks.renewed++)
      )
    )
}))

const keeping = Effect.flatMap(PluginKeeper, ({ run }) => Effect.forkScoped(run))

/** Lets seconds pass, in each of which the database has time to answer. */
const pass = (seconds: number) =>
  Effect.repeat(
    Effect.gen(function* () {
      yield* TestClock.adjust("1 second")
      const sql = yield* SqlClient.SqlClient
      for (let n = 0; n < 10; n++) yield* sql`select 1`
      yield* TestClock.withLive(Effect.sleep("20 millis"))
    }),
    { times: seconds - 1 }
  )

const reset = () => Object.assign(looks, { idle: 0, free: 0, renewed: 0 })

const untilSo = (isSo: () => boolean) =>
  inTime("nobody looks", Effect.repeat(Effect.sleep("5 millis"), { until: isSo }))

layer(People.withCast(TestApp.layerWhere({}, counting)))("an instance", (it) => {
  it.effect(
    "looks seldom where there is nothing, at once when a plugin connects, and often from then on",
    () =>
      Effect.gen(function* () {
        const { odin } = yield* Cast
        yield* keeping
        yield* untilSo(() => looks.idle === 1)
        yield* pass(20)
        assert.deepStrictEqual(looks, { idle: 5, free: 0, renewed: 0 })
        const { connection } = yield* addExternal(odin)
        yield* TestClock.withLive(Effect.sleep("100 millis"))
        reset()
        const program = yield* connect(connection.token)
        yield* program.call("get_config")
        // No time passes meanwhile.
        yield* untilSo(() => looks.renewed === 1)
        yield* pass(5)
        assert.isAtLeast(looks.renewed, 4)
        program.socket.close()
        yield* Effect.promise(() => program.closed)
        yield* pass(6)
        reset()
        yield* pass(20)
        assert.deepStrictEqual(looks, { idle: 4, free: 0, renewed: 0 })
      })
  )

  it.effect("keeps a plugin that connects while it looks", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      yield* keeping
      yield* connect((yield* addExternal(odin)).connection.token)
      const { connection } = yield* addExternal(odin)
      const context = yield* Effect.context<Effect.Services<ReturnType<typeof connect>>>()
      const connected = Promise.withResolvers<Effect.Success<ReturnType<typeof connect>>>()
      meanwhile = Effect.gen(function* () {
        meanwhile = Effect.void
        const program = yield* connect(connection.token)
        yield* program.call("get_config")
        connected.resolve(program)
      }).pipe(Effect.provide(context))
      reset()
      yield* pass(2)
      const program = yield* Effect.promise(() => connected.promise)
      yield* untilSo(() => looks.renewed > 1)
      yield* pass(2)
      assert.strictEqual(program.socket.readyState, program.socket.OPEN)
      yield* program.call("get_config")
    })
  )

  it.effect("looks often where another instance runs a plugin, which it takes when that is gone", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const { id } = ok(yield* uploadPlugin(odin, honest()))
      const sql = yield* SqlClient.SqlClient
      yield* keeping
      yield* pass(5)
      const until = DateTime.toDateUtc(DateTime.add(yield* DateTime.now, { seconds: 30 }))
      yield* sql`update plugins set wanted = true, state = 'active',
        lease_holder = ${"x".repeat(43)}, lease_until = ${until} where id = ${id}`
      yield* pass(5)
      reset()
      yield* pass(10)
      // Of which it would have two if it saw nothing to wait for.
      assert.isAtLeast(looks.free, 5)
      const holder = Effect.map(
        sql<{ readonly lease_holder: string }>`select lease_holder from plugins where id = ${id}`,
        ([row]) => row?.lease_holder
      )
      assert.strictEqual(yield* holder, "x".repeat(43))
      yield* pass(25)
      assert.notStrictEqual(yield* holder, "x".repeat(43))
    })
  )
})
