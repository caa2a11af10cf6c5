/** What a plugin answers to a new configuration. */
import { Schema } from "effect"

export const ConfigurationAnswer = Schema.Union([
  Schema.TaggedStruct("Taken", {}),
  Schema.TaggedStruct("Refused", {}),
  Schema.TaggedStruct("Failed", { failure: Schema.Struct({ code: Schema.Finite, message: Schema.String }) }),
  Schema.TaggedStruct("Late", {}),
  Schema.TaggedStruct("Gone", {})
])
export type ConfigurationAnswer = typeof ConfigurationAnswer.Type
