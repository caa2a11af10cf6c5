import { Duration, Effect, Layer } from "effect"
import { DeviceConsents } from "../../../domain/oauthdevice/DeviceConsents.ts"
import { Devices } from "../../../domain/oauthdevice/Devices.ts"
import * as DevicesHandlers from "../../../http/oauthdevice/DevicesHandlers.ts"
import * as DeviceStoreSql from "../../../persistence/oauthdevice/DeviceStoreSql.ts"
import { type Area, empty } from "./Area.ts"

export const oauthdevice = {
  ...empty,
  stores: DeviceStoreSql.layer,
  services: Layer.merge(Devices.layer, DeviceConsents.layer),
  handlers: DevicesHandlers.layer,
  chores: Effect.map(Devices, ({ forgetOld }) => [
    { name: "forget devices whose codes have expired", every: Duration.hours(1), run: forgetOld }
  ])
} satisfies Area
