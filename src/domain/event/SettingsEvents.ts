/** What happens to the settings, for the event log. */
import { Schema } from "effect"

/** An administrator has changed some of them. */
export const SettingsUpdated = Schema.TaggedStruct("SettingsUpdated", {})
export type SettingsUpdated = typeof SettingsUpdated.Type
