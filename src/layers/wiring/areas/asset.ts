import { Duration, Effect, Layer } from "effect"
import { Assets } from "../../../domain/asset/Assets.ts"
import * as AssetsHandlers from "../../../http/asset/AssetsHandlers.ts"
import * as AssetBytesStored from "../../../persistence/asset/AssetBytesStored.ts"
import * as AssetStoreSql from "../../../persistence/asset/AssetStoreSql.ts"
import { type Area, empty } from "./Area.ts"

export const asset = {
  ...empty,
  stores: Layer.mergeAll(AssetStoreSql.layer, AssetBytesStored.layer),
  services: Assets.layer,
  handlers: AssetsHandlers.layer,
  chores: Effect.all([
    Effect.map(Assets, ({ clean }) => ({
      name: "remove what uploads have left that ended half-way",
      every: Duration.hours(1),
      run: clean
    })),
    Effect.map(Assets, ({ forgetUploaded }) => ({
      name: "forget what was uploaded on days that are over",
      every: Duration.hours(1),
      run: forgetUploaded
    }))
  ])
} satisfies Area
