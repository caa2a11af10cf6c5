/** Unpacks plugins below the data directory, where they work. */
import { mkdir, readdir, rm } from "node:fs/promises"
import { join, resolve } from "node:path"
import { Context, Effect, Layer, Option, Semaphore } from "effect"
import { AssetBytes } from "../../../domain/asset/AssetBytes.ts"
import { PluginArchives } from "../../../domain/plugin/PluginArchives.ts"
import { PluginLogs } from "../../../domain/plugin/PluginLogs.ts"
import { PluginLaunchFailed } from "../../../domain/plugin/PluginProcesses.ts"
import { PluginDirectories } from "../../../domain/plugin/PluginRuntime.ts"

/** Where the directories of plugins are. */
export class PluginFiles extends Context.Service<PluginFiles, { readonly directory: string }>()(
  "forum/layers/PluginFiles"
) {}

/** Where they are below a data directory. */
export const pluginsIn = (dataDir: string): string => resolve(dataDir, "plugins")

/** How many archives are unpacked at a time. */
const unpackingMax = 2

const failed = (message: string) => new PluginLaunchFailed({ message })

export const layer = Layer.effect(
  PluginDirectories,
  Effect.gen(function* () {
    const { directory: root } = yield* PluginFiles
    const bytes = yield* AssetBytes
    const archives = yield* PluginArchives
    const logs = yield* PluginLogs
    const unpacking = Semaphore.makeUnsafe(unpackingMax)

    const prepare: PluginDirectories["Service"]["prepare"] = Effect.fnUntraced(
      function* (id, { place }) {
        const directory = join(root, id)
        yield* Effect.promise(() => mkdir(root, { recursive: true, mode: 0o700 }))
        const path = Option.getOrUndefined(yield* bytes.locally(place))
        if (path === undefined) return yield* failed("The archive of the plugin is missing")
        yield* archives.unpack(path, directory)
        return directory
      },
      Effect.scoped,
      Effect.catchTags({
        AssetBytesUnavailable: () => Effect.fail(failed("The archive of the plugin cannot be read now")),
        ArchiveRefused: ({ reason }) =>
          Effect.fail(failed(`The archive of the plugin is not used: ${reason}`)),
        UnpackingFailed: ({ message }) => Effect.fail(failed(message))
      }),
      (effect) => unpacking.withPermits(1)(effect)
    )

    const remove: PluginDirectories["Service"]["remove"] = (id) =>
      Effect.andThen(
        Effect.promise(() => rm(join(root, id), { recursive: true, force: true })),
        logs.remove(id)
      )

    const removeOthers: PluginDirectories["Service"]["removeOthers"] = Effect.fnUntraced(function* (ids) {
      const kept: ReadonlySet<string> = new Set(ids)
      const names = yield* Effect.promise(() => readdir(root).catch(() => []))
      for (const name of names) {
        if (kept.has(name)) continue
        yield* Effect.promise(() => rm(join(root, name), { recursive: true, force: true }))
        yield* logs.remove(name)
      }
    })

    return PluginDirectories.of({ prepare, remove, removeOthers })
  })
)
