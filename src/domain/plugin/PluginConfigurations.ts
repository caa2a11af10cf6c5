/** Changes what administrators have chosen for a plugin, which takes it before it is stored. */
import { Context, Effect, Layer } from "effect"
import { EventLog } from "../event/EventLog.ts"
import type { JsonObject } from "../field/Json.ts"
import { CurrentAccount } from "../shared/Actor.ts"
import { Transaction } from "../storage/Transaction.ts"
import { mismatchedFields } from "./ConfigurationRules.ts"
import { type ConfigurationAnswer, PluginSessions } from "./PluginSessions.ts"
import { PluginStore } from "./PluginStore.ts"
import { makePluginViews } from "./PluginViews.ts"
import { PluginConfigurationInvalid, PluginConfigurationRefused, PluginNotConnected } from "./RunRefusal.ts"

const refusalOf = (answer: Exclude<ConfigurationAnswer, { readonly _tag: "Taken" }>) => {
  switch (answer._tag) {
    case "Refused":
      return { reason: "refused" } as const
    case "Failed":
      return { reason: "failed", message: answer.failure.message } as const
    case "Late":
      return { reason: "late" } as const
    case "Gone":
      return { reason: "gone" } as const
  }
}

const make = Effect.gen(function* () {
  const store = yield* PluginStore
  const sessions = yield* PluginSessions
  const events = yield* EventLog
  const transaction = yield* Transaction
  const { getBy } = yield* makePluginViews

  /** Replaces the configuration of a plugin by another, whole one. */
  const replace = Effect.fn("PluginConfigurations.replace")(function* (
    given: string,
    configuration: JsonObject
  ) {
    const { accountId } = yield* CurrentAccount
    const { id, manifest } = yield* getBy(store.find, given)
    const fields = mismatchedFields(manifest, configuration)
    if (fields.length > 0) return yield* new PluginConfigurationInvalid({ metadata: { fields } })
    const session = sessions.find(id)
    if (session === undefined) return yield* new PluginNotConnected({ metadata: { plugin_instance_id: id } })
    const storing = transaction(
      Effect.gen(function* () {
        yield* getBy(store.findForUpdate, id)
        yield* store.setConfiguration(id, configuration)
        yield* events.append(accountId, { _tag: "PluginConfigured", id, name: manifest.name })
      })
    )
    const answer = yield* session.configure(configuration, storing)
    if (answer._tag !== "Taken") return yield* new PluginConfigurationRefused({ metadata: refusalOf(answer) })
    return configuration
  })

  return { replace } as const
})

export class PluginConfigurations extends Context.Service<
  PluginConfigurations,
  Effect.Success<typeof make>
>()("forum/domain/PluginConfigurations") {
  static readonly layer = Layer.effect(PluginConfigurations, make).pipe(Layer.provide(PluginSessions.layer))
}
