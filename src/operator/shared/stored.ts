import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { Layer } from "effect"
import { assetFiles } from "../../layers/wiring/Files.ts"
import * as AssetBytesStored from "../../persistence/asset/AssetBytesStored.ts"
import { settings } from "../Environment.ts"

/** The files of the service, where its settings say. */
export const stored = AssetBytesStored.layer.pipe(
  Layer.provide(assetFiles),
  Layer.provide(NodeCrypto.layer),
  Layer.provideMerge(settings)
)
