/** Unpacks plugins below the data directory, where they work. */
import { readdir } from "node:fs/promises"
import { join, resolve } from "node:path"
import { Context, Effect, Layer, Option, Schema, Semaphore } from "effect"
import { AssetBytes } from "../../../domain/asset/AssetBytes.ts"
import { PluginArchives } from "../../../domain/plugin/PluginArchives.ts"
import { PluginLogs } from "../../../domain/plugin/PluginLogs.ts"
import { PluginLaunchFailed } from "../../../domain/plugin/PluginProcesses.ts"
import { PluginDirectories } from "../../../domain/plugin/PluginRuntime.ts"
import { PluginId } from "../../../domain/shared/Id.ts"
import { removeTree } from "./removeTree.ts"

/** Where the directories of plugins are. */
export class PluginFiles extends Context.Service<PluginFiles, { readonly directory: string }>()(
  "forum/layers/PluginFiles"
) {}

/** Where they are below a data directory. */
export const pluginsIn = (dataDir: string): string => resolve(dataDir, "plugins")

/** How many archives are unpacked at a time. */
const unpackingMax = 2

const failed = (message: string) => new PluginLaunchFailed({ message })

const isPluginId = Schema.is(PluginId)

/** The plugin to which a directory belongs, or what was being written beside it when the service ended. */
const pluginOf = (name: string) => {
  const [id] = name.split(".", 1)
  return isPluginId(id) ? id : undefined
}

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

    const removeFiles = (name: string) => Effect.promise(() => removeTree(join(root, name)))

    const remove: PluginDirectories["Service"]["remove"] = (id) =>
      Effect.andThen(removeFiles(id), logs.remove(id))

    // What of one cannot be removed keeps nothing else there.
    const removeOther = (name: string, id: PluginId) =>
      Effect.catchCause(Effect.andThen(removeFiles(name), logs.remove(id)), (cause) =>
        Effect.annotateLogs(Effect.logWarning("What is left of a plugin cannot be removed", cause), {
          plugin_id: id
        })
      )

    const removeOthers: PluginDirectories["Service"]["removeOthers"] = Effect.fnUntraced(function* (ids) {
      const names = yield* Effect.promise(() => readdir(root).catch(() => []))
      const kept = new Set(yield* ids)
      for (const name of names) {
        const id = pluginOf(name)
        // Beside the directory of one that is kept, it may be unpacked just now.
        if (id !== undefined && !kept.has(id)) yield* removeOther(name, id)
      }
    })

    return PluginDirectories.of({ prepare, remove, removeOthers })
  })
)
