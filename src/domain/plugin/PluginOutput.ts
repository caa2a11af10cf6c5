/** What supervised plugins write, for administrators. */
import { Context, Effect, Layer } from "effect"
import { PluginLogs } from "./PluginLogs.ts"
import { PluginStore } from "./PluginStore.ts"
import { getSupervised, makePluginViews } from "./PluginViews.ts"

const make = Effect.gen(function* () {
  const store = yield* PluginStore
  const logs = yield* PluginLogs
  const { getBy } = yield* makePluginViews

  /** What is kept of the output of a plugin, and what comes. */
  const follow = Effect.fn("PluginOutput.follow")(function* (given: string) {
    const plugin = yield* getBy(store.find, given)
    yield* getSupervised(plugin)
    return logs.follow(plugin.id)
  })

  return { follow } as const
})

export class PluginOutput extends Context.Service<PluginOutput, Effect.Success<typeof make>>()(
  "forum/domain/PluginOutput"
) {
  static readonly layer = Layer.effect(PluginOutput, make)
}
