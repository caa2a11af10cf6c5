import { Duration, Effect, Layer } from "effect"
import { ErasureRuns } from "../../../domain/erasure/ErasureRuns.ts"
import { Erasures } from "../../../domain/erasure/Erasures.ts"
import * as ErasuresHandlers from "../../../http/erasure/ErasuresHandlers.ts"
import * as ErasureStoreSql from "../../../persistence/erasure/ErasureStoreSql.ts"
import * as RemainsStoreSql from "../../../persistence/erasure/RemainsStoreSql.ts"
import { type Area, empty } from "./Area.ts"

export const erasure = {
  ...empty,
  stores: Layer.merge(ErasureStoreSql.layer, RemainsStoreSql.layer),
  services: Layer.merge(Erasures.layer, ErasureRuns.layer),
  handlers: ErasuresHandlers.layer,
  chores: Effect.all([
    Effect.map(ErasureRuns, ({ drain }) => ({
      name: "erase accounts whose time has come",
      every: Duration.minutes(1),
      run: drain
    }))
  ])
} satisfies Area
