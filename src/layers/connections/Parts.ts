/** Parts of responses that have begun, of which thousands may be the same bytes at the same time. */
import type { Response } from "./Connection.ts"

const lineEnd = "\r\n"

const chunks = new WeakMap<Uint8Array, Uint8Array>()

/** A part as a chunk (RFC 9112, 7.1), made once for all who get the same. */
const chunkOf = (part: Uint8Array): Uint8Array => {
  const chunk =
    chunks.get(part) ??
    Buffer.concat([Buffer.from(`${part.length.toString(16)}${lineEnd}`), part, Buffer.from(lineEnd)])
  chunks.set(part, chunk)
  return chunk
}

/**
 * Writes a part of a response, without waiting for its client. Answers how many bytes wait for the client since before.
 * A response of Node takes half as long again as the connection itself, as it writes each part in three pieces.
 */
export const writePart = (response: Response, part: Uint8Array): number => {
  const { socket, writableLength: waiting } = response
  // An empty chunk would be the last.
  if (part.length === 0) return waiting
  // What the response keeps comes before what the connection gets.
  const isPassedOn = response.headersSent && socket !== null && waiting === socket.writableLength
  if (isPassedOn && response.chunkedEncoding && response.req.method !== "HEAD") socket.write(chunkOf(part))
  else response.write(part)
  return waiting
}
