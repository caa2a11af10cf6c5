/** What becomes of a plugin, as everybody sees it who may see plugins. */
import type { DateTime } from "effect"
import type { JsonObject } from "../field/Json.ts"

export const pluginStates = ["inactive", "starting", "connecting", "active", "restarting", "error"] as const
export type PluginStateName = (typeof pluginStates)[number]

/** What became of a plugin and since when; where it failed, how. */
export type PluginState = { readonly at: DateTime.Utc } & (
  | { readonly name: "inactive" | "starting" | "connecting" | "active" }
  | { readonly name: "restarting" | "error"; readonly message: string; readonly details: JsonObject }
)
