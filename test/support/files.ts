/** Files to upload: images that consist of their headers, and others. */
import { type IncomingHttpHeaders, request } from "node:http"
import { buffer } from "node:stream/consumers"
import { Effect } from "effect"
import { ok } from "./answers.ts"
import { type Person, query } from "./people.ts"
import { port } from "./raw.ts"

export const bytesOf = (...parts: ReadonlyArray<string | ReadonlyArray<number> | Uint8Array>): Uint8Array =>
  Buffer.concat(
    parts.map((part) => (typeof part === "string" ? Buffer.from(part, "latin1") : Buffer.from(part)))
  )

const be16 = (number: number) => [number >>> 8, number & 255]
const be32 = (number: number) => [...be16(number >>> 16), ...be16(number & 0xffff)]
const le16 = (number: number) => be16(number).reverse()
const le24 = (number: number) => [...le16(number & 0xffff), number >>> 16]
const le32 = (number: number) => be32(number).reverse()

export const png = (width: number, height: number) =>
  bytesOf("\x89PNG\r\n\x1a\n", be32(13), "IHDR", be32(width), be32(height), [8, 2, 0, 0, 0], be32(0))

export const gif = (width: number, height: number) =>
  bytesOf("GIF89a", le16(width), le16(height), [0, 0, 0, 0x3b])

const riff = (chunk: Uint8Array) => bytesOf("RIFF", le32(4 + chunk.length), "WEBP", chunk)

export const webp = {
  lossy: (width: number, height: number) =>
    riff(bytesOf("VP8 ", le32(10), [0, 0, 0, 0x9d, 0x01, 0x2a], le16(width), le16(height))),
  lossless: (width: number, height: number) =>
    riff(bytesOf("VP8L", le32(5), [0x2f], le32((width - 1) | ((height - 1) << 14)), [0, 0, 0, 0, 0])),
  extended: (width: number, height: number) =>
    riff(bytesOf("VP8X", le32(10), [0, 0, 0, 0], le24(width - 1), le24(height - 1)))
}

/** With so many bytes of metadata before the size. */
export const jpeg = (width: number, height: number, metadata = 0) => {
  const segments: Array<Uint8Array> = []
  for (let left = metadata; left > 0; left -= 65_533) {
    const length = Math.min(left, 65_533)
    segments.push(bytesOf([0xff, 0xe1], be16(length + 2), Buffer.alloc(length, 0xff)))
  }
  const frame = bytesOf([0xff, 0xff, 0xc2], be16(8), [8], be16(height), be16(width), [0])
  const tables = bytesOf([0xff, 0xc4], be16(4), [0, 0], [0xff, 0xd0])
  return bytesOf([0xff, 0xd8, 0xff, 0xe0], be16(4), [1, 2], ...segments, tables, frame, [0xff, 0xd9])
}

export interface Download {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly bytes: Buffer
}

const receive = (port: number, method: string, path: string, headers: Readonly<Record<string, string>>) =>
  new Promise<Download>((resolve, reject) => {
    const sent = request({ host: "127.0.0.1", port, path, method, headers, agent: false }, (message) => {
      buffer(message).then(
        (bytes) => resolve({ status: message.statusCode ?? 0, headers: message.headers, bytes }),
        reject
      )
    })
    sent.on("error", reject).end()
  })

/** Reads the file at a path of the API as bytes. */
export const download = (
  path: string,
  headers: Readonly<Record<string, string>> = {},
  method: "GET" | "HEAD" = "GET"
) => Effect.flatMap(port, (port) => Effect.promise(() => receive(port, method, encodeURI(path), headers)))

/** Uploads a file, which has to succeed. */
export const upload = (person: Person, file: Uint8Array, parameters: Readonly<Record<string, string>> = {}) =>
  Effect.map(person.post(`/assets${query(parameters)}`, file), ok)
