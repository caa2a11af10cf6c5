import { Effect, Layer } from "effect"
import { AssetStore } from "../../domain/asset/AssetStore.ts"
import { makeAssetReader } from "./AssetRows.ts"

export const layer = Layer.effect(
  AssetStore,
  Effect.map(makeAssetReader, ({ byIds }) => AssetStore.of({ findByIds: byIds }))
)
