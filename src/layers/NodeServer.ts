import { randomBytes } from "node:crypto"
import { createServer, type Server, type ServerResponse, STATUS_CODES } from "node:http"
import type { Duplex } from "node:stream"
import { Context, Layer } from "effect"
import { ProblemDetails } from "effect/http"
import type { AnyProblem } from "../domain/shared/Problem.ts"
import { problemBody, problemHeaders } from "../http/shared/ProblemResponse.ts"
import {
  HeadersTooLarge,
  RequestTooSlow,
  ShuttingDown,
  UnreadableRequest
} from "../http/shared/RequestProblems.ts"

const responseOf = (problem: AnyProblem) => {
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

/** The problem for an error code of Node's parser. */
const problemOf = (code: string | undefined): AnyProblem => {
  if (code === "HPE_HEADER_OVERFLOW") return new HeadersTooLarge()
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return new RequestTooSlow()
  return new UnreadableRequest()
}

const refuse = (socket: Duplex, problem: AnyProblem) => {
  const { body, headers } = responseOf(problem)
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  const head = `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}`
  socket.end([head, ...lines, "", body].join("\r\n"))
}

/** Node's HTTP server and what is needed to stop it in order. */
export interface NodeServerShape {
  readonly server: Server
  /** Whether any request is waiting for the end of its response. */
  readonly isBusy: () => boolean
  /** Closes every connection after the response to its current or next request. */
  readonly stopKeepingAlive: () => void
}

/**
 * A server that responds with a problem where the application cannot:
 * with 503 while no application listens, which is after the port is opened and again during shutdown;
 * and to what Node cannot parse, for which Node itself would send a response without a body.
 */
export const make = (): NodeServerShape => {
  const server = createServer({ requestTimeout: 60_000, headersTimeout: 20_000 })
  const latest = new WeakMap<Duplex, ServerResponse>()
  const open = new Set<ServerResponse>()
  let keepsAlive = true

  const endConnectionAfter = (response: ServerResponse) => {
    if (!response.headersSent) response.setHeader("connection", "close")
  }

  server.on("request", (request, response) => {
    latest.set(request.socket, response)
    open.add(response)
    response.once("close", () => open.delete(response))
    if (!keepsAlive) endConnectionAfter(response)
    if (server.listenerCount("request") > 1) return
    const problem = new ShuttingDown({ metadata: { retry_after: 1 } })
    const { body, headers } = responseOf(problem)
    response.writeHead(problem.status, headers)
    response.end(body)
  })

  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    const response = latest.get(socket)
    // Nothing can be written after a response that has begun, or on a connection that the client has closed.
    const isResponding = response?.headersSent === true && !response.writableFinished
    if (isResponding || !socket.writable || error.code === "ECONNRESET") socket.destroy(error)
    else refuse(socket, problemOf(error.code))
  })

  return {
    server,
    isBusy: () => open.size > 0,
    stopKeepingAlive: () => {
      keepsAlive = false
      for (const response of open) endConnectionAfter(response)
    }
  }
}

export class NodeServer extends Context.Service<NodeServer, NodeServerShape>()("forum/layers/NodeServer") {
  static readonly layer = Layer.sync(NodeServer, make)
}
