/** Files as objects of a bucket, each under its key. */
import { openAsBlob } from "node:fs"
import { DateTime, Effect, Option, Redacted, Stream } from "effect"
import type { Opened, Part } from "../../domain/asset/AssetBytes.ts"
import type { Bucket } from "./AssetFiles.ts"
import { BucketRefused, unavailable, unavailableUnless } from "./FileErrors.ts"
import type { IncomingFile } from "./IncomingFiles.ts"
import { emptyPayload, signed, unsignedPayload } from "./SignatureV4.ts"

// Less than the time that is left of a request when its body has arrived.
const storeMillis = 25_000

// How long the first byte of the store's answer may take.
const answerMillis = 10_000

// How many characters of what a store says of a failure are logged.
const reasonLength = 500

interface Call {
  readonly method: "GET" | "PUT" | "DELETE"
  readonly key: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Blob
}

const sizeIn = (headers: Headers): number => {
  const whole = /\/(\d+)$/.exec(headers.get("content-range") ?? "")?.[1]
  return Number(whole ?? headers.get("content-length") ?? Number.NaN)
}

export const makeBytesInBucket = ({ accessKeyId, bucket, endpoint, region, secretAccessKey }: Bucket) => {
  const base = `${endpoint.href.replace(/\/$/, "")}/${encodeURIComponent(bucket)}/assets/`
  const credentials = { accessKeyId, region, secretAccessKey: Redacted.value(secretAccessKey) }

  const send = Effect.fnUntraced(function* ({ body, headers = {}, key, method }: Call, signal: AbortSignal) {
    const url = new URL(base + encodeURIComponent(key))
    const payload = body === undefined ? emptyPayload : unsignedPayload
    const at = DateTime.toDateUtc(yield* DateTime.now)
    return yield* unavailableUnless(() =>
      fetch(url, {
        method,
        headers: signed({ method, url, headers, payload }, credentials, at),
        redirect: "error",
        signal,
        ...(body === undefined ? {} : { body })
      })
    )
  })

  const refused = (response: Response) =>
    Effect.flatMap(
      Effect.promise(() => response.text().catch(() => "")),
      (text) => unavailable(new BucketRefused(response.status, text.slice(0, reasonLength)))
    )

  /** A call whose answer has nothing to read. */
  const done = (call: Call, millis: number) =>
    Effect.flatMap(send(call, AbortSignal.timeout(millis)), (response) =>
      response.ok || (call.method === "DELETE" && response.status === 404)
        ? Effect.promise(async () => response.body?.cancel().catch(() => {}))
        : refused(response)
    )

  const open = Effect.fnUntraced(function* (key: string, part?: Part) {
    // Nothing more is received once the scope closes, whether it was read or not.
    const controller = yield* Effect.acquireRelease(
      Effect.sync(() => new AbortController()),
      (controller) => Effect.sync(() => controller.abort())
    )
    const isEmpty = part?.length === 0
    const range = part === undefined || isEmpty ? {} : { range: rangeOf(part) }
    const late = setTimeout(() => controller.abort(), answerMillis)
    const response = yield* Effect.ensuring(
      send({ method: "GET", key, headers: range }, controller.signal),
      Effect.sync(() => clearTimeout(late))
    )
    const { body } = response
    if (response.status === 404) return Option.none<Opened>()
    if (!response.ok) return yield* refused(response)
    // Otherwise the whole file would be sent to the client as if it were the part.
    if ("range" in range && response.status !== 206) {
      return yield* unavailable(new Error("The bucket answered with the whole instead of a part"))
    }
    const bytes =
      body === null || isEmpty
        ? Stream.empty
        : Stream.catch(
            Stream.fromReadableStream({ evaluate: () => body, onError: (error) => error }),
            (error) => Stream.fromEffect(unavailable(error))
          )
    return Option.some<Opened>({ size: sizeIn(response.headers), bytes })
  })

  return {
    keep: ({ path }: IncomingFile, key: string) =>
      Effect.flatMap(
        unavailableUnless(() => openAsBlob(path)),
        (body) => done({ method: "PUT", key, body }, storeMillis)
      ),
    open,
    remove: (key: string) => done({ method: "DELETE", key }, answerMillis)
  } as const
}

const rangeOf = ({ length, start }: Part) => `bytes=${start}-${start + length - 1}`
