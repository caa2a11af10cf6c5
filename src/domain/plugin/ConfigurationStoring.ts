/** Stores the configuration that a plugin has taken. */
import { Effect } from "effect"
import { EventLog } from "../event/EventLog.ts"
import type { JsonObject } from "../field/Json.ts"
import type { AccountId, PluginId } from "../shared/Id.ts"
import { Transaction } from "../storage/Transaction.ts"
import { PluginStore } from "./PluginStore.ts"
import { makePluginViews } from "./PluginViews.ts"

export const makeConfigurationStoring = Effect.gen(function* () {
  const store = yield* PluginStore
  const events = yield* EventLog
  const transaction = yield* Transaction
  const { getBy } = yield* makePluginViews

  /** Stores it, chosen by an account, if another effect does not fail in the same transaction. */
  return <E = never>(
    accountId: AccountId,
    pluginId: PluginId,
    configuration: JsonObject,
    also: Effect.Effect<void, E> = Effect.void
  ) =>
    transaction(
      Effect.gen(function* () {
        const { id, manifest } = yield* getBy(store.findForUpdate, pluginId)
        yield* also
        yield* store.setConfiguration(id, configuration)
        yield* events.append(accountId, { _tag: "PluginConfigured", id, name: manifest.name })
      })
    )
})
