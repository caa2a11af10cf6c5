/** Where the settings of a deployment say that uploaded files go. */
import { Context, type Redacted } from "effect"

/** A bucket of a store that speaks the protocol of Amazon S3. */
export interface Bucket {
  /** The address of the store, without the bucket. */
  readonly endpoint: URL
  readonly bucket: string
  readonly region: string
  readonly accessKeyId: string
  readonly secretAccessKey: Redacted.Redacted
}

export class AssetFiles extends Context.Service<
  AssetFiles,
  {
    /** The directory of the files, and of those that are arriving. It is made when it is first needed. */
    readonly directory: string
    /** The bucket where new files are kept instead; they still arrive in the directory. */
    readonly bucket?: Bucket
  }
>()("forum/persistence/AssetFiles") {}
