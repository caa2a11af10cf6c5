/** What administrators do with plugins, for the event log. Entries of the audit log name plugins that may be gone. */
import { Schema } from "effect"
import { PluginId } from "../shared/Id.ts"

const plugin = { id: PluginId, name: Schema.String }

export const PluginAdded = Schema.TaggedStruct("PluginAdded", {
  ...plugin,
  /** Whether the service runs it, or it connects from elsewhere. */
  mode: Schema.String
})
export type PluginAdded = typeof PluginAdded.Type

export const PluginRemoved = Schema.TaggedStruct("PluginRemoved", plugin)
export type PluginRemoved = typeof PluginRemoved.Type

export const PluginUpdated = Schema.TaggedStruct("PluginUpdated", {
  ...plugin,
  /** What was replaced: its manifest, or its package. */
  changed: Schema.String
})
export type PluginUpdated = typeof PluginUpdated.Type

export const PluginActivated = Schema.TaggedStruct("PluginActivated", plugin)
export type PluginActivated = typeof PluginActivated.Type

export const PluginDeactivated = Schema.TaggedStruct("PluginDeactivated", plugin)
export type PluginDeactivated = typeof PluginDeactivated.Type

export const PluginTokenCycled = Schema.TaggedStruct("PluginTokenCycled", plugin)
export type PluginTokenCycled = typeof PluginTokenCycled.Type

/** Without the values, among which may be secrets. */
export const PluginConfigured = Schema.TaggedStruct("PluginConfigured", plugin)
export type PluginConfigured = typeof PluginConfigured.Type
