import { InstanceSettings } from "../../domain/settings/InstanceSettings.ts"
import * as SettingsStoreSql from "../../persistence/settings/SettingsStoreSql.ts"
import { type Area, empty } from "./Area.ts"

export const settings = {
  ...empty,
  stores: SettingsStoreSql.layer,
  services: InstanceSettings.layer
} satisfies Area
