/** What is known of uploaded files; their bytes are elsewhere. */
import { Context, type DateTime, type Effect, type Option } from "effect"
import type { ClientNetwork } from "../shared/Client.ts"
import type { AccountId, AssetId } from "../shared/Id.ts"
import type { Asset } from "./Asset.ts"
import type { FileLocation, StoreKind } from "./AssetBytes.ts"
import type { Limits, Sum } from "./UploadQuota.ts"

/** A file as the service keeps it. */
export interface StoredAsset {
  readonly id: AssetId
  /** The name in addresses. */
  readonly filename: string
  /** The name that it was uploaded under. */
  readonly originalName: string
  readonly mimeType: string
  readonly size: number
  readonly width: number
  readonly height: number
  readonly store: StoreKind
}

/** An upload as it counts in the quotas. */
export interface CountedUpload {
  /** The size that is counted, in bytes. */
  readonly size: number
  readonly at: DateTime.Utc
  readonly limits: Limits
}

/** What an account, its network and all together have uploaded today; what may still be uploaded follows from it. */
export interface Uploaded {
  /** Since when the account exists. */
  readonly since: DateTime.Utc
  /** How many bytes count in each sum; a small file counts as more bytes than it has. */
  readonly uploaded: Readonly<Record<Sum, number>>
}

export interface AssetInsert extends StoredAsset {
  readonly at: DateTime.Utc
  /** The owner of the asset; absent if the service fetched it itself. */
  readonly owner: AccountId | undefined
  readonly parent: AssetId | undefined
}

/** An upload is an asset now; or it was abandoned meanwhile; or one of the sums that it counts in would be too much. */
export type Insertion = "inserted" | "abandoned" | Sum

export class AssetStore extends Context.Service<
  AssetStore,
  {
    /** The assets with these ids that exist, each with its parent. Assets are never deleted. */
    readonly findByIds: (ids: ReadonlyArray<AssetId>) => Effect.Effect<ReadonlyMap<AssetId, Asset>>
    readonly findStored: (id: string) => Effect.Effect<Option.Option<StoredAsset>>
    /** The assets with these ids that exist, as the service keeps them. */
    readonly findStoredByIds: (ids: ReadonlyArray<AssetId>) => Effect.Effect<ReadonlyMap<string, StoredAsset>>
    /**
     * Notes that these places belong to nothing: their bytes will be stored, or were replaced. They are removed hours
     * later unless something adopts them.
     */
    readonly noteUploads: (places: ReadonlyArray<FileLocation>, at: DateTime.Utc) => Effect.Effect<void>
    /** What was uploaded on a day by the account, from the network, and by all. */
    readonly findUploaded: (
      account: AccountId,
      network: ClientNetwork,
      day: string
    ) => Effect.Effect<Uploaded>
    /** Counts an upload in all of its sums, or in none if one of them would be too much, which is answered then. */
    readonly countUpload: (upload: CountedUpload) => Effect.Effect<Sum | undefined>
    /** Forgets what was uploaded on days before this one. */
    readonly forgetUploaded: (day: string) => Effect.Effect<void>
    /** Takes the notes of uploads away that belong to something now, and answers whether all were noted and none was abandoned. */
    readonly adoptUploads: (keys: ReadonlyArray<string>) => Effect.Effect<boolean>
    /**
     * Makes an upload that was noted an asset, not one that was abandoned meanwhile; and counts it, if it is to be
     * counted here, unless one of its sums would be too much.
     */
    readonly insert: (asset: AssetInsert, counted: CountedUpload | undefined) => Effect.Effect<Insertion>
    readonly forgetUploads: (keys: ReadonlyArray<string>) => Effect.Effect<void>
    /** Gives up these uploads as far as they are still noted, so that they cannot belong to anything any more. */
    readonly giveUpUploads: (keys: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<FileLocation>>
    /** Gives up some uploads that were noted before this time, so that they cannot become assets any more. */
    readonly abandonUploads: (before: DateTime.Utc) => Effect.Effect<ReadonlyArray<FileLocation>>
  }
>()("forum/domain/AssetStore") {}
