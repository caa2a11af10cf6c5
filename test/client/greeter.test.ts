/** The example of a plugin, as the service runs it: a real process, by the clock on the wall. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { build } from "../../examples/greeter/build.ts"
import { PluginKeeper } from "../../src/domain/plugin/PluginKeeper.ts"
import { PluginLogs } from "../../src/domain/plugin/PluginLogs.ts"
import { PluginProcesses } from "../../src/domain/plugin/PluginProcesses.ts"
import { PluginFiles } from "../../src/layers/adapters/plugins/LocalPluginDirectories.ts"
import * as LocalPluginProcesses from "../../src/layers/adapters/plugins/LocalPluginProcesses.ts"
import * as PluginLogFiles from "../../src/layers/adapters/plugins/PluginLogFiles.ts"
import { nowhere } from "../plugin/processes/support.ts"
import { uploadPlugin } from "../plugin/support.ts"
import { ok } from "../support/answers.ts"
import * as People from "../support/people.ts"
import { Cast, signUp } from "../support/people.ts"
import * as TestApp from "../support/TestApp.ts"

const programs = Layer.unwrap(
  Effect.gen(function* () {
    const root = yield* Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "forum-greeter-"))),
      (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
    )
    return Layer.effect(PluginProcesses, LocalPluginProcesses.make({ dataDir: root, outside: nowhere })).pipe(
      Layer.provideMerge(Layer.succeed(PluginLogs, PluginLogFiles.make(join(root, "logs")))),
      Layer.merge(Layer.succeed(PluginFiles, { directory: join(root, "plugins") }))
    )
  })
)

const service = People.withCast(TestApp.layerWithPrograms(programs))

/** Looks again and again, for twenty seconds. */
const looking = <A, E, R>(look: Effect.Effect<A, E, R>, isSo: (found: A) => boolean) =>
  Effect.repeat(Effect.delay(look, "50 millis"), { until: isSo, times: 400 })

layer(service, { excludeTestServices: true })("the greeter", (it) => {
  it.effect("greets new members as an administrator wants, and counts what they reply", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      yield* Effect.flatMap(PluginKeeper, ({ run }) => Effect.forkScoped(run))
      const { id } = ok(yield* uploadPlugin(odin, yield* Effect.promise(() => build())))
      const active = ok(yield* odin.patch(`/plugins/${id}/active`, { active: "active" }))
      assert.strictEqual(active.status.active_state, "active")
      const threads = Effect.map(odin.get("/threads?q=New"), (answer) => ok(answer).threads)
      const [{ slug }] = yield* looking(threads, ({ length }) => length > 0)
      const thread = Effect.map(odin.get(`/threads/${slug}`), ok)

      const configuration = `/plugins/${id}/configuration`
      assert.strictEqual((yield* odin.patch(configuration, { greeting: " " })).status, 400)
      ok(yield* odin.patch(configuration, { greeting: "Ahoy" }))

      const sif = yield* signUp("sif")
      const greeted = yield* looking(thread, ({ replies }) => replies.results > 0)
      assert.strictEqual(greeted.replies.results, 1)
      assert.include(greeted.replies.replies[0].body, "Ahoy, ")
      assert.include(greeted.replies.replies[0].body, `sdr:profile/${sif.id}`)

      ok(yield* sif.post(`/threads/${slug}/replies`, { body: "<p>Hello.</p>" }))
      ok(yield* odin.post(`/threads/${slug}/replies`, { body: "<p>Hello, Sif.</p>" }))
      const counted = yield* looking(thread, ({ meta }) => meta.hellos === 2)
      assert.strictEqual(counted.title, "New here? 2 have said hello")

      ok(yield* odin.patch(`/plugins/${id}/active`, { active: "inactive" }))
      assert.strictEqual((yield* odin.delete(`/plugins/${id}`)).status, 204)
    })
  )
})
