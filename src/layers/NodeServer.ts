import { randomBytes } from "node:crypto"
import { createServer, type Server, type ServerResponse, STATUS_CODES } from "node:http"
import type { Duplex } from "node:stream"
import { ProblemDetails } from "effect/http"
import type { Occurrence } from "../domain/shared/Problem.ts"
import { problemBody, problemHeaders } from "../http/shared/ProblemResponse.ts"
import {
  HeadersTooLarge,
  RequestTooSlow,
  ShuttingDown,
  UnreadableRequest
} from "../http/shared/RequestProblems.ts"

const answerOf = (problem: Occurrence) => {
  const body = JSON.stringify(problemBody(problem, randomBytes(16).toString("hex")))
  const headers = {
    "content-type": ProblemDetails.contentType,
    "content-length": String(Buffer.byteLength(body)),
    "x-content-type-options": "nosniff",
    connection: "close",
    ...problemHeaders(problem)
  }
  return { headers, body }
}

/** What Node's parser stumbled over, by its code. */
const refusalOf = (code: string | undefined): Occurrence => {
  if (code === "HPE_HEADER_OVERFLOW") return new HeadersTooLarge()
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return new RequestTooSlow()
  return new UnreadableRequest()
}

const refuse = (socket: Duplex, problem: Occurrence) => {
  const { body, headers } = answerOf(problem)
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  const head = `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}`
  socket.end([head, ...lines, "", body].join("\r\n"))
}

/**
 * An HTTP server that has a problem to answer with where no app is asked: 503
 * as long as none listens, between the opened port and the finished app and
 * again at the end, when Node would leave requests without any answer; and for
 * what is not a request at all, which Node would answer without a body.
 */
export const makeNodeServer = (): Server => {
  const server = createServer({ requestTimeout: 60_000, headersTimeout: 20_000 })
  const answering = new WeakMap<Duplex, ServerResponse>()

  server.on("request", (request, response) => {
    answering.set(request.socket, response)
    if (server.listenerCount("request") > 1) return
    const problem = new ShuttingDown({ metadata: { retry_after: 1 } })
    const { body, headers } = answerOf(problem)
    response.writeHead(problem.status, headers)
    response.end(body)
  })

  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    const response = answering.get(socket)
    // Nothing may follow an answer that is on its way, and nobody reads on a connection that is gone.
    const isBusy = response?.headersSent === true && !response.writableFinished
    if (isBusy || !socket.writable || error.code === "ECONNRESET") socket.destroy(error)
    else refuse(socket, refusalOf(error.code))
  })
  return server
}
