import * as PluginStoreSql from "../../../persistence/plugin/PluginStoreSql.ts"
import { type Area, empty } from "./Area.ts"

/** Programs that extend the service. */
export const plugin = {
  ...empty,
  stores: PluginStoreSql.layer
} satisfies Area
