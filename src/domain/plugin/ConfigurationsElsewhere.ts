/** Asks plugins about configurations by way of the instances to which they are connected. */
import { DateTime, Duration, Effect, Option, Predicate } from "effect"
import type { JsonObject } from "../field/Json.ts"
import type { AccountId, PluginId } from "../shared/Id.ts"
import { Ids } from "../shared/Ids.ts"
import { lookUntil } from "../shared/Looking.ts"
import { AskedConfigurationStore } from "./AskedConfigurationStore.ts"
import type { ConfigurationAnswer } from "./ConfigurationAnswer.ts"

const lookEvery = Duration.millis(250)

/** How long a change waits for those before it. */
const turnMax = Duration.seconds(60)

/** How long it waits for its answer: the plugin has thirty seconds, and as many for a change at its own instance before. */
const answerMax = Duration.seconds(65)

const late: ConfigurationAnswer = { _tag: "Late" }
const gone: ConfigurationAnswer = { _tag: "Gone" }

export const makeConfigurationsElsewhere = Effect.gen(function* () {
  const store = yield* AskedConfigurationStore
  const ids = yield* Ids

  const within = <A>(time: Duration.Duration, look: Effect.Effect<A | undefined>) =>
    lookUntil(look, Predicate.isNotUndefined, { every: lookEvery, within: time })

  const answerTo = (id: string) =>
    Effect.gen(function* () {
      const standing = Option.getOrUndefined(yield* store.find(id, yield* DateTime.now))
      if (standing === undefined) return gone
      return standing.answer ?? (standing.isHeld ? undefined : gone)
    })

  /** What the plugin answers. It is stored by then, if the plugin has taken it. */
  return Effect.fn("ConfigurationsElsewhere.ask")(function* (
    askedBy: AccountId,
    pluginId: PluginId,
    configuration: JsonObject
  ) {
    const id = yield* ids.next
    const asking = Effect.gen(function* () {
      const now = yield* DateTime.now
      const asked = { id, pluginId, askedBy, configuration }
      const isAsked = yield* store.ask(asked, DateTime.addDuration(now, answerMax), now)
      return isAsked ? true : undefined
    })
    const answering = Effect.gen(function* () {
      const isAsked = yield* within(turnMax, asking)
      return (isAsked && (yield* within(answerMax, answerTo(id)))) ?? late
    })
    return yield* Effect.ensuring(answering, store.forget(id))
  })
})
