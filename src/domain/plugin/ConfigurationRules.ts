/** Which values a plugin takes, by its manifest. Pure. */
import type { JsonObject } from "../field/Json.ts"
import type { ConfigurationField, PluginManifest } from "./PluginManifest.ts"

/** A value that is not of the type of its field. */
export interface MismatchedField {
  readonly id: string
  readonly expected: ConfigurationField["type"]
}

/** The values that are not of the type that the manifest says. A field may have none; values without a field may be any. */
export const mismatchedFields = (
  { configuration_schema }: PluginManifest,
  configuration: JsonObject
): ReadonlyArray<MismatchedField> =>
  (configuration_schema?.fields ?? []).flatMap(({ id, type }) =>
    Object.hasOwn(configuration, id) && typeof configuration[id] !== type ? { id, expected: type } : []
  )
