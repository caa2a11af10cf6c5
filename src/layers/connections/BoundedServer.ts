/** Node's HTTP server, with bounds on what each connection, and all connections together, may take. */
import { type IncomingMessage, Server, ServerResponse } from "node:http"
import { Socket } from "node:net"
import type { Duplex } from "node:stream"
import { makeArrivals } from "./Arrivals.ts"
import { type ClientConnections, makeClientConnections, type Options } from "./ClientConnections.ts"
import type { Exchange } from "./Connection.ts"
import { CountedRequest } from "./CountedRequest.ts"
import { answer, answerAndClose } from "./DirectAnswer.ts"
import type { Explain, Fault } from "./Fault.ts"
import type { Figures } from "./Figures.ts"
import { makeListeners } from "./Listeners.ts"
import { writePart } from "./Parts.ts"
import { hasRequestLine } from "./RequestCheck.ts"

const options = {
  headersTimeout: 10_000,
  // Bodies have a pace instead of a time, which is shorter than the deadline of the work.
  requestTimeout: 0,
  connectionsCheckingInterval: 2000,
  // Longer than proxies keep a connection without requests, which is a minute by default.
  keepAliveTimeout: 75_000,
  // Answered with an explanation by us instead.
  requireHostHeader: false
}

// Without any traffic on a connection whose request is incomplete, or whose response waits to be received. For a
// response that is partly received Node may look twice.
const stallMillis = 10_000

/** What becomes of connections whose clients ask for another protocol. */
export interface Upgrades {
  /** Whether a request may change the protocol. Where it may not, its wish is ignored (RFC 9110, 7.8). */
  readonly takes: (request: IncomingMessage) => boolean
  /** Gets the connection, and what was read of it after the request, instead of the application. */
  readonly take: (request: IncomingMessage, socket: Socket, head: Buffer) => void
}

/** Node's HTTP server and what is needed to observe it and to stop it in order. */
export interface BoundedServer {
  readonly server: Server
  /** Opens more listeners where the server listens. Its own has to share the address: `reusePort`, if `sharesAddress`. */
  readonly listenMore: () => void
  readonly figures: () => Figures
  /**
   * What the application says of the bodies that it takes, and the responses that it gives, in parts. Sources that are
   * no requests of this server are ignored.
   */
  readonly bodyProgress: {
    /** Notes that a part has been written elsewhere, so that it does not count as memory any more. */
    readonly passedOn: (source: object, bytes: number) => void
    /**
     * Ends a request whose body arrives more slowly than others can wait: it is answered so, and its connection closed.
     */
    readonly endSlow: (source: object) => void
    /**
     * Writes a part of a response that has begun, without waiting for its client. Answers how many bytes wait for the
     * client since before.
     */
    readonly write: (source: object, bytes: Uint8Array) => number
    /** Ends a request whose client takes its response more slowly than it may. */
    readonly endReader: (source: object) => void
  }
  /** Lets connections change their protocol from now on. */
  readonly upgrading: (upgrades: Upgrades) => void
  /** Whether any request is waiting for the end of its response. */
  readonly isBusy: () => boolean
  /** Closes every connection after the response to its current or next request. */
  readonly stopKeepingAlive: () => void
}

interface ParseError extends Error {
  readonly code?: string
  readonly rawPacket?: Buffer
  readonly bytesParsed?: number
}

/** The fault for an error of Node's parser. */
const faultOf = ({ bytesParsed = 0, code, rawPacket }: ParseError): Fault => {
  if (code === "HPE_HEADER_OVERFLOW") return { reason: "headers" }
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return { reason: "slow" }
  const isMethod = code === "HPE_INVALID_METHOD" && rawPacket !== undefined
  return { reason: isMethod && hasRequestLine(rawPacket, bytesParsed) ? "method" : "unreadable" }
}

const isRequestEvent = (event: string | symbol): event is Exchange["event"] =>
  event === "request" || event === "checkContinue" || event === "checkExpectation"

const endConnectionAfter = (response: ServerResponse) => {
  if (!response.headersSent) response.setHeader("connection", "close")
}

/** What stands between the events of Node's server and its listeners. */
interface Gate {
  readonly mayUpgrade: (request: IncomingMessage) => boolean
  readonly upgraded: (request: IncomingMessage, socket: Socket, head: Buffer) => void
  readonly arrived: (exchange: Exchange) => void
  /** Whether a connection is taken; one that is not taken has been answered. */
  readonly admits: (socket: Socket) => boolean
  readonly opened: (socket: Socket) => void
  /** Nobody can connect any more, and nobody is connected. */
  readonly closed: () => void
}

/** A listener cannot stop other listeners from getting an event, so events are taken where they are emitted. */
class GatedServer extends Server {
  readonly #gate: Gate
  readonly #listeners = makeListeners((socket) => this.emit("connection", socket))
  readonly #connectionsMax: number
  #connections = 0

  constructor(request: typeof IncomingMessage, connectionsMax: number, gate: Gate) {
    super({ ...options, IncomingMessage: request, shouldUpgradeCallback: gate.mayUpgrade })
    this.#connectionsMax = connectionsMax
    this.#gate = gate
  }

  listenMore(): void {
    const at = this.address()
    if (at !== null && typeof at === "object") this.#listeners.open(at)
  }

  override close(callback?: (error?: Error) => void): this {
    const others = this.#listeners.close()
    return super.close((error) => {
      void others.then(() => {
        this.#gate.closed()
        callback?.(error)
      })
    })
  }

  override emit(event: string | symbol, ...details: Array<unknown>): boolean {
    const [first, second, third] = details
    if (event === "upgrade" && first instanceof CountedRequest && second instanceof Socket) {
      this.#gate.upgraded(first, second, third instanceof Buffer ? third : Buffer.alloc(0))
      return true
    }
    if (isRequestEvent(event) && first instanceof CountedRequest && second instanceof ServerResponse) {
      this.#gate.arrived({ event, request: first, response: second })
      return true
    }
    if (event !== "connection" || !(first instanceof Socket)) return super.emit(event, ...details)
    if (!this.#counts(first) || !this.#gate.admits(first)) return true
    const isHandled = super.emit("connection", first)
    this.#gate.opened(first)
    return isHandled
  }

  /** Counts a connection while it is open, or closes it where there are too many: Node counts those of each listener. */
  #counts(socket: Socket): boolean {
    if (this.#connections >= this.#connectionsMax) {
      socket.destroy()
      return false
    }
    this.#connections += 1
    socket.once("close", () => {
      this.#connections -= 1
    })
    return true
  }

  /** Gives a request to the application, if there is one. */
  pass({ event, request, response }: Exchange): boolean {
    return this.listenerCount("request") > 0 && super.emit(event, request, response)
  }
}

/** Answers requests that Node itself would answer without a body, or not at all. */
const answerTheRest = (server: Server, { count, endAfterAnswers }: ClientConnections) => {
  const refuse = (socket: Duplex, fault: Fault) => {
    count("invalid_http")
    endAfterAnswers(socket, fault)
  }
  // Without a listener Node answers without a body.
  server.on("checkExpectation", () => {})
  // Without a listener Node closes the connection.
  server.on("upgrade", () => {})
  server.on("connect", (_request, socket) => {
    socket.on("error", () => {})
    refuse(socket, { reason: "method" })
  })
  server.on("clientError", (error: ParseError, socket) => {
    if (error.code === "ECONNRESET" || !socket.writable) socket.destroy(error)
    else refuse(socket, faultOf(error))
  })
}

/** Whether there is room for a connection; one for which there is none is told so. */
const admitting = ({ count, hasRoom }: ClientConnections, explain: Explain, socket: Socket): boolean => {
  if (hasRoom(socket)) return true
  count("connections")
  socket.on("error", () => {}).resume()
  answerAndClose(socket, explain({ reason: "capacity", exceeded: "connections" }))
  return false
}

/**
 * Makes a server that bounds what each connection, and all connections together, may take. It explains a fault where
 * the application cannot: of what Node cannot parse, and while no application listens, which is after the port is
 * opened and again during shutdown.
 */
export const makeServer = (settings: Omit<Options, "serve">): BoundedServer => {
  const { explain, limits } = settings
  let keepsAlive = true
  let upgrades: Upgrades | undefined

  class Request extends CountedRequest {
    override bodyArrived() {
      return connections.bodies.arrived(this)
    }
  }

  const serve = (exchange: Exchange) => {
    const { request, response } = exchange
    // The client may have left while it waited.
    if (!connections.isRunning(response)) return
    if (!keepsAlive) endConnectionAfter(response)
    // It came when the protocol could not be changed yet, or cannot any more. The application would say that there is
    // nothing at this address, after which programs do not try again.
    const isTooEarlyOrLate = upgrades?.takes(request) === true
    if (isTooEarlyOrLate || !server.pass(exchange))
      answer(request, response, explain({ reason: "stopping" }, request))
  }

  const arrivals = makeArrivals(serve)
  const connections = makeClientConnections({ ...settings, serve: arrivals.requested })
  const server = new GatedServer(Request, limits.connections + limits.refused, {
    mayUpgrade: (request) => keepsAlive && upgrades?.takes(request) === true,
    upgraded: (request, socket, head) => {
      if (connections.upgraded(socket)) upgrades?.take(request, socket, head)
    },
    arrived: connections.arrived,
    admits: (socket) => {
      arrivals.connected()
      return admitting(connections, explain, socket)
    },
    opened: connections.opened,
    closed: () => clearInterval(looks)
  })
  server.setTimeout(stallMillis, connections.stalled)
  const looks = setInterval(connections.look, limits.lookEvery).unref()
  answerTheRest(server, connections)

  return {
    server,
    listenMore: () => server.listenMore(),
    figures: connections.figures,
    bodyProgress: {
      passedOn: (request, bytes) => {
        if (request instanceof Request) connections.bodies.passedOn(request, bytes)
      },
      endSlow: (request) => {
        if (request instanceof Request) connections.bodies.endSlow(request)
      },
      write: (request, bytes) => {
        const response = request instanceof Request ? connections.responseTo(request) : undefined
        if (response === undefined || response.writableEnded || response.destroyed) return 0
        return writePart(response, bytes)
      },
      endReader: (request) => {
        if (!(request instanceof Request)) return
        connections.count("slow_reader")
        request.socket.destroy()
      }
    },
    upgrading: (taking) => {
      upgrades = taking
    },
    isBusy: connections.isBusy,
    stopKeepingAlive: () => {
      keepsAlive = false
      for (const response of connections.running()) endConnectionAfter(response)
    }
  }
}
