/** Answers with a problem where the application cannot: before a request reaches it, or on the bare connection. */
import { randomBytes } from "node:crypto"
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http"
import type { Duplex } from "node:stream"
import { ProblemDetails } from "effect/http"
import type { AnyProblem } from "../../domain/shared/Problem.ts"
import { undeclaredCaching } from "../../http/contract/Headers.ts"
import { problemBody, problemHeaders } from "../../http/pipeline/ProblemResponse.ts"
import { hasBody } from "./RequestCheck.ts"

// Time for a client to read the answer. Its unread bytes would reset the connection if it closed at once.
const lingerMillis = 1000

const newTraceId = () => randomBytes(16).toString("hex")

const partsOf = (problem: AnyProblem, traceId: string) => {
  const body = JSON.stringify(problemBody(problem, traceId))
  const headers = {
    "content-type": ProblemDetails.contentType,
    "content-length": String(Buffer.byteLength(body)),
    "cache-control": undeclaredCaching,
    "x-content-type-options": "nosniff",
    connection: "close",
    ...problemHeaders(problem)
  }
  return { headers, body }
}

/** Answers on a connection, and closes it. What the client still sends is not used. */
export const answerAndClose = (socket: Duplex, problem: AnyProblem, traceId = newTraceId()): void => {
  const { body, headers } = partsOf(problem, traceId)
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  const head = `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}`
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

const traceIdOf = ({ headers }: IncomingMessage) =>
  /^00-(?!0{32})([\da-f]{32})-(?!0{16})[\da-f]{16}-[\da-f]{2}$/.exec(String(headers.traceparent))?.[1]

/** Answers a request that the application does not get. Its body, if it has one, is not awaited. */
export const answer = (request: IncomingMessage, response: ServerResponse, problem: AnyProblem): void => {
  const traceId = traceIdOf(request) ?? newTraceId()
  if (hasBody(request)) {
    request.resume()
    answerAndClose(request.socket, problem, traceId)
    return
  }
  const { body, headers } = partsOf(problem, traceId)
  response.writeHead(problem.status, headers)
  response.end(body)
}
