/** The `fetch` of libraries that speak to providers: what they ask for goes through the port for such requests. */
import { Effect } from "effect"
import { Outbound, type OutboundAnswer, type OutboundRequest } from "../../../domain/outbound/Outbound.ts"

export interface FetchOptions {
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: unknown
}

export type Fetch = (url: string, options: FetchOptions) => Promise<Response>

// What a provider tells of itself is the longest; that of large ones has some ten kilobytes.
const maxBytes = 512 * 1024

/** How long a provider has for one answer. */
const within = "5 seconds"

const set = new Set(["accept", "content-type", "content-length", "user-agent", "accept-encoding", "host"])

/** The headers that a library wants beside those that the port sets itself. */
const others = (headers: FetchOptions["headers"]) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !set.has(name.toLowerCase())))

const bodyOf = ({ body, headers, method }: FetchOptions): Pick<OutboundRequest, "body"> => {
  if (method === "GET" && (body === undefined || body === null)) return {}
  if (method !== "POST" || !(typeof body === "string" || body instanceof URLSearchParams)) {
    throw new TypeError(`A library wants to send ${method} with a body of another kind`)
  }
  const contentType = headers["content-type"] ?? "application/x-www-form-urlencoded"
  return { body: { contentType, bytes: new TextEncoder().encode(body.toString()) } }
}

const withoutBody = new Set([204, 205, 304])

const responseOf = ({ body, headers, status }: OutboundAnswer): Response => {
  // The port has decompressed the body, and gives it whole.
  const { "content-encoding": _, "content-length": __, "transfer-encoding": ___, ...rest } = headers
  return new Response(withoutBody.has(status) ? null : Uint8Array.from(body), { status, headers: rest })
}

/** Sends requests through the port, and rejects with its failures. No redirect is followed. */
export const makeGuardedFetch = Effect.gen(function* () {
  const outbound = yield* Outbound
  const run = Effect.runPromiseWith(yield* Effect.context<never>())
  const fetch: Fetch = async (url, options) => {
    const request: OutboundRequest = {
      url,
      ...bodyOf(options),
      accept: options.headers.accept ?? "application/json",
      headers: others(options.headers),
      maxBytes,
      beyond: "failure",
      redirects: 0,
      within
    }
    return responseOf(await run(outbound.send(request)))
  }
  return fetch
})
