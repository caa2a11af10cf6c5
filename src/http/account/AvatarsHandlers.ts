import { Effect, Stream } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import { Avatars } from "../../domain/account/Avatars.ts"
import type { Opened } from "../../domain/asset/AssetBytes.ts"
import type { StoredAsset } from "../../domain/asset/AssetStore.ts"
import type { AccountId } from "../../domain/shared/Id.ts"
import { ForumApi } from "../Api.ts"
import { dispositionOf } from "../asset/Disposition.ts"
import { knownEtag, notModified } from "../bytes/ConditionalResponse.ts"
import { StreamedBodies } from "../bytes/StreamedBodies.ts"
import { group } from "../pipeline/HandlerGroup.ts"
import { fromNetwork } from "../pipeline/RequestContext.ts"
import { drawAvatar } from "./DrawnAvatar.ts"

const caching = "public, max-age=3600"

const headersOf = (tag: string) => ({
  "cache-control": caching,
  etag: `"${tag}"`,
  // Whatever was uploaded, browsers run none of it.
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'; sandbox",
  // Anyone may read avatars, and no answer depends on who asks.
  "access-control-allow-origin": "*"
})

const drawnTag = (accountId: AccountId) => `drawn-${accountId}`

const drawn = (accountId: AccountId) =>
  HttpServerResponse.uint8Array(drawAvatar(accountId), {
    contentType: "image/png",
    headers: headersOf(drawnTag(accountId))
  })

const uploaded = (asset: StoredAsset, bytes: Opened["bytes"]) =>
  HttpServerResponse.stream(bytes, {
    contentType: asset.mimeType,
    contentLength: asset.size,
    headers: {
      ...headersOf(asset.id),
      "content-disposition": dispositionOf(asset.mimeType, asset.originalName)
    }
  })

export const layer = group(
  ForumApi,
  "avatars",
  Effect.fnUntraced(function* (handlers) {
    const avatars = yield* Avatars
    const bodies = yield* StreamedBodies

    const get = Effect.fnUntraced(function* (
      handle: string,
      { headers, method }: HttpServerRequest.HttpServerRequest
    ) {
      const { accountId, asset } = yield* avatars.get(handle)
      const tag = asset?.id ?? drawnTag(accountId)
      if (knownEtag(headers["if-none-match"]) === tag) return notModified(tag, caching)
      if (asset === undefined) return drawn(accountId)
      if (method === "HEAD") return uploaded(asset, Stream.empty)
      // A file whose bytes are lost is as good as none.
      return yield* avatars.open(asset).pipe(
        Effect.map(({ bytes }) => uploaded(asset, bytes)),
        Effect.catchTag("AssetNotFound", () => Effect.succeed(drawn(accountId)))
      )
    })

    return handlers
      .handleRaw("set", ({ request }) =>
        Effect.as(
          fromNetwork((network) => avatars.set(bodies.of(request), network)),
          HttpServerResponse.empty({ status: 200 })
        )
      )
      .handle("get", ({ params, request }) => get(params.account_handle, request))
  })
)
