/** Changes what administrators have chosen for a plugin, which takes it before it is stored. */
import { Context, DateTime, Effect, Layer } from "effect"
import type { JsonObject } from "../field/Json.ts"
import { CurrentAccount } from "../shared/Actor.ts"
import type { ConfigurationAnswer } from "./ConfigurationAnswer.ts"
import { mismatchedFields } from "./ConfigurationRules.ts"
import { makeConfigurationStoring } from "./ConfigurationStoring.ts"
import { makeConfigurationsElsewhere } from "./ConfigurationsElsewhere.ts"
import { isHeldElsewhere } from "./LeaseRules.ts"
import { PluginInstance } from "./PluginInstance.ts"
import { PluginSessions } from "./PluginSessions.ts"
import { PluginStore, type StoredPlugin } from "./PluginStore.ts"
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
  const { name: instance } = yield* PluginInstance
  const storing = yield* makeConfigurationStoring
  const askElsewhere = yield* makeConfigurationsElsewhere
  const { getBy } = yield* makePluginViews

  const isConnectedElsewhere = ({ isWanted, lease, state }: StoredPlugin, now: DateTime.Utc) =>
    isWanted && state.name === "active" && isHeldElsewhere(lease, instance, now)

  /** Replaces the configuration of a plugin by another, whole one, by way of the instance to which it is connected. */
  const replace = Effect.fn("PluginConfigurations.replace")(function* (
    given: string,
    configuration: JsonObject
  ) {
    const { accountId } = yield* CurrentAccount
    const plugin = yield* getBy(store.find, given)
    const { id, manifest } = plugin
    const fields = mismatchedFields(manifest, configuration)
    if (fields.length > 0) return yield* new PluginConfigurationInvalid({ metadata: { fields } })
    const session = sessions.find(id)
    if (session === undefined && !isConnectedElsewhere(plugin, yield* DateTime.now)) {
      return yield* new PluginNotConnected({ metadata: { plugin_instance_id: id } })
    }
    const answer = yield* session === undefined
      ? askElsewhere(accountId, id, configuration)
      : session.configure(configuration, storing(accountId, id, configuration))
    if (answer._tag !== "Taken") return yield* new PluginConfigurationRefused({ metadata: refusalOf(answer) })
    return configuration
  })

  return { replace } as const
})

export class PluginConfigurations extends Context.Service<
  PluginConfigurations,
  Effect.Success<typeof make>
>()("forum/domain/PluginConfigurations") {
  static readonly layer = Layer.effect(PluginConfigurations, make).pipe(
    Layer.provide(Layer.merge(PluginSessions.layer, PluginInstance.layer))
  )
}
