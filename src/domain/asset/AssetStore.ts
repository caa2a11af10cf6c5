/** What is known of uploaded files; their bytes are elsewhere. */
import { Context, type Effect } from "effect"
import type { AssetId } from "../shared/Id.ts"
import type { Asset } from "./Asset.ts"

export class AssetStore extends Context.Service<
  AssetStore,
  {
    /** Those of these assets that there are, each with its parent. An asset that was found once stays. */
    readonly findByIds: (ids: ReadonlyArray<AssetId>) => Effect.Effect<ReadonlyMap<AssetId, Asset>>
  }
>()("forum/domain/AssetStore") {}
