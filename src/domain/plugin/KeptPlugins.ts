/** The supervised plugins that run on this instance. */
import { DateTime, Deferred, Effect, Fiber, Option, type Scope } from "effect"
import type { PluginId } from "../shared/Id.ts"
import { PluginInstance } from "./PluginInstance.ts"
import { PluginDirectories } from "./PluginRuntime.ts"
import { type HeldPlugin, PluginStore, type StoredPlugin } from "./PluginStore.ts"
import { PluginSupervision } from "./PluginSupervision.ts"

/** A plugin that runs here, until it is to stop. */
interface Kept {
  readonly revision: number
  /** Whether it is stopped, and started anew where it is wanted. */
  isReplaced: boolean
  readonly stopping: Deferred.Deferred<void>
  readonly fiber: Fiber.Fiber<void>
}

export const makeKeptPlugins = Effect.gen(function* () {
  const store = yield* PluginStore
  const supervision = yield* PluginSupervision
  const directories = yield* PluginDirectories
  const { name: instance } = yield* PluginInstance
  const kept = new Map<PluginId, Kept>()

  /** Says that a plugin does not run, and lets others have it. */
  const giveBack = Effect.fnUntraced(function* (id: PluginId, name: "inactive" | "starting") {
    yield* store.setState(id, instance, { name, at: yield* DateTime.now }, false)
  })

  /** Runs a plugin, as long as the scope is open, unless it runs already. */
  const start = Effect.fnUntraced(function* (
    plugin: StoredPlugin
  ): Effect.fn.Return<void, never, Scope.Scope> {
    const { connection, id, revision } = plugin
    if (connection.mode !== "supervised" || kept.has(id)) return
    const stopping = yield* Deferred.make<void>()
    const run = supervision.run({ plugin, archive: connection.package }, stopping).pipe(
      Effect.catchCause((cause) => Effect.logError("A plugin is not run any more", cause)),
      Effect.ensuring(Effect.sync(() => kept.delete(id)))
    )
    // It ends at once where it cannot begin, and is forgotten then.
    const begun = yield* Deferred.make<void>()
    const fiber = yield* Effect.forkScoped(Effect.andThen(Deferred.await(begun), run))
    kept.set(id, { revision, isReplaced: false, stopping, fiber })
    yield* Deferred.succeed(begun, undefined)
  })

  /** Lets a plugin stop, and waits until nothing of it runs. */
  const stop = Effect.fnUntraced(function* (id: PluginId) {
    const found = kept.get(id)
    if (found === undefined) return
    yield* Deferred.succeed(found.stopping, undefined)
    yield* Fiber.await(found.fiber)
  })

  /** Stops a plugin that has changed, and starts it as it is now if it is wanted; or removes what is left of it. */
  const replace = Effect.fnUntraced(function* (id: PluginId) {
    yield* stop(id)
    const plugin = Option.getOrUndefined(yield* store.find(id))
    if (plugin === undefined) yield* directories.remove(id)
    else if (plugin.lease?.holder === instance) {
      yield* plugin.isWanted ? start(plugin) : giveBack(id, "inactive")
    }
  })

  const adjust = (id: PluginId, one: Kept, revision: number | undefined) => {
    if (one.isReplaced || revision === one.revision) return Effect.void
    one.isReplaced = true
    return Effect.forkScoped(
      Effect.catchCause(replace(id), (cause) => Effect.logError("A plugin could not be replaced", cause))
    )
  }

  return {
    isEmpty: () => kept.size === 0,
    start,
    giveBack,
    /** Begins to make what runs here what it should be by now; stopping a plugin takes seconds, which nobody waits for. */
    adjustTo: (held: ReadonlyMap<PluginId, HeldPlugin>) =>
      Effect.forEach([...kept], ([id, one]) => adjust(id, one, held.get(id)?.revision), { discard: true }),
    /** Stops all plugins, and waits for them. */
    stopAll: Effect.suspend(() =>
      Effect.forEach([...kept.keys()], stop, { concurrency: "unbounded", discard: true })
    )
  } as const
})
