import { crc32 } from "node:zlib"
import { Effect, Option, Stream } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import type { Opened } from "../../domain/asset/AssetBytes.ts"
import { bannerSize, extentOf } from "../../domain/instance/InstanceImage.ts"
import { InstanceImages, type ShownImage } from "../../domain/instance/InstanceImages.ts"
import type { ImageKind } from "../../domain/vocabulary/Kinds.ts"
import { ForumApi } from "../Api.ts"
import { knownEtag, notModified } from "../bytes/ConditionalResponse.ts"
import { StreamedBodies } from "../bytes/StreamedBodies.ts"
import { group } from "../pipeline/HandlerGroup.ts"
import { fromNetwork } from "../pipeline/RequestContext.ts"
import { drawImage } from "./DrawnImage.ts"

type Request = HttpServerRequest.HttpServerRequest

const cachingOf: { readonly [Kind in ImageKind]: string } = {
  icon: "public, max-age=31536000",
  banner: "public, max-age=3600"
}

const headersOf = (tag: string, caching: string) => ({
  "cache-control": caching,
  etag: `"${tag}"`,
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'; sandbox",
  // Anyone may read these images, and no answer depends on who asks.
  "access-control-allow-origin": "*"
})

const contentType = "image/png"

const uploaded = ({ length, tag }: ShownImage, bytes: Opened["bytes"], caching: string) =>
  HttpServerResponse.stream(bytes, {
    contentType,
    contentLength: length,
    headers: headersOf(tag, caching)
  })

/** Draws the image of each size once. */
const makeDrawn = () => {
  const known = new Map<string, { readonly bytes: Uint8Array; readonly tag: string }>()
  return (size: string) => {
    const before = known.get(size)
    if (before !== undefined) return before
    const { height, width } = extentOf(size)
    const bytes = drawImage(width, height)
    const drawn = { bytes, tag: `drawn-${size}-${crc32(bytes).toString(16)}` }
    known.set(size, drawn)
    return drawn
  }
}

export const layer = group(
  ForumApi,
  "instanceImages",
  Effect.fnUntraced(function* (handlers) {
    const images = yield* InstanceImages
    const bodies = yield* StreamedBodies
    const drawnIn = makeDrawn()

    const drawn = (size: string, caching: string, known: string | undefined) => {
      const { bytes, tag } = drawnIn(size)
      return known === tag
        ? notModified(tag, caching)
        : HttpServerResponse.uint8Array(bytes, { contentType, headers: headersOf(tag, caching) })
    }

    const get = Effect.fnUntraced(function* (kind: ImageKind, size: string, { headers, method }: Request) {
      const caching = cachingOf[kind]
      const known = knownEtag(headers["if-none-match"])
      const image = yield* images.find(kind, size)
      if (image === undefined) return drawn(size, caching, known)
      if (known === image.tag) return notModified(image.tag, caching)
      if (method === "HEAD") return uploaded(image, Stream.empty, caching)
      const found = yield* image.open
      return Option.isNone(found) ? drawn(size, caching, known) : uploaded(image, found.value.bytes, caching)
    })

    const set = (kind: ImageKind, request: Request) =>
      Effect.as(
        fromNetwork((network) => images.set(kind, bodies.of(request), network)),
        HttpServerResponse.empty({ status: 200 })
      )

    return handlers
      .handleRaw("setIcon", ({ request }) => set("icon", request))
      .handleRaw("setBanner", ({ request }) => set("banner", request))
      .handle("getIcon", ({ params, request }) => get("icon", params.icon_size, request))
      .handle("getBanner", ({ request }) => get("banner", bannerSize, request))
  })
)
