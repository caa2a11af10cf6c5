/** Waits until whoever runs a plugin has done what it was told. */
import { DateTime, Duration, Effect, Option } from "effect"
import type { PluginId } from "../shared/Id.ts"
import { PluginNotFound } from "./PluginRefusal.ts"
import { PluginStore, type StoredPlugin } from "./PluginStore.ts"

const lookEvery = "100 millis"

/** How long it is waited that a plugin has ended; its process gets three seconds of them. */
const endingMax = Duration.seconds(7)

export const makePluginSettling = Effect.gen(function* () {
  const store = yield* PluginStore

  /** The plugin once it is as `isSo` says, or as it is when the time is over. */
  const settled = Effect.fnUntraced(function* (
    id: PluginId,
    within: Duration.Duration,
    isSo: (plugin: StoredPlugin) => boolean
  ) {
    const end = DateTime.addDuration(yield* DateTime.now, within)
    while (true) {
      const found = Option.getOrUndefined(yield* store.find(id))
      if (found === undefined) return yield* new PluginNotFound({ metadata: { plugin_instance_id: id } })
      if (isSo(found) || DateTime.isGreaterThanOrEqualTo(yield* DateTime.now, end)) return found
      yield* Effect.sleep(lookEvery)
    }
  })

  /** The plugin once nobody runs it any more, or as it is when it should have ended by now. */
  const ended = (id: PluginId) => settled(id, endingMax, ({ lease }) => lease === undefined)

  return { settled, ended } as const
})
