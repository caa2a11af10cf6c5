/** Runs one plugin on this instance: starts its process, and starts it again when it has crashed. */
import { Context, DateTime, Deferred, Effect, Layer } from "effect"
import type { JsonObject } from "../field/Json.ts"
import type { PluginId } from "../shared/Id.ts"
import { beginningOf } from "./Beginning.ts"
import { PluginInstance } from "./PluginInstance.ts"
import { type Crash, makeProcessRun, type SupervisedPlugin } from "./PluginProcessRun.ts"
import { PluginRuntimeSettings } from "./PluginRuntime.ts"
import { PluginSessions } from "./PluginSessions.ts"
import { PluginStore } from "./PluginStore.ts"
import { decideAfterCrash } from "./SupervisionRules.ts"

/** How much is said of why a plugin failed, in characters. */
const textMax = 2000

const detailsOf = ({ code, stage, text }: Crash): JsonObject => ({
  runtime_provider: "local",
  stage,
  error: text,
  ...(code === undefined ? {} : { exit_code: code })
})

const make = Effect.gen(function* () {
  const store = yield* PluginStore
  const { policy } = yield* PluginRuntimeSettings
  const { name: instance } = yield* PluginInstance
  const runOnce = yield* makeProcessRun

  /** Says how a plugin failed; its lease is given back where it is not started again. */
  const sayFailed = Effect.fnUntraced(function* (id: PluginId, name: "restarting" | "error", crash: Crash) {
    const said = { ...crash, text: beginningOf(crash.text, textMax) }
    const state = { name, at: yield* DateTime.now, message: said.text, details: detailsOf(said) }
    yield* store.setState(id, instance, state, name === "restarting")
  })

  /**
   * Runs a plugin until it is to stop, or has crashed too often. Its lease is kept until then, and given back with what
   * became of it.
   */
  const run = Effect.fn("PluginSupervision.run")(function* (
    supervised: SupervisedPlugin,
    stopping: Deferred.Deferred<void>
  ) {
    const { id } = supervised.plugin
    let restarts = 0
    while (true) {
      const ended = yield* runOnce(supervised, stopping)
      if (ended._tag === "Stopped") return
      const next = decideAfterCrash(policy, restarts, ended.uptime)
      yield* Effect.annotateLogs(Effect.logWarning("A plugin has ended", ended.text), { plugin_id: id })
      if (next._tag === "GiveUp") {
        yield* sayFailed(id, "error", ended)
        return
      }
      restarts = next.restarts
      yield* sayFailed(id, "restarting", ended)
      const isStopping = yield* Effect.raceFirst(
        Effect.as(Effect.sleep(next.after), false),
        Effect.as(Deferred.await(stopping), true)
      )
      if (isStopping) return
    }
  })

  return { run } as const
})

export class PluginSupervision extends Context.Service<PluginSupervision, Effect.Success<typeof make>>()(
  "forum/domain/PluginSupervision"
) {
  static readonly layer = Layer.effect(PluginSupervision, make).pipe(
    Layer.provide(Layer.merge(PluginSessions.layer, PluginInstance.layer))
  )
}
