import { Schema } from "effect"
import { withExample } from "../field/Example.ts"
import { AssetId } from "../shared/Id.ts"
import { Problem } from "../shared/Problem.ts"
import { photo } from "./AssetExamples.ts"

export class AssetUnknown extends Problem<AssetUnknown>()("AssetUnknown", {
  status: 400,
  title: "The asset does not exist",
  explanation: "A body field names an uploaded file by an id that no file has.",
  metadata: { field: Schema.String, id: Schema.String }
}) {}

const fields = {
  id: AssetId,
  filename: Schema.String.annotate({
    description: "The name in addresses: the id and the words of the name it was uploaded under"
  }),
  path: Schema.String.annotate({ description: "Where its bytes are, below the address of the service" }),
  mime_type: Schema.String.annotate({
    description: "The type of its contents, recognised by the contents themselves"
  }),
  width: Schema.Int.annotate({ description: "In pixels, of PNG, JPEG, GIF and WebP images; 0 for all else" }),
  height: Schema.Int.annotate({ description: "In pixels, as `width`" })
}

/** An uploaded file. Its bytes never change. */
export interface Asset extends Schema.Struct.Type<typeof fields> {
  readonly parent?: Asset
}
export interface AssetEncoded extends Schema.Struct.Encoded<typeof fields> {
  readonly parent?: AssetEncoded
}
export const Asset: Schema.Codec<Asset, AssetEncoded> = Schema.Struct({
  ...fields,
  parent: Schema.optionalKey(Schema.suspend((): Schema.Codec<Asset, AssetEncoded> => Asset)).annotateKey({
    description: "The file that it was derived from, if any; without a `parent` of its own"
  })
})
  .annotate({
    identifier: "Asset",
    description: "An uploaded file"
  })
  .pipe(withExample(photo))

/** Where the bytes of an asset are, below the address of the service. */
export const assetPath = (filename: string): string => `/api/assets/${filename}`

export class AssetNotFound extends Problem<AssetNotFound>()("AssetNotFound", {
  status: 404,
  title: "There is no such file",
  explanation: "No uploaded file has the name in the path, or the id in `parent_asset_id`.",
  metadata: { asset: Schema.String }
}) {}

export class AssetBytesUnavailable extends Problem<AssetBytesUnavailable>()("AssetBytesUnavailable", {
  status: 503,
  title: "The service cannot read or write files right now",
  explanation:
    "The place where uploaded files are kept does not answer, or is full. Nothing of the request was kept; repeat it after the seconds in `Retry-After`.",
  metadata: { retry_after: Schema.Int }
}) {}

export class TooManyThumbnails extends Problem<TooManyThumbnails>()("TooManyThumbnails", {
  status: 503,
  title: "Too many small images are being made",
  explanation:
    "Images of other sizes are made a few at a time, and too many are waiting. Repeat the request after the seconds in `Retry-After`.",
  metadata: { retry_after: Schema.Int }
}) {}
