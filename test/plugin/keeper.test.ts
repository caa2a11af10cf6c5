/** What the service does with the programs that it runs, which the test decides about, by the clock of the test. */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { PluginKeeper } from "../../src/domain/plugin/PluginKeeper.ts"
import { PluginLaunchFailed } from "../../src/domain/plugin/PluginProcesses.ts"
import { usualPolicy } from "../../src/domain/plugin/SupervisionRules.ts"
import { ok } from "../support/answers.ts"
import { until as untilSo } from "../support/connections.ts"
import { Cast } from "../support/people.ts"
import { addExternal, connect } from "../support/plugins.ts"
import { inTime } from "../support/waiting.ts"
import { honest } from "./archives/zip.ts"
import {
  activate,
  connectLast,
  failing,
  launching,
  pass,
  service,
  setActive,
  startedOf,
  unpacked,
  until,
  upload
} from "./fakes.ts"

const keeping = Effect.flatMap(PluginKeeper, ({ run }) => Effect.forkScoped(run))

const failed = (code: number) => ({ reason: "exit", code, text: `exit status ${code}` }) as const

const leaseOf = Effect.fnUntraced(function* (id: string) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly lease_holder: string | null }>`
    select lease_holder from plugins where id = ${id}`
  return row?.lease_holder
})

/** Another instance takes a plugin over, as if this one had stood still. */
const takeOver = (id: string) =>
  SqlClient.SqlClient.use((sql) => sql`update plugins set lease_holder = ${"x".repeat(43)} where id = ${id}`)

/** A plugin whose program is connected, and who keeps it. */
const active = Effect.fnUntraced(function* () {
  const { odin } = yield* Cast
  const keeper = yield* keeping
  const id = yield* upload(odin, honest())
  const program = yield* activate(odin, id)
  const [started] = startedOf(id)
  if (started === undefined) return yield* Effect.die("nothing was started")
  return { id, keeper, odin, program, started }
})

const statusOf = Effect.fnUntraced(function* (id: string) {
  const { odin } = yield* Cast
  return ok(yield* odin.get(`/plugins/${id}`)).status
})

/** Lets time pass until a plugin is in a state, and answers its status. */
const untilState = Effect.fnUntraced(function* (id: string, state: string) {
  const looking = Effect.andThen(pass(1), statusOf(id))
  return yield* Effect.repeat(looking, { until: ({ active_state }) => active_state === state, times: 100 })
})

/** The database does not answer what the service asks of plugins meanwhile. */
const withoutPlugins = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  SqlClient.SqlClient.use((sql) =>
    Effect.acquireUseRelease(
      sql`alter table plugins rename to away`,
      () => effect,
      () => Effect.orDie(sql`alter table away rename to plugins`)
    )
  )

layer(service)("a program that the service runs", (it) => {
  it.effect("is ended at once when another instance has its plugin", () =>
    Effect.gen(function* () {
      const { id, program, started } = yield* active()
      yield* takeOver(id)
      // What becomes of the program cannot be said any more.
      program.socket.close()
      yield* inTime(
        "the program has not ended",
        Effect.promise(() => untilSo(() => started.endedBy !== "nobody"))
      )
      assert.strictEqual(started.endedBy, "force")
      assert.lengthOf(startedOf(id), 1)
    })
  )

  it.effect("is not started again when it ends and another instance has its plugin", () =>
    Effect.gen(function* () {
      const { id, started } = yield* active()
      yield* takeOver(id)
      yield* started.exit(failed(1))
      yield* pass(2)
      assert.lengthOf(startedOf(id), 1)
      assert.strictEqual(yield* leaseOf(id), "x".repeat(43))
    })
  )

  it.effect("is given up after some tries, and its plugin is free for others at once", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      yield* keeping
      const id = yield* upload(odin, honest())
      let tries = 0
      launching.set(
        id,
        Effect.suspend(() => {
          tries++
          return failing(`try ${tries}`)
        })
      )
      const answer = yield* setActive(odin, id, "active")
      assert.deepInclude(answer.json, { status: 502, detail: "try 4" })
      assert.isNull(yield* leaseOf(id))
      // It is not tried again until somebody wants it.
      yield* pass(3)
      assert.strictEqual(tries, 4)
    })
  )

  it.effect("fails with as much as is said of it", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      yield* keeping
      const id = yield* upload(odin, honest())
      launching.set(id, Effect.fail(new PluginLaunchFailed({ message: "x".repeat(5000) })))
      const answer = yield* setActive(odin, id, "active")
      assert.deepInclude(answer.json, { status: 502, detail: "x".repeat(2000) })
      const { status } = ok(yield* odin.get(`/plugins/${id}`))
      assert.strictEqual(status.message, "x".repeat(2000))
      assert.strictEqual(status.details.error, "x".repeat(2000))
    })
  )

  it.effect("is started again where the service could not run it for a failure of its own", () =>
    Effect.gen(function* () {
      // While this one runs, the instance renews all that it has.
      const { odin } = yield* active()
      const id = yield* upload(odin, honest())
      let tries = 0
      launching.set(
        id,
        Effect.suspend(() => (++tries === 1 ? Effect.die("a failure of the service") : Effect.void))
      )
      yield* activate(odin, id)
    })
  )

  it.effect("ends when nobody wants it, after its connection, and its plugin is free at once", () =>
    Effect.gen(function* () {
      const { id, odin, program, started } = yield* active()
      assert.strictEqual(ok(yield* setActive(odin, id, "inactive")).status.active_state, "inactive")
      assert.strictEqual(started.endedBy, "asking")
      assert.deepStrictEqual(yield* Effect.promise(() => program.closed), { code: 1000, reason: "closed" })
      assert.isNull(yield* leaseOf(id))
      yield* pass(2)
      assert.lengthOf(startedOf(id), 1)
    })
  )

  it.effect(
    "is not started again if nobody wants it any more when it has ended, however long that would take",
    () =>
      Effect.gen(function* () {
        const { odin } = yield* Cast
        yield* keeping
        const id = yield* upload(odin, honest())
        launching.set(id, failing("no"))
        const asking = yield* Effect.forkChild(setActive(odin, id, "active"))
        yield* untilState(id, "restarting")
        ok(yield* setActive(odin, id, "inactive"))
        assert.isNull(yield* leaseOf(id))
        launching.delete(id)
        yield* pass(8)
        assert.lengthOf(startedOf(id), 0)
        yield* Fiber.join(asking)
      })
  )

  it.effect("leaves nothing unpacked if its plugin is deleted by somebody else", () =>
    Effect.gen(function* () {
      const { id, started } = yield* active()
      const directory = join(unpacked.directory, id)
      assert.isTrue(existsSync(directory))
      yield* SqlClient.SqlClient.use((sql) => sql`delete from plugins where id = ${id}`)
      yield* until(() => started.endedBy !== "nobody" && !existsSync(directory))
      assert.isFalse(existsSync(directory))
    })
  )

  it.effect("is connecting while it has no connection, and is ended when it does not come back", () =>
    Effect.gen(function* () {
      const { id, program, started } = yield* active()
      program.socket.close()
      yield* untilState(id, "connecting")
      assert.strictEqual(started.endedBy, "nobody")
      yield* until(() => started.endedBy !== "nobody")
      assert.strictEqual(started.endedBy, "asking")
      // It had run for long, and is started again.
      yield* until(() => startedOf(id).length === 2)
    })
  )

  it.effect("is ended when it does not connect, and its plugin says why", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      yield* keeping
      const id = yield* upload(odin, honest())
      const asking = yield* Effect.forkScoped(setActive(odin, id, "active"))
      yield* until(() => startedOf(id)[0]?.endedBy === "asking")
      const { details } = yield* untilState(id, "restarting")
      const error = "the plugin did not connect in time"
      assert.deepStrictEqual(details, { runtime_provider: "local", stage: "start", error })
      yield* Fiber.interrupt(asking)
    })
  )

  it.effect("is started again as often as it ends after it has run for some time", () =>
    Effect.gen(function* () {
      const { id } = yield* active()
      for (let ends = 1; ends <= usualPolicy.restartsMax + 2; ends++) {
        yield* pass(3)
        yield* startedOf(id)[ends - 1]?.exit(failed(ends)) ?? Effect.void
        yield* until(() => startedOf(id).length === ends + 1)
        yield* connectLast(id)
      }
      yield* untilState(id, "active")
    })
  )
})

layer(service)("an instance that runs programs", (it) => {
  it.effect("gives their plugins back when it stops", () =>
    Effect.gen(function* () {
      const { id, keeper, started } = yield* active()
      yield* Fiber.interrupt(keeper)
      assert.strictEqual(started.endedBy, "asking")
      assert.isNull(yield* leaseOf(id))
      assert.strictEqual((yield* statusOf(id)).active_state, "starting")
    })
  )

  it.effect("goes on if the database does not answer for a moment", () =>
    Effect.gen(function* () {
      const { id, started } = yield* active()
      yield* withoutPlugins(pass(3))
      yield* pass(2)
      assert.strictEqual(started.endedBy, "nobody")
      assert.strictEqual((yield* statusOf(id)).active_state, "active")
    })
  )

  it.effect("ends everything when another instance may run it, as the database does not answer", () =>
    Effect.gen(function* () {
      const { odin, started } = yield* active()
      const { connection } = yield* addExternal(odin)
      const program = yield* connect(connection.token)
      yield* program.call("get_config")
      yield* withoutPlugins(until(() => started.endedBy !== "nobody"))
      assert.strictEqual(started.endedBy, "asking")
      assert.deepStrictEqual(yield* Effect.promise(() => program.closed), { code: 1000, reason: "closed" })
    })
  )
})
