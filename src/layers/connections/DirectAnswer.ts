/** Answers where the application cannot: before a request reaches it, or on a connection without a request. */
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http"
import type { Duplex } from "node:stream"
import type { Explanation } from "./Fault.ts"
import { hasBody } from "./RequestCheck.ts"

// Time for a client to read the answer. Its unread bytes would reset the connection if it closed at once.
const lingerMillis = 1000

const headersOf = ({ body, headers }: Explanation) => ({
  ...headers,
  "content-length": String(Buffer.byteLength(body)),
  connection: "close"
})

/** Answers on a connection, and closes it. What the client still sends is not used. */
export const answerAndClose = (socket: Duplex, explanation: Explanation): void => {
  const { body, status } = explanation
  const lines = Object.entries(headersOf(explanation)).map(([name, value]) => `${name}: ${value}`)
  const head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}`
  socket.end([head, ...lines, "", body].join("\r\n"))
  const timer = setTimeout(() => socket.destroy(), lingerMillis).unref()
  socket.once("close", () => clearTimeout(timer))
}

/** Reads nothing more, and closes a connection when what was written is sent. */
export const closeUnread = (socket: Duplex): void => {
  socket.pause()
  const destroy = () => socket.destroy()
  socket.end(() => setTimeout(destroy, lingerMillis).unref())
}

/** Answers a request that the application does not get. Its body, if it has one, is not awaited. */
export const answer = (
  request: IncomingMessage,
  response: ServerResponse,
  explanation: Explanation
): void => {
  if (hasBody(request)) {
    request.resume()
    answerAndClose(request.socket, explanation)
    return
  }
  response.writeHead(explanation.status, headersOf(explanation))
  response.end(explanation.body)
}
