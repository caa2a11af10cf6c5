/** What happens to an instance, for the event log. */
import { Schema } from "effect"
import { JsonObject } from "../field/Json.ts"
import { ImageKind } from "../vocabulary/Kinds.ts"

/** The theme was replaced by another one, or taken away. */
export const ThemeReplaced = Schema.TaggedStruct("ThemeReplaced", {})
export type ThemeReplaced = typeof ThemeReplaced.Type

/** An administrator has changed settings of the instance. */
export const SettingsUpdated = Schema.TaggedStruct("SettingsUpdated", {
  // What everyone may know of them, as they were then: others are told of it later. Older events lack it.
  settings: Schema.optionalKey(JsonObject)
})
export type SettingsUpdated = typeof SettingsUpdated.Type

/** An image of the instance was uploaded. */
export const InstanceImageUpdated = Schema.TaggedStruct("InstanceImageUpdated", { image: ImageKind })
export type InstanceImageUpdated = typeof InstanceImageUpdated.Type
