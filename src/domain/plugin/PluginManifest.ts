/** What a plugin says of itself. */
import type { JsonObject } from "../field/Json.ts"
import type { EventName } from "./EventNames.ts"

interface FieldFacts {
  readonly id: string
  readonly label: string
  readonly description: string
}

/** A value that administrators choose for a plugin. */
export type ConfigurationField = FieldFacts &
  (
    | { readonly type: "string"; readonly default?: string }
    | { readonly type: "number"; readonly default?: number }
    | { readonly type: "boolean"; readonly default?: boolean }
  )

/** The bot that a plugin acts as, and what that may do. */
export interface PluginAccess {
  readonly handle: string
  readonly name: string
  /** Names of permissions; whether there are such is checked when the plugin asks for access. */
  readonly permissions: ReadonlyArray<string>
  readonly bio?: string
  readonly links?: ReadonlyArray<{ readonly text: string; readonly url: string }>
  readonly metadata?: JsonObject
}

export interface PluginManifest {
  readonly id: string
  readonly name: string
  readonly author: string
  readonly description: string
  readonly version: string
  /** The program that a supervised plugin runs, and what it is given. */
  readonly command: string
  readonly args?: ReadonlyArray<string>
  readonly events_consumed?: ReadonlyArray<EventName>
  readonly access?: PluginAccess
  readonly configuration_schema?: { readonly fields: ReadonlyArray<ConfigurationField> }
  readonly capabilities?: ReadonlyArray<JsonObject>
}
