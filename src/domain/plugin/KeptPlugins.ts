/** The supervised plugins that run on this instance. */
import { DateTime, Deferred, Effect, Fiber, FiberMap, Option, type Scope } from "effect"
import type { PluginId } from "../shared/Id.ts"
import { PluginInstance } from "./PluginInstance.ts"
import { PluginDirectories } from "./PluginRuntime.ts"
import { type HeldPlugin, PluginStore, type StoredPlugin } from "./PluginStore.ts"
import { PluginSupervision } from "./PluginSupervision.ts"

/** A plugin that runs here, until it is to stop. */
interface Kept {
  readonly revision: number
  readonly stopping: Deferred.Deferred<void>
  readonly fiber: Fiber.Fiber<void>
}

export const makeKeptPlugins = Effect.gen(function* () {
  const store = yield* PluginStore
  const supervision = yield* PluginSupervision
  const directories = yield* PluginDirectories
  const { name: instance } = yield* PluginInstance
  const kept = new Map<PluginId, Kept>()
  const replacing = yield* FiberMap.make<PluginId>()

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
    kept.set(id, { revision, stopping, fiber })
    // Nothing comes between: one that never begins could not be waited for.
    Deferred.doneUnsafe(begun, Effect.void)
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

  /** Begins to replace a plugin, unless that has begun: stopping one takes seconds, which nobody waits for. */
  const beginToReplace = (id: PluginId) =>
    FiberMap.run(
      replacing,
      id,
      Effect.catchCause(replace(id), (cause) => Effect.logError("A plugin could not be replaced", cause)),
      { onlyIfMissing: true }
    )

  /** The plugins that do not run here as they should: as they are now, or at all, or not any more. */
  const wrong = (held: ReadonlyMap<PluginId, HeldPlugin>): ReadonlyArray<PluginId> => {
    const changed = [...kept].flatMap(([id, { revision }]) => (held.get(id)?.revision === revision ? [] : id))
    // Running these was given up for a failure of the service.
    const missing = [...held.values()].flatMap(({ id, mode }) =>
      mode === "supervised" && !kept.has(id) ? id : []
    )
    return [...changed, ...missing]
  }

  return {
    isEmpty: () => kept.size === 0,
    start,
    giveBack,
    /** Begins to make what runs here what it should be by now. */
    adjustTo: (held: ReadonlyMap<PluginId, HeldPlugin>) =>
      Effect.forEach(wrong(held), beginToReplace, { discard: true }),
    /** Stops all plugins, and waits for them. Those that are being replaced are not started again. */
    stopAll: Effect.andThen(
      FiberMap.clear(replacing),
      Effect.suspend(() =>
        Effect.forEach([...kept.keys()], stop, { concurrency: "unbounded", discard: true })
      )
    )
  } as const
})
