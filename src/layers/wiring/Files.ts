/** Where the settings say that files are. */
import { Effect, Layer } from "effect"
import { directoryIn } from "../../persistence/asset/AssetBytesStored.ts"
import { AssetFiles } from "../../persistence/asset/AssetFiles.ts"
import { Settings } from "../process/Settings.ts"

export const assetFiles = Layer.effect(
  AssetFiles,
  Effect.map(Settings, ({ bucket, dataDir }) =>
    AssetFiles.of({ directory: directoryIn(dataDir), ...(bucket === undefined ? {} : { bucket }) })
  )
)
