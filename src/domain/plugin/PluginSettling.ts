/** Waits until whoever runs a plugin has done what it was told. */
import { Duration, Effect } from "effect"
import type { PluginId } from "../shared/Id.ts"
import { lookUntil } from "../shared/Looking.ts"
import { PluginStore, type StoredPlugin } from "./PluginStore.ts"
import { makePluginViews } from "./PluginViews.ts"

const lookEvery = Duration.millis(100)

/** How long it is waited that a plugin has ended; its process gets three seconds of them. */
const endingMax = Duration.seconds(7)

export const makePluginSettling = Effect.gen(function* () {
  const store = yield* PluginStore
  const { getBy } = yield* makePluginViews

  /** The plugin once it is as `isSo` says, or as it is when the time is over. */
  const settled = (id: PluginId, within: Duration.Duration, isSo: (plugin: StoredPlugin) => boolean) =>
    lookUntil(getBy(store.find, id), isSo, { every: lookEvery, within })

  /** The plugin once nobody runs it any more, or as it is when it should have ended by now. */
  const ended = (id: PluginId) => settled(id, endingMax, ({ lease }) => lease === undefined)

  return { settled, ended } as const
})
