/** Checks what HTTP requires of every request, as far as Node's parser does not. */
import type { IncomingMessage } from "node:http"
import type { Fault } from "./Fault.ts"

const isHost = /^(\[[\da-f:.]+\]|[\w.~!$&'()*+,;=%-]*)(:\d*)?$/i

const countHosts = (rawHeaders: ReadonlyArray<string>) => {
  let hosts = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]
    if (name?.length === 4 && name.toLowerCase() === "host") hosts++
  }
  return hosts
}

/** Whether a request has exactly one Host, which may be empty; HTTP/1.0 may have none (RFC 9112, 3.2). */
const hasValidHost = ({ headers, httpVersionMinor, rawHeaders }: IncomingMessage): boolean => {
  const { host } = headers
  if (host === undefined) return httpVersionMinor === 0
  return isHost.test(host) && countHosts(rawHeaders) === 1
}

export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0

/** What is wrong with a request that the application may not get. */
export const faultOfRequest = (request: IncomingMessage): Fault | undefined => {
  const encoding = request.headers["content-encoding"]
  if (encoding !== undefined && !/^(identity)?$/i.test(encoding) && hasBody(request)) {
    return { reason: "encoding", encoding }
  }
  return hasValidHost(request) ? undefined : { reason: "unreadable" }
}

const laterTraceparent =
  /^(?!00|ff)[\da-f]{2}-(?<trace>[\da-f]{32}-[\da-f]{16})-[\da-f](?<flags>[\da-f])(-.*)?$/

/**
 * Writes a `traceparent` of a later version as version 00, which is the only one that tracing knows. Later versions
 * begin with the same parts, and only the flag "sampled" may be taken over (W3C Trace Context, 4.3).
 */
const useKnownTraceparent = ({ headers }: IncomingMessage) => {
  const given = headers.traceparent
  if (typeof given !== "string" || given.startsWith("00-")) return
  const parts = laterTraceparent.exec(given)?.groups
  if (parts === undefined) return
  const isSampled = Number.parseInt(parts.flags ?? "0", 16) % 2 === 1
  headers.traceparent = `00-${parts.trace}-${isSampled ? "01" : "00"}`
}

/** Encodes `;` and `#`, at which the router would cut off the rest of a path. They are ordinary characters in it. */
const encodeDelimiters = (request: IncomingMessage) => {
  const url = request.url ?? "/"
  if (!url.includes(";") && !url.includes("#")) return
  const query = url.indexOf("?")
  const path = query < 0 ? url : url.slice(0, query)
  request.url = path.replaceAll(";", "%3B").replaceAll("#", "%23") + url.slice(path.length)
}

/** Changes what the application would misunderstand in a request into what it understands. */
export const adapt = (request: IncomingMessage): void => {
  useKnownTraceparent(request)
  encodeDelimiters(request)
}

// A request line as it would be with a method that Node knows.
const requestLine = /^[!#$%&'*+.^_`|~\w-]+ \S+ HTTP\/1\.[01]\r?$/

/** Whether a packet that Node cannot parse at `offset` has a complete request line there. */
export const hasRequestLine = (packet: Buffer, offset: number): boolean => {
  const start = packet.lastIndexOf("\n", Math.max(0, offset - 1)) + 1
  const end = packet.indexOf("\n", start)
  return end > 0 && end - start < 8192 && requestLine.test(packet.toString("latin1", start, end))
}
