import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Asset, AssetBytesUnavailable, AssetNotFound, TooManyThumbnails } from "../../domain/asset/Asset.ts"
import { nameMax } from "../../domain/asset/AssetName.ts"
import { StorageFull } from "../../domain/asset/DiskSpace.ts"
import { UploadQuotaExceeded } from "../../domain/asset/UploadQuota.ts"
import * as Text from "../../domain/field/Text.ts"
import { AssetId } from "../../domain/shared/Id.ts"
import { Problem } from "../../domain/shared/Problem.ts"
import { everyone, membersWith } from "../contract/AccessPolicies.ts"
import { conditionalHeaders } from "../contract/Conditional.ts"
import { CacheControl, ETag } from "../contract/Headers.ts"
import { operation } from "../contract/Operation.ts"

/** The largest file, in bytes. */
export const fileMax = 50 * 1024 * 1024

export class RangeNotSatisfiable extends Problem<RangeNotSatisfiable>()("RangeNotSatisfiable", {
  status: 416,
  title: "The file has no such part",
  explanation:
    "The part that the header `Range` asks for begins after the end of the file, which has `size` bytes, or is empty.",
  metadata: { size: Schema.Int }
}) {}

const bytes = "*/*"

const cached = { "cache-control": CacheControl, etag: ETag }

const described = {
  ...cached,
  "accept-ranges": Schema.String.annotate({ title: "Accept-Ranges", description: "`bytes`" }),
  "content-disposition": Schema.String.annotate({
    title: "Content-Disposition",
    description: "The name that the file was uploaded under, and whether browsers show it or save it"
  })
}

const Whole = HttpApiSchema.WithHeaders(HttpApiSchema.StreamUint8Array({ contentType: bytes }), described)

const Part = HttpApiSchema.WithHeaders(
  Schema.Uint8Array.annotate({ description: "The part that `Range` asks for" }).pipe(
    HttpApiSchema.asUint8Array({ contentType: bytes }),
    HttpApiSchema.status(206)
  ),
  {
    ...described,
    "content-range": Schema.String.annotate({
      title: "Content-Range",
      description: "Which part it is, and how long the file is"
    })
  }
)

const NotModified = HttpApiSchema.WithHeaders(
  HttpApiSchema.Empty(304).annotate({
    description: "The file of the tag in `If-None-Match`; files never change"
  }),
  cached
)

export class AssetsApi extends HttpApiGroup.make("assets")
  .add(
    HttpApiEndpoint.post("upload", "/", {
      query: {
        filename: Schema.optionalKey(
          Text.line({
            max: nameMax,
            description:
              "The name of the file. People see it, and the name in addresses is made from it; `untitled` if absent."
          })
        ),
        parent_asset_id: Schema.optionalKey(AssetId).annotateKey({
          description: "The file that this one was derived from, such as the original of a cropped image"
        })
      },
      payload: HttpApiSchema.StreamUint8Array({ contentType: "application/octet-stream" }),
      success: Asset,
      error: [AssetNotFound, AssetBytesUnavailable, StorageFull, UploadQuotaExceeded]
    }).pipe(
      operation({
        id: "AssetUpload",
        cost: "upload",
        maxBody: fileMax,
        takesAnyType: true,
        summary: "Upload a file",
        description:
          "The body is the file itself, of any kind, with or without `Content-Length`. Its type is recognised by its contents: neither the header `Content-Type` nor the name counts, except that the name tells kinds of text apart, such as CSS. Every mebibyte has 25 seconds to arrive. Two files of an account arrive at a time; others wait for them. What an account may upload on a day is limited, and so is what may come from its network and from all people together.",
        access: membersWith("UPLOAD_ASSET")
      })
    ),
    HttpApiEndpoint.get("get", "/:asset_filename", {
      params: {
        asset_filename: Text.mark({ description: "The `filename` of the asset, or its id" })
      },
      query: {
        width: Schema.optionalKey(
          Schema.Literals(["64", "160", "320", "640", "1280"]).annotate({
            description:
              "The most pixels that an image should be wide, to be answered as WebP. Images that are not wider, files that are not PNG, JPEG, GIF or WebP, and images of more than 40 million pixels are answered as they are, and so is every image where the service cannot make others."
          })
        )
      },
      headers: {
        ...conditionalHeaders,
        range: Schema.optionalKey(
          Schema.String.annotate({
            title: "Range",
            description: "One part of the file, as `bytes=0-99`. Several are answered with the whole."
          })
        ),
        "if-range": Schema.optionalKey(
          Schema.String.annotate({
            title: "If-Range",
            description: "The `ETag` of the part that the client has; the whole is answered if it is another."
          })
        )
      },
      success: [Whole, Part, NotModified],
      error: [AssetNotFound, AssetBytesUnavailable, RangeNotSatisfiable, TooManyThumbnails]
    }).pipe(
      operation({
        id: "AssetGet",
        cost: "quick",
        summary: "Read an uploaded file",
        description:
          "The bytes as they were uploaded, with the type that they have, which never change, so that they may be kept for a year. Whatever they are, browsers run none of them: the type is not guessed (`nosniff`), and the content security policy allows nothing.",
        access: everyone
      })
    )
  )
  .prefix("/assets")
  .annotateMerge(OpenApi.annotations({ title: "assets", description: "Uploaded files" })) {}
