/** Lets supervised plugins run, or not, and waits for it. */
import { Context, DateTime, Duration, Effect, Layer } from "effect"
import { EventLog } from "../event/EventLog.ts"
import { CurrentAccount } from "../shared/Actor.ts"
import type { PluginId } from "../shared/Id.ts"
import { Transaction } from "../storage/Transaction.ts"
import type { Plugin } from "./Plugin.ts"
import { makePluginSettling } from "./PluginSettling.ts"
import { PluginSignals } from "./PluginSignals.ts"
import { PluginStore, type StoredPlugin } from "./PluginStore.ts"
import { getSupervised, makePluginViews } from "./PluginViews.ts"
import { PluginNotSettled, PluginStartFailed } from "./RunRefusal.ts"

/** How long it is waited that a plugin runs, whose process may be started several times. */
const activationMax = Duration.minutes(5)

const make = Effect.gen(function* () {
  const store = yield* PluginStore
  const events = yield* EventLog
  const signals = yield* PluginSignals
  const transaction = yield* Transaction
  const { getBy, show } = yield* makePluginViews
  const { ended, settled } = yield* makePluginSettling

  const isOver = (since: DateTime.Utc) => (plugin: StoredPlugin) =>
    !plugin.isWanted ||
    ((plugin.state.name === "active" || plugin.state.name === "error") &&
      DateTime.isGreaterThanOrEqualTo(plugin.state.at, since))

  /** Waits until a plugin that is wanted is active, as it is since a time. */
  const awaitActive = Effect.fn("PluginActivation.awaitActive")(function* (
    id: PluginId,
    since: DateTime.Utc
  ) {
    const plugin = yield* settled(id, activationMax, isOver(since))
    const { state } = plugin
    if (state.name === "active") return yield* show(plugin)
    if (state.name === "error") return yield* new PluginStartFailed({ detail: state.message })
    return yield* new PluginNotSettled({ metadata: { wanted: "active", state: state.name } })
  })

  /** Says that a supervised plugin should run, or not. Answers it as it is now, and whether it has just been said. */
  const want = Effect.fnUntraced(function* (given: string, isWanted: boolean) {
    const { accountId } = yield* CurrentAccount
    const at = yield* DateTime.now
    return yield* transaction(
      Effect.gen(function* () {
        const plugin = yield* getBy(store.findForUpdate, given)
        yield* getSupervised(plugin)
        const { id, manifest, state } = plugin
        // One that was given up is started once more.
        const isSaid = plugin.isWanted === isWanted && !(isWanted && state.name === "error")
        if (isSaid) return { id, since: plugin.state.at }
        yield* store.want(id, isWanted, at)
        const _tag = isWanted ? "PluginActivated" : "PluginDeactivated"
        yield* events.append(accountId, { _tag, id, name: manifest.name })
        return { id, since: at }
      })
    )
  })

  const activate = Effect.fn("PluginActivation.activate")(function* (given: string) {
    const { id, since } = yield* want(given, true)
    yield* signals.changed(id)
    return yield* awaitActive(id, since)
  })

  const deactivate = Effect.fn("PluginActivation.deactivate")(function* (given: string) {
    const { id } = yield* want(given, false)
    yield* signals.changed(id)
    return yield* show(yield* ended(id))
  })

  /** Waits until a plugin that was changed after a time runs as it is now, if it is wanted. */
  const renewed = Effect.fn("PluginActivation.renewed")(function* (changed: Plugin, since: DateTime.Utc) {
    return changed.status.active_state === "inactive" ? changed : yield* awaitActive(changed.id, since)
  })

  return { activate, deactivate, renewed } as const
})

export class PluginActivation extends Context.Service<PluginActivation, Effect.Success<typeof make>>()(
  "forum/domain/PluginActivation"
) {
  static readonly layer = Layer.effect(PluginActivation, make)
}
