import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { AssetBytesUnavailable, TooManyThumbnails } from "../../domain/asset/Asset.ts"
import { StorageFull } from "../../domain/asset/DiskSpace.ts"
import { ImagesUnavailable, ImageTooLarge, NotAnImage } from "../../domain/asset/ImageRefusal.ts"
import { UploadQuotaExceeded } from "../../domain/asset/UploadQuota.ts"
import { bannerSize, IconSize } from "../../domain/instance/InstanceImage.ts"
import { fileMax } from "../asset/AssetsApi.ts"
import { everyone, membersWith } from "../contract/AccessPolicies.ts"
import { conditionalHeaders } from "../contract/Conditional.ts"
import { Done } from "../contract/Empty.ts"
import { CacheControl, ETag } from "../contract/Headers.ts"
import { operation } from "../contract/Operation.ts"

const cached = { "cache-control": CacheControl, etag: ETag }

const images = [
  HttpApiSchema.WithHeaders(HttpApiSchema.StreamUint8Array({ contentType: "*/*" }), cached),
  HttpApiSchema.WithHeaders(
    HttpApiSchema.Empty(304).annotate({ description: "The image is the one of the tag in `If-None-Match`" }),
    cached
  )
] as const

const upload = {
  payload: HttpApiSchema.StreamUint8Array({ contentType: "application/octet-stream" }),
  success: Done,
  error: [
    NotAnImage,
    ImageTooLarge,
    ImagesUnavailable,
    TooManyThumbnails,
    AssetBytesUnavailable,
    StorageFull,
    UploadQuotaExceeded
  ]
} as const

const uploading = {
  cost: "upload",
  maxBody: fileMax,
  takesAnyType: true,
  access: membersWith("MANAGE_SETTINGS")
} as const

const accepted =
  "The body is a PNG, JPEG, GIF or WebP image of at most 40 million pixels, whatever its content type says. What the file contains beside the image, such as where a photograph was taken, is left out."

export class InstanceImagesApi extends HttpApiGroup.make("instanceImages")
  .add(
    HttpApiEndpoint.get("getIcon", "/icon/:icon_size", {
      params: { icon_size: IconSize },
      headers: conditionalHeaders,
      success: images,
      error: AssetBytesUnavailable
    }).pipe(
      operation({
        id: "IconGet",
        cost: "quick",
        answersTypes: ["image/png"],
        summary: "Read the icon of the instance",
        description:
          "A PNG image of exactly this size; a drawn one as long as none was uploaded. Browsers may keep it for a year without asking again.",
        access: everyone
      })
    ),
    HttpApiEndpoint.post("setIcon", "/icon", upload).pipe(
      operation({
        ...uploading,
        id: "IconUpload",
        summary: "Upload the icon of the instance",
        description: `${accepted} It is made square by cutting its longer sides, in all sizes; the icons before are replaced at once.`
      })
    ),
    HttpApiEndpoint.get("getBanner", "/banner", {
      headers: conditionalHeaders,
      success: images,
      error: AssetBytesUnavailable
    }).pipe(
      operation({
        id: "BannerGet",
        cost: "quick",
        answersTypes: ["image/png"],
        summary: "Read the banner of the instance",
        description: `A PNG image of ${bannerSize} pixels; a drawn one as long as none was uploaded. It may be kept for an hour.`,
        access: everyone
      })
    ),
    HttpApiEndpoint.post("setBanner", "/banner", upload).pipe(
      operation({
        ...uploading,
        id: "BannerUpload",
        summary: "Upload the banner of the instance",
        description: `${accepted} It is made ${bannerSize} pixels large, and cut at its longer sides; the banner before is replaced.`
      })
    )
  )
  .prefix("/info")
  .annotateMerge(
    OpenApi.annotations({ title: "instance images", description: "The icon and the banner of the instance" })
  ) {}
