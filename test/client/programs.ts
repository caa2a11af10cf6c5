/** The service with plugins that it runs as real processes, in directories of their own, by the clock on the wall. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Layer } from "effect"
import { PluginKeeper } from "../../src/domain/plugin/PluginKeeper.ts"
import { PluginLogs } from "../../src/domain/plugin/PluginLogs.ts"
import { PluginProcesses } from "../../src/domain/plugin/PluginProcesses.ts"
import { PluginFiles } from "../../src/layers/adapters/plugins/LocalPluginDirectories.ts"
import * as LocalPluginProcesses from "../../src/layers/adapters/plugins/LocalPluginProcesses.ts"
import * as PluginLogFiles from "../../src/layers/adapters/plugins/PluginLogFiles.ts"
import { nowhere } from "../plugin/processes/support.ts"
import * as People from "../support/people.ts"
import * as TestApp from "../support/TestApp.ts"

/** A directory that is removed with its scope. */
export const temporary = (name: string) =>
  Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), name))),
    (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
  )

const programs = Layer.unwrap(
  Effect.map(temporary("forum-plugins-"), (root) =>
    Layer.effect(PluginProcesses, LocalPluginProcesses.make({ dataDir: root, outside: nowhere })).pipe(
      Layer.provideMerge(Layer.succeed(PluginLogs, PluginLogFiles.make(join(root, "logs")))),
      Layer.merge(Layer.succeed(PluginFiles, { directory: join(root, "plugins") }))
    )
  )
)

export const service = People.withCast(TestApp.layerWithPrograms(programs))

/** Runs plugins as administrators want, as the service does all the time. */
export const keeping = Effect.flatMap(PluginKeeper, ({ run }) => Effect.forkScoped(run))

/** Looks again and again, for twenty seconds. */
export const looking = <A, E, R>(look: Effect.Effect<A, E, R>, isSo: (found: A) => boolean) =>
  Effect.repeat(Effect.delay(look, "50 millis"), { until: isSo, times: 400 })
