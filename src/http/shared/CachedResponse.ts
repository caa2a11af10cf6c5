/** Answers whose bytes are made and compressed once, on the first request, and sent to everyone after that. */
import { promisify } from "node:util"
import { brotliCompress, constants, gzip } from "node:zlib"
import { Effect } from "effect"
import { Digest } from "effect/crypto"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import { type Encoding, encodingFor } from "./Accept.ts"
import { knownEtag } from "./ConditionalResponse.ts"

interface Variant {
  readonly bytes: Uint8Array
  readonly headers: Readonly<Record<string, string>>
}

export interface Contents {
  readonly text: string
  readonly contentType: string
  readonly headers: Readonly<Record<string, string>>
}

// The best ratio that does not keep the first reader waiting: the highest takes ten times as long for a tenth less.
const brotliQuality = 6

const compressors: Readonly<Record<Encoding, (bytes: Uint8Array) => Promise<Uint8Array>>> = {
  br: (bytes) =>
    promisify(brotliCompress)(bytes, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: brotliQuality,
        [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length
      }
    }),
  gzip: (bytes) => promisify(gzip)(bytes),
  identity: (bytes) => Promise.resolve(bytes)
}

/** One form of the contents. Each has a tag of its own, as a tag names bytes. */
const makeVariant = (contents: Contents, bytes: Uint8Array, hash: string, encoding: Encoding) =>
  Effect.map(
    Effect.promise(() => compressors[encoding](bytes)),
    (compressed): Variant => ({
      bytes: compressed,
      headers: {
        ...contents.headers,
        etag: `"${hash}${encoding === "identity" ? "" : `-${encoding}`}"`,
        vary: "Accept-Encoding",
        ...(encoding === "identity" ? {} : { "content-encoding": encoding })
      }
    })
  )

/** Answers with contents that never change while the service runs. They are made when first asked for. */
export const makeCachedResponse = (make: Effect.Effect<Contents>) =>
  Effect.gen(function* () {
    const digest = yield* Digest.Digest

    // Uninterruptible: what the first reader begins is for all, even if that reader goes away.
    const prepare = Effect.uninterruptible(
      Effect.gen(function* () {
        const contents = yield* make
        const bytes = new TextEncoder().encode(contents.text)
        const hash = (yield* digest.digestHex(Digest.sha256, bytes)).slice(0, 32)
        const [br, zipped, identity] = yield* Effect.all(
          [
            makeVariant(contents, bytes, hash, "br"),
            makeVariant(contents, bytes, hash, "gzip"),
            makeVariant(contents, bytes, hash, "identity")
          ],
          { concurrency: "unbounded" }
        )
        return { contentType: contents.contentType, variants: { br, gzip: zipped, identity } }
      })
    )
    const prepared = yield* Effect.cached(prepare)

    return (request: HttpServerRequest.HttpServerRequest) =>
      Effect.map(prepared, ({ contentType, variants }) => {
        const { bytes, headers } = variants[encodingFor(request.headers["accept-encoding"])]
        const known = knownEtag(request.headers["if-none-match"])
        return headers.etag === `"${known}"`
          ? HttpServerResponse.empty({ status: 304, headers })
          : HttpServerResponse.uint8Array(bytes, { contentType, headers })
      })
  })
