import { Effect, Option, Stream } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import type { Opened } from "../../domain/asset/AssetBytes.ts"
import type { StoredAsset } from "../../domain/asset/AssetStore.ts"
import { Assets } from "../../domain/asset/Assets.ts"
import { thumbnailKey } from "../../domain/asset/Thumbnails.ts"
import { themeTypes } from "../../domain/theme/ThemeRules.ts"
import { ForumApi } from "../Api.ts"
import { knownEtag, notModified } from "../bytes/ConditionalResponse.ts"
import { StreamedBodies } from "../bytes/StreamedBodies.ts"
import { group } from "../pipeline/HandlerGroup.ts"
import { fromNetwork, RequestContext } from "../pipeline/RequestContext.ts"
import { RangeNotSatisfiable } from "./AssetsApi.ts"
import { continues, selectRange } from "./ByteRange.ts"
import { dispositionOf } from "./Disposition.ts"

/**
 * The `Cache-Control` of a file, which never changes. Web pages load the files of themes with each view, so browsers
 * are told not even to ask for those again.
 */
const cachingOf = (mimeType: string): string =>
  themeTypes.has(mimeType) ? "public, max-age=31536000, immutable" : "public, max-age=31536000"

/** The form of a file that is answered: its type, its entity tag and its size. */
interface Representation {
  readonly mimeType: string
  readonly tag: string
  /** The length of the whole file. */
  readonly size: number
}

const headersOf = ({ originalName }: StoredAsset, { mimeType, tag }: Representation) => ({
  "cache-control": cachingOf(mimeType),
  etag: `"${tag}"`,
  "accept-ranges": "bytes",
  "content-disposition": dispositionOf(mimeType, originalName),
  "content-security-policy": "default-src 'none'; sandbox",
  // Anyone may read files, and no answer depends on who asks: pages of all sites may check their integrity.
  "access-control-allow-origin": "*"
})

const whole = (asset: StoredAsset, representation: Representation, { bytes }: Pick<Opened, "bytes">) =>
  HttpServerResponse.stream(bytes, {
    contentType: representation.mimeType,
    contentLength: representation.size,
    headers: headersOf(asset, representation)
  })

export const layer = group(
  ForumApi,
  "assets",
  Effect.fnUntraced(function* (handlers) {
    const assets = yield* Assets
    const bodies = yield* StreamedBodies

    const answerOriginal = Effect.fnUntraced(function* (
      asset: StoredAsset,
      { headers, method }: HttpServerRequest.HttpServerRequest
    ) {
      const { mimeType, size } = asset
      const representation = { mimeType, size, tag: asset.id }
      // Only GET has parts (RFC 9110, 14.2), and HEAD needs no bytes.
      if (method === "HEAD") return whole(asset, representation, { bytes: Stream.empty })
      const isSamePart = continues(headers["if-range"], `"${asset.id}"`)
      const selected = isSamePart ? selectRange(headers.range, size) : "whole"
      if (selected === "unsatisfiable") return yield* new RangeNotSatisfiable({ metadata: { size } })
      if (selected === "whole") return whole(asset, representation, yield* assets.open(asset))
      const { bytes } = yield* assets.open(asset, selected)
      const last = selected.start + selected.length - 1
      return HttpServerResponse.stream(bytes, {
        status: 206,
        contentType: mimeType,
        contentLength: selected.length,
        headers: {
          ...headersOf(asset, representation),
          "content-range": `bytes ${selected.start}-${last}/${size}`
        }
      })
    })

    const answer = Effect.fnUntraced(function* (
      name: string,
      width: number | undefined,
      request: HttpServerRequest.HttpServerRequest
    ) {
      const asset = yield* assets.get(name)
      const known = knownEtag(request.headers["if-none-match"])
      const isKnown = known === asset.id || (width !== undefined && known === thumbnailKey(asset.id, width))
      if (known !== undefined && isKnown) return notModified(known, cachingOf(asset.mimeType))
      const { network } = (yield* RequestContext).client
      const small = width === undefined ? Option.none() : yield* assets.thumbnail(asset, width, network)
      return Option.isNone(small)
        ? yield* answerOriginal(asset, request)
        : whole(asset, { ...small.value, tag: small.value.key }, small.value)
    })

    return handlers
      .handleRaw("upload", ({ query, request }) =>
        fromNetwork((network) =>
          assets.create(
            { name: query.filename, parent: query.parent_asset_id, bytes: bodies.of(request) },
            network
          )
        )
      )
      .handle("get", ({ params, query, request }) =>
        answer(params.asset_filename, query.width === undefined ? undefined : Number(query.width), request)
      )
  })
)
