/** How plugins are found and shown. */
import { DateTime, Effect, Option, Redacted, Schema } from "effect"
import { Timestamp } from "../field/Resource.ts"
import { PluginId } from "../shared/Id.ts"
import type { Plugin, PluginStatus } from "./Plugin.ts"
import { PluginNotExternal, PluginNotFound, PluginNotSupervised } from "./PluginRefusal.ts"
import { statusOf } from "./PluginRules.ts"
import { type ListedPlugin, type PluginConnection, PluginStore, type StoredPlugin } from "./PluginStore.ts"
import { makePluginTokens } from "./PluginTokens.ts"

const isPluginId = Schema.is(PluginId)

const about = ({ id }: StoredPlugin) => ({ metadata: { plugin_instance_id: id } })

/** What is shown of a plugin. */
type ShownPlugin = Omit<StoredPlugin, "configuration">

/** A plugin of one of the modes. */
type Of<Mode extends PluginConnection["mode"]> = Extract<PluginConnection, { readonly mode: Mode }>

/** How a supervised plugin is run. An external one is refused. */
export const getSupervised = (plugin: StoredPlugin): Effect.Effect<Of<"supervised">, PluginNotSupervised> =>
  plugin.connection.mode === "supervised"
    ? Effect.succeed(plugin.connection)
    : Effect.fail(new PluginNotSupervised(about(plugin)))

/** How an external plugin connects. A supervised one is refused. */
export const getExternal = (plugin: StoredPlugin): Effect.Effect<Of<"external">, PluginNotExternal> =>
  plugin.connection.mode === "external"
    ? Effect.succeed(plugin.connection)
    : Effect.fail(new PluginNotExternal(about(plugin)))

export const makePluginViews = Effect.gen(function* () {
  const store = yield* PluginStore
  const tokens = yield* makePluginTokens

  /** The plugin with an id, by one of the ways in which the store finds it. */
  const getBy = Effect.fnUntraced(function* (find: typeof store.find, id: string) {
    const found = isPluginId(id) ? yield* find(id) : Option.none<StoredPlugin>()
    if (Option.isSome(found)) return found.value
    return yield* new PluginNotFound({ metadata: { plugin_instance_id: id } })
  })

  const connectionOf = Effect.fnUntraced(function* ({ connection, id }: ShownPlugin) {
    if (connection.mode === "supervised") return { mode: "supervised" } as const
    const token = Redacted.value(yield* tokens.open(id, connection.sealedToken))
    return { mode: "external", token } as const
  })

  const showAs = Effect.fnUntraced(function* (plugin: ShownPlugin, status: PluginStatus) {
    const { addedAt, id, manifest } = plugin
    return {
      id,
      added_at: Timestamp.make(DateTime.formatIso(addedAt)),
      name: manifest.name,
      description: manifest.description,
      version: manifest.version,
      status,
      manifest: { ...manifest },
      connection: yield* connectionOf(plugin)
    } satisfies Plugin
  })

  const show = Effect.fnUntraced(function* (plugin: ShownPlugin) {
    return yield* showAs(plugin, statusOf(plugin, yield* DateTime.now))
  })

  /** A plugin in a list, which says what its manifest lacks there. */
  const showListed = Effect.fnUntraced(function* ({ omitted, ...plugin }: ListedPlugin) {
    const shown: Plugin = yield* show(plugin)
    return omitted.length === 0 ? shown : { ...shown, manifest_omitted: omitted }
  })

  /** A plugin that was just added: nobody runs it yet. */
  const showAdded = (plugin: StoredPlugin) =>
    showAs(plugin, {
      active_state: "inactive",
      deactivated_at: Timestamp.make(DateTime.formatIso(plugin.addedAt))
    })

  return { getBy, show, showAdded, showListed } as const
})
