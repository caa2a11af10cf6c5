/** Asks plugins that are connected to this instance about configurations that were chosen at others. */
import { Data, DateTime, Effect } from "effect"
import { type AskedConfiguration, AskedConfigurationStore } from "./AskedConfigurationStore.ts"
import { makeConfigurationStoring } from "./ConfigurationStoring.ts"
import { PluginInstance } from "./PluginInstance.ts"
import { PluginSessions } from "./PluginSessions.ts"

/** Who chose a configuration was told that it is not stored, and it stays so. */
class NobodyWaits extends Data.TaggedError("NobodyWaits") {}

export const makeConfigurationAsking = Effect.gen(function* () {
  const asked = yield* AskedConfigurationStore
  const sessions = yield* PluginSessions
  const storing = yield* makeConfigurationStoring
  const { name: instance } = yield* PluginInstance

  const askAbout = Effect.fn("ConfigurationAsking.askAbout")(function* ({
    askedBy,
    configuration,
    id,
    pluginId
  }: AskedConfiguration) {
    const session = sessions.find(pluginId)
    if (session === undefined) {
      yield* asked.answer(id, { _tag: "Gone" })
      return
    }
    // The answer is there if and only if the configuration is stored.
    const saying = Effect.flatMap(asked.answer(id, { _tag: "Taken" }), (isWaitedFor) =>
      isWaitedFor ? Effect.void : Effect.fail(new NobodyWaits())
    )
    const answer = yield* session.configure(configuration, storing(askedBy, pluginId, configuration, saying))
    if (answer._tag !== "Taken") yield* asked.answer(id, answer)
  })

  /** Begins to ask all plugins that are to be asked; they may take long to answer. */
  return Effect.gen(function* () {
    yield* Effect.forEach(
      yield* asked.take(instance, yield* DateTime.now),
      (one) =>
        askAbout(one).pipe(
          Effect.catchTags({ NobodyWaits: () => Effect.void, PluginNotFound: () => Effect.void }),
          Effect.catchCause((cause) =>
            Effect.logError("A plugin could not be asked about a configuration", cause)
          ),
          Effect.forkScoped
        ),
      { discard: true }
    )
  })
})
