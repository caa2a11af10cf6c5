import { Duration, Effect, Layer } from "effect"
import { OwnDataExports } from "../../../domain/owndata/OwnDataExports.ts"
import { OwnDataMaking } from "../../../domain/owndata/OwnDataMaking.ts"
import { OwnDataSignal } from "../../../domain/owndata/OwnDataStore.ts"
import * as OwnDataHandlers from "../../../http/owndata/OwnDataHandlers.ts"
import * as AssetBytesStored from "../../../persistence/asset/AssetBytesStored.ts"
import * as OwnDataArchivesSql from "../../../persistence/owndata/OwnDataArchivesSql.ts"
import * as OwnDataStoreSql from "../../../persistence/owndata/OwnDataStoreSql.ts"
import { type Area, empty } from "./Area.ts"

export const owndata = {
  ...empty,
  // Who asks wakes the worker.
  stores: Layer.mergeAll(
    OwnDataStoreSql.layer,
    OwnDataArchivesSql.layer.pipe(Layer.provide(AssetBytesStored.layer)),
    OwnDataSignal.layer
  ),
  services: Layer.merge(OwnDataExports.layer, OwnDataMaking.layer),
  handlers: OwnDataHandlers.layer,
  chores: Effect.all([
    Effect.map(OwnDataMaking, ({ clean }) => ({
      name: "remove own data that nobody has to download any more",
      every: Duration.hours(1),
      run: clean
    }))
  ]),
  workers: Effect.all([
    Effect.map(OwnDataMaking, ({ follow }) => ({ name: "collect own data", run: follow }))
  ])
} satisfies Area
