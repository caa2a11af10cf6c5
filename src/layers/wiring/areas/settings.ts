import { Layer } from "effect"
import { Administration } from "../../../domain/instance/Administration.ts"
import { InstanceSettings } from "../../../domain/settings/InstanceSettings.ts"
import * as SettingsHandlers from "../../../http/settings/SettingsHandlers.ts"
import * as SettingsStoreSql from "../../../persistence/settings/SettingsStoreSql.ts"
import { type Area, empty } from "./Area.ts"

export const settings = {
  ...empty,
  stores: SettingsStoreSql.layer,
  services: Layer.merge(InstanceSettings.layer, Administration.layer),
  handlers: SettingsHandlers.layer
} satisfies Area
