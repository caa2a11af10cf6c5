/** The requests of each connection, one at a time and in order. */
import type { Bodies } from "./Bodies.ts"
import {
  type Connection,
  type Exchange,
  endConnection,
  type Response,
  type Shared,
  stopWanting
} from "./Connection.ts"
import { answer } from "./DirectAnswer.ts"
import type { Fault } from "./Fault.ts"
import { adapt, faultOfRequest, hasBody } from "./RequestCheck.ts"
import type { Responses } from "./Responses.ts"

// How many requests are read while another one is in progress. If more arrive together, more are read.
export const readAhead = 4

export interface Requests {
  /** How many requests are in progress, which each is until its client has received the response. */
  readonly running: () => number
  /** How many requests wait for the one before them on their connection. */
  readonly waiting: () => number
  readonly arrived: (exchange: Exchange) => void
  /** Gives up the requests that wait on a connection. */
  readonly drop: (connection: Connection) => void
}

/** What the server needs to know to serve requests. */
export interface Serving {
  /** Gives a request of a network to the application, when it is its turn. */
  readonly serve: (exchange: Exchange, network: string) => void
  /** Whether a response may be large: it is refused while there is no room for responses. */
  readonly mayBeLarge: (url: string) => boolean
}

interface Parts extends Serving {
  readonly bodies: Bodies
  readonly responses: Responses
}

export const makeRequests = (shared: Shared, { bodies, mayBeLarge, responses, serve }: Parts): Requests => {
  const { count, limits, room } = shared
  let running = 0
  let waitingRequests = 0

  const faultOf = ({ event, request }: Exchange): Fault | undefined => {
    if (!responses.hasRoom() && mayBeLarge(request.url ?? "")) {
      count("responses")
      return { reason: "capacity", exceeded: "responses" }
    }
    const fault: Fault | undefined =
      event === "checkExpectation" ? { reason: "expectation" } : faultOfRequest(request)
    if (fault !== undefined) count("invalid_http")
    return fault
  }

  const closed = (response: Response) => {
    running--
    responses.release(response)
    bodies.end(response.req)
    const connection = room.find(response.req.socket)
    if (connection === undefined) return
    connection.current = undefined
    // Requests that were sent together take turns with those of other connections.
    if (connection.waiting.length > 0 || connection.ending !== undefined) setImmediate(proceed, connection)
    else room.rest(connection)
  }

  const begin = (connection: Connection, exchange: Exchange) => {
    const { request, response } = exchange
    connection.current = response
    room.wake(connection)
    running++
    responses.begin(response)
    response.on("close", () => closed(response))
    const fault = faultOf(exchange)
    if (fault !== undefined) {
      stopWanting(request)
      return answer(request, response, shared.explain(fault, request))
    }
    adapt(request)
    if (hasBody(request)) bodies.begin(request)
    serve(exchange, connection.network)
  }

  const drop = (connection: Connection) => {
    for (const { request } of connection.waiting) bodies.release(request)
    waitingRequests -= connection.waiting.length
    connection.waiting.length = 0
  }

  const proceed = (connection: Connection) => {
    const { ending, socket, waiting } = connection
    if (!socket.writable) return drop(connection)
    const [next] = waiting
    // The rest of an incomplete request cannot be read any more.
    if (ending !== undefined && next?.request.complete !== true) {
      drop(connection)
      return endConnection(shared, socket, ending)
    }
    if (next === undefined) return
    waiting.shift()
    waitingRequests--
    if (waiting.length < readAhead) socket.resume()
    begin(connection, next)
  }

  return {
    running: () => running,
    waiting: () => waitingRequests,
    arrived: (exchange) => {
      const connection = room.find(exchange.request.socket)
      if (connection === undefined) return
      const { current, socket, waiting } = connection
      if (current === undefined && waiting.length === 0) return begin(connection, exchange)
      if (waitingRequests >= limits.waitingRequests) {
        count("pipelined")
        socket.destroy()
        return
      }
      waitingRequests++
      if (waiting.push(exchange) >= readAhead) socket.pause()
    },
    drop
  }
}
