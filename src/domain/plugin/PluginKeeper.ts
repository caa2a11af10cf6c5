/** Keeps the plugins of this instance as administrators want them, as long as the service runs. */
import { Context, DateTime, Duration, Effect, Layer, Queue, Stream } from "effect"
import type { PluginId } from "../shared/Id.ts"
import { AskedConfigurationStore } from "./AskedConfigurationStore.ts"
import { makeConfigurationAsking } from "./ConfigurationAsking.ts"
import { makeKeptPlugins } from "./KeptPlugins.ts"
import { leaseFor, leaseFrom, lookEvery, renewEvery } from "./LeaseRules.ts"
import { PluginInstance } from "./PluginInstance.ts"
import { PluginDirectories } from "./PluginRuntime.ts"
import { type PluginSession, PluginSessions } from "./PluginSessions.ts"
import { PluginSignals } from "./PluginSignals.ts"
import { closings } from "./PluginSocket.ts"
import { type HeldPlugin, PluginStore } from "./PluginStore.ts"
import { PluginSupervision } from "./PluginSupervision.ts"

const make = Effect.gen(function* () {
  const store = yield* PluginStore
  const sessions = yield* PluginSessions
  const asked = yield* AskedConfigurationStore
  const directories = yield* PluginDirectories
  const signals = yield* PluginSignals
  const { name: instance } = yield* PluginInstance
  const kept = yield* makeKeptPlugins
  const askAll = yield* makeConfigurationAsking
  let renewedAt = yield* DateTime.now
  // What was given up is tried again when an instance starts.
  let isFirst = true

  const leaseNow = Effect.map(DateTime.now, (now) => ({ now, lease: leaseFrom(instance, now) }))

  /** Ends those connections of external plugins that have changed since they began, or are not ours any more. */
  const endChanged = (connected: ReadonlyArray<PluginSession>, held: ReadonlyMap<PluginId, HeldPlugin>) =>
    Effect.forEach(
      connected,
      ({ end, plugin }) =>
        plugin.connection.mode === "external" && held.get(plugin.id)?.revision !== plugin.revision
          ? Effect.forkScoped(end(closings.closed))
          : Effect.void,
      { discard: true }
    )

  const hasNothing = () => kept.isEmpty() && sessions.list().length === 0

  /** Answers when to look again. */
  const look = Effect.gen(function* () {
    if (hasNothing() && !(yield* store.isAnyWanted)) {
      renewedAt = yield* DateTime.now
      isFirst = false
      return lookEvery
    }
    const { lease, now } = yield* leaseNow
    // Those that connect while the database answers are not in its answer.
    const connected = sessions.list()
    const renewed = hasNothing() ? [] : yield* store.renewLeases(lease, now)
    const held = new Map(renewed.map((plugin) => [plugin.id, plugin]))
    renewedAt = now
    yield* endChanged(connected, held)
    yield* kept.adjustTo(held)
    if (renewed.some(({ isAsked }) => isAsked)) yield* askAll
    yield* Effect.forEach(yield* store.takeFreeLeases(lease, now, isFirst), kept.start, { discard: true })
    isFirst = false
    return renewEvery
  })

  /** Ends everything that another instance may run by now, as this one could not say that it does. */
  const yieldAll = Effect.gen(function* () {
    const silence = DateTime.distance(renewedAt, yield* DateTime.now)
    if (Duration.isLessThan(silence, leaseFor)) return
    yield* endChanged(sessions.list(), new Map())
    yield* kept.stopAll
  })

  const lookSafely = Effect.catchCause(look, (cause) =>
    Effect.logWarning("Plugins could not be looked after", cause).pipe(
      Effect.andThen(yieldAll),
      Effect.as(renewEvery)
    )
  )

  /** Gives everything back when the service stops, so that other instances go on with it at once. */
  const stopAll = Effect.gen(function* () {
    const { lease, now } = yield* leaseNow
    const held = yield* store.renewLeases(lease, now)
    const ending = Effect.forEach(
      sessions.list(),
      ({ end, plugin }) => (plugin.connection.mode === "external" ? end(closings.restarting) : Effect.void),
      { concurrency: "unbounded", discard: true }
    )
    yield* Effect.all([ending, kept.stopAll], { concurrency: "unbounded", discard: true })
    yield* Effect.forEach(
      held,
      ({ id, mode }) => (mode === "supervised" ? kept.giveBack(id, "starting") : Effect.void),
      { discard: true }
    )
  })

  /** Looks after plugins for ever: at once when something has changed here, and else every second, or less where nothing runs. */
  const run: Effect.Effect<never> = Effect.gen(function* () {
    const woken = yield* Queue.sliding<void>(1)
    yield* Effect.forkScoped(Stream.runForEach(signals.changes, () => Queue.offer(woken, undefined)))
    return yield* Effect.forever(
      Effect.flatMap(lookSafely, (pause) => Effect.timeoutOption(Queue.take(woken), pause))
    ).pipe(Effect.onInterrupt(() => Effect.ignoreCause(stopAll)))
  }).pipe(Effect.scoped)

  /** Removes what is left of plugins that were deleted while they did not run here, and of instances that have died. */
  const clean = Effect.gen(function* () {
    yield* asked.forgetAbandoned(yield* DateTime.now)
    yield* directories.removeOthers(store.ids)
  })

  return { run, clean } as const
})

export class PluginKeeper extends Context.Service<PluginKeeper, Effect.Success<typeof make>>()(
  "forum/domain/PluginKeeper"
) {
  static readonly layer = Layer.effect(PluginKeeper, make).pipe(
    Layer.provide(Layer.mergeAll(PluginSupervision.layer, PluginSessions.layer, PluginInstance.layer))
  )
}
