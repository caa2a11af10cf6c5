/** Responses whose bytes are made and compressed once, on the first request, and reused for all later ones. */
import { promisify } from "node:util"
import { brotliCompress, constants, gzip } from "node:zlib"
import { Effect, Fiber } from "effect"
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

// The highest quality takes ten times as long for bodies that are a tenth smaller; the first client would wait for it.
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

/** One encoding of the contents, with its own entity tag, since a strong tag identifies bytes. */
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

/** Responds with contents that never change while the service runs. They are made on the first request. */
export const makeCachedResponse = (make: Effect.Effect<Contents>) =>
  Effect.gen(function* () {
    const digest = yield* Digest.Digest

    const prepare = Effect.gen(function* () {
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

    // A fiber of its own: all clients get what the first request starts, also if that request is cancelled. What failed
    // is made again for the next.
    let preparing: Fiber.Fiber<Effect.Success<typeof prepare>> | undefined
    const forget = Effect.sync(() => {
      preparing = undefined
    })
    const begin = Effect.map(Effect.forkDetach(Effect.onError(prepare, () => forget)), (fiber) => {
      preparing = fiber
      return fiber
    })
    const prepared = Effect.flatMap(
      Effect.suspend(() => (preparing === undefined ? begin : Effect.succeed(preparing))),
      Fiber.join
    )

    return (request: HttpServerRequest.HttpServerRequest) =>
      Effect.map(prepared, ({ contentType, variants }) => {
        const { bytes, headers } = variants[encodingFor(request.headers["accept-encoding"])]
        const known = knownEtag(request.headers["if-none-match"])
        return headers.etag === `"${known}"`
          ? HttpServerResponse.empty({ status: 304, headers })
          : HttpServerResponse.uint8Array(bytes, { contentType, headers })
      })
  })
