/** Plugins that the service runs, as real processes, by the clock on the wall. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, layer } from "@effect/vitest"
import { Duration, Effect, Layer, Stream } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { PluginKeeper } from "../../src/domain/plugin/PluginKeeper.ts"
import { PluginLogs } from "../../src/domain/plugin/PluginLogs.ts"
import { PluginProcesses } from "../../src/domain/plugin/PluginProcesses.ts"
import { PluginRuntimeSettings, usualLimits } from "../../src/domain/plugin/PluginRuntime.ts"
import { usualPolicy } from "../../src/domain/plugin/SupervisionRules.ts"
import { PluginFiles } from "../../src/layers/adapters/plugins/LocalPluginDirectories.ts"
import * as LocalPluginProcesses from "../../src/layers/adapters/plugins/LocalPluginProcesses.ts"
import * as PluginLogFiles from "../../src/layers/adapters/plugins/PluginLogFiles.ts"
import { ok } from "../support/answers.ts"
import { category } from "../support/discussion.ts"
import * as People from "../support/people.ts"
import { Cast, type Person } from "../support/people.ts"
import { dial } from "../support/plugins.ts"
import * as TestApp from "../support/TestApp.ts"
import { zipOf } from "./archives/zip.ts"
import { least } from "./manifest.ts"
import { nowhere } from "./processes/support.ts"
import { updatePackage, uploadPlugin } from "./support.ts"

const program = readFileSync(join(import.meta.dirname, "programs/tide.mjs"))

/** The archive of a plugin that behaves in some way. */
const archiveOf = (behaviour: string, more: Readonly<Record<string, unknown>> = {}) =>
  zipOf([
    {
      name: "manifest.json",
      data: JSON.stringify({ ...least, command: "node", args: ["tide.mjs", behaviour], ...more })
    },
    { name: "tide.mjs", data: program }
  ])

const programs = Layer.unwrap(
  Effect.gen(function* () {
    const root = yield* Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "forum-plugins-"))),
      (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
    )
    return Layer.effect(PluginProcesses, LocalPluginProcesses.make({ dataDir: root, outside: nowhere })).pipe(
      Layer.provideMerge(Layer.succeed(PluginLogs, PluginLogFiles.make(join(root, "logs")))),
      Layer.merge(Layer.succeed(PluginFiles, { directory: join(root, "plugins") }))
    )
  })
)

// Restarts come at once, and are as many as usual.
const settings = Layer.succeed(PluginRuntimeSettings, {
  limits: usualLimits,
  policy: { ...usualPolicy, backoffMax: Duration.millis(50) }
})

const service = People.withCast(TestApp.layerWithPrograms(programs).pipe(Layer.provide(settings)))

const keeping = Effect.flatMap(PluginKeeper, ({ run }) => Effect.forkScoped(run))

const setActive = (person: Person, id: string, active: string) =>
  person.patch(`/plugins/${id}/active`, { active })

const statusOf = (person: Person, id: string) =>
  Effect.map(person.get(`/plugins/${id}`), (answer) => ok(answer).status)

const untilStatus = (person: Person, id: string, isSo: (status: Record<string, string>) => boolean) =>
  Effect.repeat(Effect.delay(statusOf(person, id), "20 millis"), { until: isSo, times: 500 })

layer(service, { excludeTestServices: true })("a supervised plugin", (it) => {
  it.effect("runs when an administrator wants it to, and ends when not, as often as wanted", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      yield* keeping
      const { id } = ok(yield* uploadPlugin(odin, archiveOf("plain")))
      for (let round = 0; round < 2; round++) {
        const active = ok(yield* setActive(odin, id, "active"))
        assert.strictEqual(active.status.active_state, "active")
        assert.deepStrictEqual(ok(yield* setActive(odin, id, "active")).status, active.status)
        assert.strictEqual(ok(yield* setActive(odin, id, "inactive")).status.active_state, "inactive")
        assert.strictEqual(ok(yield* setActive(odin, id, "inactive")).status.active_state, "inactive")
      }
      assert.strictEqual((yield* odin.delete(`/plugins/${id}`)).status, 204)
    })
  )

  it.effect("that ends at its start is tried again, and then given up with what it ended with", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      yield* keeping
      const { id } = ok(yield* uploadPlugin(odin, archiveOf("exits")))
      const answer = yield* setActive(odin, id, "active")
      assert.deepInclude(answer.json, {
        type: "/api/problems/plugin-start-failed",
        status: 502,
        detail: "exit status 42"
      })
      assert.deepStrictEqual(yield* statusOf(odin, id), {
        active_state: "error",
        message: "exit status 42",
        details: { runtime_provider: "local", stage: "start", error: "exit status 42", exit_code: 42 }
      })
      yield* odin.delete(`/plugins/${id}`)
    })
  )

  it.effect("that ended before it has connected leaves nothing with which anybody connects", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      yield* keeping
      const { id } = ok(yield* uploadPlugin(odin, archiveOf("tells")))
      assert.strictEqual((yield* setActive(odin, id, "active")).status, 502)
      const request = HttpClientRequest.get(`/api/plugins/${id}/logs`)
      const { stream } = yield* HttpClient.execute(HttpClientRequest.setHeaders(request, odin.headers))
      const written = yield* stream.pipe(
        Stream.decodeText(),
        Stream.splitLines,
        Stream.interruptWhen(Effect.sleep("1 second")),
        Stream.runCollect
      )
      const told = written.filter((line) => line.startsWith("data: ws://"))
      assert.isNotEmpty(told)
      for (const line of told) {
        const { pathname, search } = new URL(line.replace("data: ", ""))
        const late = yield* dial(`${pathname}${search}`)
        assert.strictEqual((yield* Effect.promise(() => late.refused)).status, 401)
      }
      yield* odin.delete(`/plugins/${id}`)
    })
  )

  it.effect("that crashes is restarted, and active again later", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      yield* keeping
      const archive = archiveOf("crashes", { events_consumed: ["EventCategoryUpdated"] })
      const { id } = ok(yield* uploadPlugin(odin, archive))
      const before = ok(yield* setActive(odin, id, "active")).status
      yield* category(odin, "Tides")
      const after = yield* untilStatus(
        odin,
        id,
        ({ active_state, activated_at = "" }) =>
          active_state === "active" && activated_at > before.activated_at
      )
      assert.isAbove(Date.parse(after.activated_at ?? ""), Date.parse(before.activated_at))
      yield* odin.delete(`/plugins/${id}`)
    })
  )

  it.effect("is restarted with the archive that takes the place of its own", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      yield* keeping
      const { id } = ok(yield* uploadPlugin(odin, archiveOf("plain")))
      const before = ok(yield* setActive(odin, id, "active")).status
      const updated = ok(yield* updatePackage(odin, id, archiveOf("plain", { version: "2.0.0" })))
      assert.strictEqual(updated.version, "2.0.0")
      assert.strictEqual(updated.status.active_state, "active")
      assert.isAbove(Date.parse(updated.status.activated_at), Date.parse(before.activated_at))
      const failed = yield* updatePackage(odin, id, archiveOf("exits"))
      assert.deepInclude(failed.json, { status: 502, detail: "exit status 42" })
      yield* odin.delete(`/plugins/${id}`)
    })
  )
})
