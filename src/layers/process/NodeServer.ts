import { Server, ServerResponse } from "node:http"
import { Socket } from "node:net"
import type { Duplex } from "node:stream"
import { Context, Effect, Layer } from "effect"
import type { AnyProblem } from "../../domain/shared/Problem.ts"
import type { BodyProgress } from "../../http/bytes/BodyProgress.ts"
import {
  CapacityExceeded,
  HeadersTooLarge,
  MethodUnknown,
  RequestTooSlow,
  ShuttingDown,
  UnreadableRequest
} from "../../http/contract/RequestProblems.ts"
import type { Figures } from "../../http/operations/ConnectionFigures.ts"
import { makeArrivals } from "../connections/Arrivals.ts"
import { defaultLimits, type Exchange, type Limits, makeConnections } from "../connections/Connections.ts"
import { CountedRequest } from "../connections/CountedRequest.ts"
import { answer, answerAndClose } from "../connections/DirectAnswer.ts"
import { hasRequestLine } from "../connections/RequestCheck.ts"
import { Settings } from "./Settings.ts"

const options = {
  headersTimeout: 10_000,
  // Bodies have a pace instead of a time, which is shorter than the deadline of the work.
  requestTimeout: 0,
  connectionsCheckingInterval: 2000,
  // Longer than proxies keep a connection without requests, which is a minute by default.
  keepAliveTimeout: 75_000,
  // Answered with a problem by us instead.
  requireHostHeader: false,
  // No operation changes the protocol, and then `Upgrade` is to be ignored (RFC 9110, 7.8).
  shouldUpgradeCallback: () => false
}

// Without any traffic on a connection whose request is incomplete, or whose response waits to be received. For a
// response that is partly received Node may look twice.
const stallMillis = 10_000

// Connections that get the answer that there are too many. Beyond them Node closes new ones without an answer.
const refusedConnections = 500

interface ParseError extends Error {
  readonly code?: string
  readonly rawPacket?: Buffer
  readonly bytesParsed?: number
}

/** The problem for an error of Node's parser. */
const problemOf = ({ bytesParsed = 0, code, rawPacket }: ParseError): AnyProblem => {
  if (code === "HPE_HEADER_OVERFLOW") return new HeadersTooLarge()
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return new RequestTooSlow()
  const isMethod = code === "HPE_INVALID_METHOD" && rawPacket !== undefined
  return isMethod && hasRequestLine(rawPacket, bytesParsed) ? new MethodUnknown() : new UnreadableRequest()
}

const isRequestEvent = (event: string | symbol): event is Exchange["event"] =>
  event === "request" || event === "checkContinue" || event === "checkExpectation"

/** Node's HTTP server and what is needed to observe it and to stop it in order. */
export interface NodeServerShape {
  readonly server: Server
  readonly figures: () => Figures
  /** What the application says of the bodies that it takes in parts. */
  readonly bodyProgress: typeof BodyProgress.Service
  /** Whether any request is waiting for the end of its response. */
  readonly isBusy: () => boolean
  /** Closes every connection after the response to its current or next request. */
  readonly stopKeepingAlive: () => void
}

const endConnectionAfter = (response: ServerResponse) => {
  if (!response.headersSent) response.setHeader("connection", "close")
}

/**
 * A server that bounds what each connection, and all of them together, may take, and that responds with a problem
 * where the application cannot: with 503 while no application listens, which is after the port is opened and again
 * during shutdown; and to what Node cannot parse, for which Node itself would send a response without a body.
 */
export const make = (limits: Limits = defaultLimits): NodeServerShape => {
  let keepsAlive = true

  class Request extends CountedRequest {
    override bodyArrived() {
      return connections.bodyArrived(this)
    }
  }

  // A listener cannot stop other listeners from getting an event, so events are taken where they are emitted.
  class BoundedServer extends Server {
    override emit(event: string | symbol, ...details: Array<unknown>): boolean {
      const [first, second] = details
      if (isRequestEvent(event) && first instanceof Request && second instanceof ServerResponse) {
        connections.arrived({ event, request: first, response: second })
        return true
      }
      if (event === "connection" && first instanceof Socket) return this.#connect(first)
      return super.emit(event, ...details)
    }

    #connect(socket: Socket) {
      arrivals.connected()
      if (!connections.hasRoom(socket)) {
        connections.count("connections")
        socket.on("error", () => {}).resume()
        answerAndClose(
          socket,
          new CapacityExceeded({ metadata: { retry_after: 1, exceeded: "connections" } })
        )
        return true
      }
      const isHandled = super.emit("connection", socket)
      connections.opened(socket)
      return isHandled
    }

    serve({ event, request, response }: Exchange) {
      if (!keepsAlive) endConnectionAfter(response)
      if (this.listenerCount("request") > 0) super.emit(event, request, response)
      else answer(request, response, new ShuttingDown({ metadata: { retry_after: 1 } }))
    }
  }

  const server = new BoundedServer({ ...options, IncomingMessage: Request })
  const arrivals = makeArrivals<Exchange>((exchange) => {
    // The client may have left while it waited.
    if (connections.isRunning(exchange.response)) server.serve(exchange)
  })
  const connections = makeConnections(limits, arrivals.requested)
  server.maxConnections = limits.connections + refusedConnections
  server.setTimeout(stallMillis, connections.stalled)
  const looks = setInterval(connections.look, limits.lookEvery).unref()
  server.once("close", () => clearInterval(looks))

  // Without a listener Node answers without a body.
  server.on("checkExpectation", () => {})
  const refuse = (socket: Duplex, problem: AnyProblem) => {
    connections.count("invalid_http")
    connections.endAfterAnswers(socket, problem)
  }
  server.on("connect", (_request, socket) => {
    socket.on("error", () => {})
    refuse(socket, new MethodUnknown())
  })
  server.on("clientError", (error: ParseError, socket) => {
    if (error.code === "ECONNRESET" || !socket.writable) socket.destroy(error)
    else refuse(socket, problemOf(error))
  })

  return {
    server,
    figures: connections.figures,
    bodyProgress: {
      passedOn: (request, bytes) => {
        if (request instanceof Request) connections.bodyPassedOn(request, bytes)
      },
      endSlow: (request) => {
        if (request instanceof Request) connections.endSlow(request)
      }
    },
    isBusy: () => connections.running.size > 0,
    stopKeepingAlive: () => {
      keepsAlive = false
      for (const response of connections.running.values()) endConnectionAfter(response)
    }
  }
}

export class NodeServer extends Context.Service<NodeServer, NodeServerShape>()("forum/layers/NodeServer") {
  static readonly layer = Layer.effect(
    NodeServer,
    Effect.map(Settings, ({ maxConnections }) => make({ ...defaultLimits, connections: maxConnections }))
  )
}
