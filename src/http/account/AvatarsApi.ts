import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { AccountNotFound } from "../../domain/account/Account.ts"
import { AssetBytesUnavailable } from "../../domain/asset/Asset.ts"
import { StorageFull } from "../../domain/asset/DiskSpace.ts"
import { UploadQuotaExceeded } from "../../domain/asset/UploadQuota.ts"
import * as Text from "../../domain/field/Text.ts"
import { accounts, everyone } from "../contract/AccessPolicies.ts"
import { conditionalHeaders } from "../contract/Conditional.ts"
import { Done } from "../contract/Empty.ts"
import { CacheControl, ETag } from "../contract/Headers.ts"
import { operation } from "../contract/Operation.ts"

/** The largest avatar, in bytes. Pages show many of them. */
export const avatarMax = 10 * 1024 * 1024

const cached = { "cache-control": CacheControl, etag: ETag }

export class AvatarsApi extends HttpApiGroup.make("avatars")
  .add(
    HttpApiEndpoint.post("set", "/self/avatar", {
      headers: {
        "content-length": Schema.String.annotate({
          title: "Content-Length",
          description: "The length of the image in bytes"
        })
      },
      payload: HttpApiSchema.StreamUint8Array({ contentType: "application/octet-stream" }),
      success: Done,
      error: [AssetBytesUnavailable, StorageFull, UploadQuotaExceeded]
    }).pipe(
      operation({
        id: "AccountSetAvatar",
        cost: "upload",
        maxBody: avatarMax,
        takesAnyType: true,
        summary: "Upload your avatar",
        description:
          "The body is the image itself. It is stored as it is; the header `Content-Type` does not matter. It replaces the avatar before.",
        access: accounts
      })
    ),
    HttpApiEndpoint.get("get", "/:account_handle/avatar", {
      params: { account_handle: Text.mark({ description: "The handle or the id of the account" }) },
      headers: conditionalHeaders,
      success: [
        HttpApiSchema.WithHeaders(HttpApiSchema.StreamUint8Array({ contentType: "*/*" }), cached),
        HttpApiSchema.WithHeaders(
          HttpApiSchema.Empty(304).annotate({
            description: "The avatar is the one of the tag in `If-None-Match`"
          }),
          cached
        )
      ],
      error: [AccountNotFound, AssetBytesUnavailable]
    }).pipe(
      operation({
        id: "AccountGetAvatar",
        cost: "quick",
        answersTypes: ["image/png", "image/jpeg", "image/gif", "image/webp"],
        summary: "Read the avatar of an account",
        description:
          "The image as it was uploaded. For an account without one, a PNG image of 128 by 128 pixels, which is always the same for an account. It may be kept for an hour.",
        access: everyone
      })
    )
  )
  .prefix("/accounts")
  .annotateMerge(OpenApi.annotations({ title: "avatars", description: "Images of accounts" })) {}
