/** One request and its answer, over a connection of its own to an address that has been checked. */
import { type IncomingMessage, request as sendHttp } from "node:http"
import { request as sendHttps } from "node:https"
import { isIP, type LookupFunction } from "node:net"
import { pipeline, type Transform } from "node:stream"
import { constants, createBrotliDecompress, createGunzip } from "node:zlib"

// The address and the headers of answers. Few are longer than a fourth of it.
const headersMax = 16 * 1024

export interface Address {
  readonly address: string
  readonly family: 4 | 6
}

export interface Exchange {
  readonly url: URL
  /** The addresses to connect to, in this order; no others are used. */
  readonly addresses: ReadonlyArray<Address>
  readonly headers: Readonly<Record<string, string>>
  /** The body to send with POST; undefined sends a request without a body. */
  readonly body: Uint8Array | undefined
  /** Bytes of the answer's body after which no more are read. */
  readonly maxBytes: number
}

export interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** The body, at most `maxBytes` of it; empty for a redirect. */
  readonly body: Uint8Array
  readonly isCut: boolean
}

/** The body of the answer is compressed in a way that was not asked for. */
export class EncodingUnknown extends Error {}

const decoders: ReadonlyMap<string, () => Transform> = new Map([
  // What is cut off is read as far as it goes.
  ["gzip", () => createGunzip({ finishFlush: constants.Z_SYNC_FLUSH })],
  ["br", () => createBrotliDecompress({ finishFlush: constants.BROTLI_OPERATION_FLUSH })]
])

export const acceptEncoding = [...decoders.keys()].join(", ")

const unbracketed = (hostname: string) => hostname.replace(/^\[(.*)\]$/, "$1")

/** Answers every look-up of a name with the addresses that were checked. */
const answeringWith =
  (addresses: ReadonlyArray<Address>): LookupFunction =>
  (_, options, answer) => {
    const [first] = addresses
    if (options.all === true) answer(null, [...addresses])
    else answer(null, first?.address ?? "", first?.family)
  }

const open = ({ addresses, body, headers, url }: Exchange, signal: AbortSignal) =>
  new Promise<IncomingMessage>((resolve, reject) => {
    const host = unbracketed(url.hostname)
    const options = {
      host,
      port: url.port,
      path: `${url.pathname}${url.search}`,
      method: body === undefined ? "GET" : "POST",
      headers: { host: url.host, ...headers },
      // No connection is used twice, so that none is older than its check.
      agent: false,
      lookup: answeringWith(addresses),
      maxHeaderSize: headersMax,
      signal
    } as const
    // The certificate has to be for the name; a dot at its end is not part of that.
    const servername = isIP(host) === 0 ? host.replace(/\.$/, "") : ""
    const sent =
      url.protocol === "https:" ? sendHttps({ ...options, servername }, resolve) : sendHttp(options, resolve)
    sent.on("error", reject)
    sent.end(body)
  })

const flat = ({ headers }: IncomingMessage): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, Array.isArray(value) ? value.join(", ") : value]]
    )
  )

/** Passes transferred bytes on, and ends when they were more than `max`. */
const upTo = (max: number) =>
  async function* (source: AsyncIterable<Buffer>) {
    let length = 0
    for await (const chunk of source) {
      length += chunk.length
      yield chunk
      // What is compressed is hardly longer than what it contains, unless it is meant to be.
      if (length > max) return
    }
  }

const decoded = (response: IncomingMessage, maxBytes: number): AsyncIterable<Buffer> => {
  const encoding = (response.headers["content-encoding"] ?? "identity").trim().toLowerCase()
  if (encoding === "identity" || encoding === "") return response
  const decoder = decoders.get(encoding)?.()
  if (decoder === undefined) throw new EncodingUnknown(encoding)
  // Errors go to whoever reads the decoder.
  return pipeline(response, upTo(maxBytes), decoder, () => {})
}

const read = async (response: IncomingMessage, maxBytes: number) => {
  const chunks: Array<Buffer> = []
  let length = 0
  for await (const chunk of decoded(response, maxBytes)) {
    chunks.push(chunk)
    length += chunk.length
    if (length > maxBytes) break
  }
  return { body: Buffer.concat(chunks).subarray(0, maxBytes), isCut: length > maxBytes }
}

export const isRedirect = (status: number, headers: Readonly<Record<string, string>>): boolean =>
  [301, 302, 303, 307, 308].includes(status) && headers.location !== undefined

const nothing = { body: new Uint8Array(), isCut: false }

/** Sends a request and reads the answer; the signal ends both. */
export const exchange = async (request: Exchange, signal: AbortSignal): Promise<Reply> => {
  const response = await open(request, signal)
  try {
    const status = response.statusCode ?? 0
    const headers = flat(response)
    const content = isRedirect(status, headers) ? nothing : await read(response, request.maxBytes)
    return { status, headers, ...content }
  } finally {
    response.destroy()
  }
}
