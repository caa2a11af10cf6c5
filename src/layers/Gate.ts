import { randomBytes } from "node:crypto"
import { createServer, type Server, type ServerResponse, STATUS_CODES } from "node:http"
import type { Duplex } from "node:stream"
import type { Declaration } from "../domain/shared/Problem.ts"
import {
  HeadersTooLarge,
  RequestTooSlow,
  ShuttingDown,
  UnreadableRequest
} from "../http/shared/RequestProblems.ts"

const answerOf = ({ explanation: _, name: __, ...problem }: Declaration, metadata: object = {}) => {
  const body = JSON.stringify({ ...problem, trace_id: randomBytes(16).toString("hex"), metadata })
  const headers = {
    "content-type": "application/problem+json",
    "content-length": String(Buffer.byteLength(body)),
    "x-content-type-options": "nosniff",
    connection: "close"
  }
  return { status: problem.status, headers, body }
}

const notOpen = () => {
  const { body, headers, status } = answerOf(ShuttingDown.declaration, { retry_after: 1 })
  return { body, status, headers: { ...headers, "retry-after": "1" } }
}

/** What Node's parser stumbled over, by its code. */
const refusalOf = (code: string | undefined): Declaration => {
  if (code === "HPE_HEADER_OVERFLOW") return HeadersTooLarge.declaration
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return RequestTooSlow.declaration
  return UnreadableRequest.declaration
}

const refuse = (socket: Duplex, code: string | undefined) => {
  const { body, headers, status } = answerOf(refusalOf(code))
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  socket.end([`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, "", body].join("\r\n"))
}

/**
 * An HTTP server that has a problem to answer with where no app is asked: 503
 * as long as none listens, between the opened port and the finished app and
 * again at the end, when Node would leave requests without any answer; and for
 * what is not a request at all, which Node would answer without a body.
 */
export const gatedServer = (): Server => {
  const server = createServer({ requestTimeout: 60_000, headersTimeout: 20_000 })
  const answering = new WeakMap<Duplex, ServerResponse>()

  server.on("request", (request, response) => {
    answering.set(request.socket, response)
    if (server.listenerCount("request") > 1) return
    const { body, headers, status } = notOpen()
    response.writeHead(status, headers)
    response.end(body)
  })

  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    const response = answering.get(socket)
    // Nothing may follow an answer that is on its way, and nobody reads on a connection that is gone.
    const isBusy = response?.headersSent === true && !response.writableFinished
    if (isBusy || !socket.writable || error.code === "ECONNRESET") socket.destroy(error)
    else refuse(socket, error.code)
  })
  return server
}
