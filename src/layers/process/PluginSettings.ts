/** Reads how plugins run: how often they are started again, and what each may use. */
import { Duration, Effect } from "effect"
import { type PluginRuntimeSettings, usualLimits } from "../../domain/plugin/PluginRuntime.ts"
import { usualPolicy } from "../../domain/plugin/SupervisionRules.ts"
import { readLifetime } from "./KeySettings.ts"
import { integer, setting } from "./Setting.ts"

const minute = 60
const hour = 60 * minute

const time = (name: string, range: string, most: number, usual: Duration.Duration) =>
  Effect.map(setting(name, `a time from ${range}, like 90s, 15m or 1h`, readLifetime(1, most)), (seconds) =>
    seconds === undefined ? usual : Duration.seconds(seconds)
  )

export const readPluginSettings = Effect.gen(function* () {
  const restartsMax = yield* integer("PLUGIN_MAX_RESTART_ATTEMPTS", 0, 100)
  const memoryMegabytes = yield* integer("PLUGIN_MEMORY_MEGABYTES", 32, 65_536)
  const diskMegabytes = yield* integer("PLUGIN_DISK_MEGABYTES", 1, 65_536)
  return {
    policy: {
      restartsMax: restartsMax ?? usualPolicy.restartsMax,
      backoffMax: yield* time("PLUGIN_MAX_BACKOFF_DURATION", "1s to 1h", hour, usualPolicy.backoffMax),
      settledAfter: yield* time("PLUGIN_RUNTIME_CRASH_THRESHOLD", "1s to 1h", hour, usualPolicy.settledAfter),
      settledBackoff: yield* time(
        "PLUGIN_RUNTIME_CRASH_BACKOFF",
        "1s to 10m",
        10 * minute,
        usualPolicy.settledBackoff
      )
    },
    limits: {
      ...usualLimits,
      memoryMegabytes: memoryMegabytes ?? usualLimits.memoryMegabytes,
      diskMegabytes: diskMegabytes ?? usualLimits.diskMegabytes
    }
  } satisfies PluginRuntimeSettings
})
