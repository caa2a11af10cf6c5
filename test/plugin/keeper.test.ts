/** What the service does with the programs that it runs, which the test decides about, by the clock of the test. */
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, layer } from "@effect/vitest"
import { Clock, DateTime, Duration, Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { AssetBytes } from "../../src/domain/asset/AssetBytes.ts"
import { PluginKeeper } from "../../src/domain/plugin/PluginKeeper.ts"
import { PluginLaunchFailed } from "../../src/domain/plugin/PluginProcesses.ts"
import { usualLimits } from "../../src/domain/plugin/PluginRuntime.ts"
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
  ending,
  entering,
  failing,
  finding,
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

/** Lets whoever runs a plugin see that it has to look, as if it had another archive. */
const change = (id: string) =>
  SqlClient.SqlClient.use((sql) => sql`update plugins set revision = revision + 1 where id = ${id}`)

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
  it.effect(
    "is started as its manifest says, within its limits, and is told no more than where it connects",
    () =>
      Effect.gen(function* () {
        const { odin } = yield* Cast
        yield* keeping
        const args = ["a b", "$HOME"]
        const id = yield* upload(odin, honest({ command: "./hello", args }))
        yield* activate(odin, id)
        const { environment, ...program } = startedOf(id)[0]?.program ?? assert.fail("nothing was started")
        const { servicePort, ...rest } = program
        assert.deepStrictEqual(rest, {
          id,
          directory: join(unpacked.directory, id),
          command: "./hello",
          args,
          limits: usualLimits,
          hosts: []
        })
        assert.deepStrictEqual(Object.keys(environment).sort(), ["FORUM_RPC_URL", "STORYDEN_RPC_URL"])
        for (const address of Object.values(environment))
          assert.match(
            address,
            new RegExp(`^ws://127\\.0\\.0\\.1:${servicePort}/rpc\\?plugin_id=${id}&token=`)
          )
      })
  )

  it.effect("is not started where another instance has its plugin since it was unpacked", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      yield* keeping
      const id = yield* upload(odin, honest())
      const sql = yield* SqlClient.SqlClient
      let isTaken = false
      const taking = Effect.tap(Effect.provideService(takeOver(id), SqlClient.SqlClient, sql), () =>
        Effect.sync(() => {
          isTaken = true
        })
      )
      entering.set(id, Effect.asVoid(Effect.orDie(taking)))
      yield* Effect.forkScoped(setActive(odin, id, "active"))
      yield* until(() => isTaken)
      yield* pass(2)
      assert.lengthOf(startedOf(id), 0)
    })
  )

  it.effect("is ended at once where another instance has its plugin when it was started", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      yield* keeping
      const id = yield* upload(odin, honest())
      const sql = yield* SqlClient.SqlClient
      const taking = Effect.provideService(takeOver(id), SqlClient.SqlClient, sql)
      launching.set(id, Effect.asVoid(Effect.orDie(taking)))
      yield* Effect.forkScoped(setActive(odin, id, "active"))
      yield* until(() => startedOf(id)[0]?.endedBy === "force")
      yield* pass(2)
      assert.lengthOf(startedOf(id), 1)
    })
  )

  it.effect("that cannot be started is started again a second later, then two and four", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      yield* keeping
      const id = yield* upload(odin, honest())
      const tries: Array<number> = []
      const clock = yield* Clock.Clock
      launching.set(
        id,
        Effect.suspend(() => {
          tries.push(clock.currentTimeMillisUnsafe())
          return failing("no")
        })
      )
      assert.strictEqual((yield* setActive(odin, id, "active")).status, 502)
      const pauses = tries.slice(1).map((at, n) => at - (tries[n] ?? at))
      assert.lengthOf(pauses, usualPolicy.restartsMax)
      for (const [n, pause] of pauses.entries()) assert.isAtLeast(pause, 1000 * 2 ** n)
    })
  )

  it.effect("is stopped before it is started again where its lease was over", () =>
    Effect.gen(function* () {
      const { id, started } = yield* active()
      yield* SqlClient.SqlClient.use((sql) => sql`update plugins set lease_until = 'epoch' where id = ${id}`)
      yield* until(() => startedOf(id).length === 2)
      assert.strictEqual(started.endedBy, "asking")
      yield* connectLast(id)
      yield* untilState(id, "active")
      yield* pass(10)
      assert.deepStrictEqual(
        startedOf(id).map(({ endedBy }) => endedBy),
        ["asking", "nobody"]
      )
      assert.strictEqual((yield* statusOf(id)).active_state, "active")
    })
  )

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

  it.effect("cannot be started where its files cannot be written, which is said, until they can be", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      yield* keeping
      const id = yield* upload(odin, honest())
      rmSync(unpacked.directory, { recursive: true })
      writeFileSync(unpacked.directory, "")
      const answer = yield* setActive(odin, id, "active")
      assert.deepInclude(answer.json, { status: 502, title: "The plugin could not be started" })
      assert.include(answer.json.detail, "ENOTDIR: not a directory")
      assert.deepInclude((yield* statusOf(id)).details, { stage: "start", error: answer.json.detail })
      rmSync(unpacked.directory)
      mkdirSync(unpacked.directory)
      yield* activate(odin, id)
    })
  )

  it.effect("cannot be started where its archive is lost, which is said", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      yield* keeping
      const id = yield* upload(odin, honest())
      const sql = yield* SqlClient.SqlClient
      const places = sql<{ readonly key: string }>`select package_key as key from plugins where id = ${id}`
      for (const { key } of yield* places)
        yield* AssetBytes.use(({ remove }) => remove({ store: "disk", key }))
      const detail = "The archive of the plugin is missing"
      assert.deepInclude((yield* setActive(odin, id, "active")).json, { status: 502, detail })
    })
  )

  it.effect("fails with what can be stored of it, which is not half of a character", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      yield* keeping
      const id = yield* upload(odin, honest())
      launching.set(id, failing(`\0${"x".repeat(1998)}\u{1f98a}`))
      const answer = yield* setActive(odin, id, "active")
      assert.deepInclude(answer.json, { status: 502, detail: `\u{fffd}${"x".repeat(1998)}\u{fffd}` })
    })
  )

  it.effect("is replaced once where its plugin has changed, however long that takes", () =>
    Effect.gen(function* () {
      // While this one runs, the instance renews all that it has.
      const { odin } = yield* active()
      const id = yield* upload(odin, honest())
      yield* activate(odin, id)
      ending.set(id, Effect.sleep("3 seconds"))
      finding.set(id, Effect.sleep("3 seconds"))
      yield* change(id)
      yield* until(() => startedOf(id).length === 2)
      yield* pass(5)
      assert.deepStrictEqual(
        startedOf(id).map(({ endedBy }) => endedBy),
        ["asking", "nobody"]
      )
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

  it.effect("has ended, and leaves nothing unpacked, when it is said that its plugin is deleted", () =>
    Effect.gen(function* () {
      const { id, odin, started } = yield* active()
      let isEnded = false
      ending.set(
        id,
        Effect.andThen(
          Effect.sleep("2 seconds"),
          Effect.sync(() => {
            isEnded = true
          })
        )
      )
      const deleting = yield* Effect.forkChild(
        Effect.map(odin.delete(`/plugins/${id}`), ({ status }) => ({ status, isEnded }))
      )
      yield* until(() => deleting.pollUnsafe() !== undefined)
      assert.deepStrictEqual(yield* Fiber.join(deleting), { status: 204, isEnded: true })
      assert.strictEqual(started.endedBy, "asking")
      assert.isFalse(existsSync(join(unpacked.directory, id)))
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

  it.effect("stays unpacked as long as there is its plugin, and no longer, wherever it ran", () =>
    Effect.gen(function* () {
      const { id } = yield* active()
      const gone = join(unpacked.directory, `${id.slice(0, -2)}00`)
      mkdirSync(gone)
      yield* PluginKeeper.use(({ clean }) => clean)
      assert.deepStrictEqual([existsSync(join(unpacked.directory, id)), existsSync(gone)], [true, false])
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
  it.effect("starts none while it stops, also where one was about to be replaced", () =>
    Effect.gen(function* () {
      const { id: slow, keeper, odin } = yield* active()
      const id = yield* upload(odin, honest())
      yield* activate(odin, id)
      ending.set(slow, Effect.sleep("5 seconds"))
      ending.set(id, Effect.sleep("2 seconds"))
      yield* change(id)
      yield* until(() => startedOf(id)[0]?.endedBy === "asking")
      const stopping = yield* Effect.forkChild(Fiber.interrupt(keeper))
      yield* pass(3)
      // What still runs is nobody else's.
      assert.isNotNull(yield* leaseOf(slow))
      yield* until(() => stopping.pollUnsafe() !== undefined)
      assert.strictEqual(startedOf(slow)[0]?.endedBy, "asking")
      assert.lengthOf(startedOf(id), 1)
      assert.deepStrictEqual([yield* leaseOf(slow), yield* leaseOf(id)], [null, null])
    })
  )

  it.effect("gives their plugins back when it stops", () =>
    Effect.gen(function* () {
      const { id, keeper, odin, started } = yield* active()
      const { connection } = yield* addExternal(odin)
      const external = yield* connect(connection.token)
      yield* external.call("get_config")
      yield* Fiber.interrupt(keeper)
      // Its program comes again, to another instance.
      const restarting = { code: 1012, reason: "service restart" }
      assert.deepStrictEqual(yield* Effect.promise(() => external.closed), restarting)
      assert.strictEqual(started.endedBy, "asking")
      assert.isNull(yield* leaseOf(id))
      assert.strictEqual((yield* statusOf(id)).active_state, "starting")
    })
  )

  it.effect("goes on if the database does not answer for a moment", () =>
    Effect.gen(function* () {
      const { id, started } = yield* active()
      // Longer than another instance would wait, had this one not renewed what it has.
      yield* pass(8)
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
      const began = yield* DateTime.now
      yield* withoutPlugins(until(() => started.endedBy !== "nobody"))
      assert.strictEqual(started.endedBy, "asking")
      const took = Duration.toSeconds(DateTime.distance(began, yield* DateTime.now))
      // Six seconds after it could renew what it has for the last time, with a second for each look around them.
      assert.isTrue(took > 4 && took < 9, `${took} seconds`)
      assert.deepStrictEqual(yield* Effect.promise(() => program.closed), { code: 1000, reason: "closed" })
    })
  )
})

/** A plugin that was given up, as storage has it. */
const givenUp = Effect.fnUntraced(function* () {
  const { odin } = yield* Cast
  const id = yield* upload(odin, honest())
  const sql = yield* SqlClient.SqlClient
  yield* sql`update plugins set wanted = true, state = 'error', state_message = 'exit status 1', state_details = '{}'
    where id = ${id}`
  return id
})

layer(service)("an instance that starts", (it) => {
  it.effect("tries what was given up before", () =>
    Effect.gen(function* () {
      const id = yield* givenUp()
      yield* keeping
      yield* until(() => startedOf(id).length === 1)
      yield* connectLast(id)
      yield* untilState(id, "active")
    })
  )
})

layer(service)("an instance that has nothing to run", (it) => {
  it.effect("does not try what another has given up", () =>
    Effect.gen(function* () {
      yield* keeping
      yield* pass(2)
      const id = yield* givenUp()
      yield* pass(15)
      assert.lengthOf(startedOf(id), 0)
      assert.strictEqual((yield* statusOf(id)).active_state, "error")
    })
  )
})
