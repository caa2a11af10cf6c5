/**
 * Limits what one client may take from the others: the requests of a connection are served one at a time, in order, and
 * the next one only when the client has taken the response. Bodies and responses in memory have a budget for the
 * process. Beyond it slow clients are ended first, and then new requests are refused.
 */
import type { Socket } from "node:net"
import type { Duplex } from "node:stream"
import { type Bodies, makeBodies } from "./Bodies.ts"
import { type Connection, type Exchange, endConnection, type Response, type Shared } from "./Connection.ts"
import type { CountedRequest } from "./CountedRequest.ts"
import type { Explain, Fault } from "./Fault.ts"
import type { Figures, Refusal } from "./Figures.ts"
import type { Limits } from "./Limits.ts"
import { isAwaited } from "./Pace.ts"
import { makeRequests, type Requests, readAhead, type Serving } from "./Requests.ts"
import { makeResponses } from "./Responses.ts"
import { makeRoom } from "./Room.ts"

/** What a server needs to know of its application. */
export interface Options extends Serving {
  readonly limits: Limits
  readonly explain: Explain
  /** The network of a client, by the address of its connection: all that one network has is counted together. */
  readonly networkOf: (address: string) => string
}

export interface ClientConnections {
  readonly figures: () => Figures
  readonly bodies: Bodies
  /** Whether any client still waits for the end of its response. */
  readonly isBusy: () => boolean
  /** The response to the current request of each connection that has one. */
  readonly running: () => ReadonlyArray<Response>
  /** The response to a request, if it is the current one of its connection. */
  readonly responseTo: (request: CountedRequest) => Response | undefined
  /** Whether a response is that to the current request of its connection. */
  readonly isRunning: (response: Response) => boolean
  /**
   * Whether a connection may be opened; if need be it takes the place of the one that was longest without a request, or
   * of one of the network that has most.
   */
  readonly hasRoom: (socket: Socket) => boolean
  readonly count: (reason: Refusal) => void
  readonly opened: (socket: Socket) => void
  readonly arrived: (exchange: Exchange) => void
  /**
   * Lets a connection go that speaks another protocol from now on, unless there are too many of those, or it has requests
   * that wait; then it is closed.
   */
  readonly upgraded: (socket: Socket) => boolean
  /** Ends bodies and responses that are slower than they may be. Called from time to time. */
  readonly look: () => void
  /** Notes that nothing was received or sent on a connection for some time. */
  readonly stalled: (socket: Socket) => void
  /** Answers the requests of a connection that can still be answered, then with a fault, and closes it. */
  readonly endAfterAnswers: (socket: Duplex, fault: Fault) => void
}

export const makeClientConnections = ({
  explain,
  limits,
  networkOf,
  ...serving
}: Options): ClientConnections => {
  const room = makeRoom<Connection>(limits)
  const refusals = new Map<Refusal, number>()
  const count = (reason: Refusal) => {
    refusals.set(reason, (refusals.get(reason) ?? 0) + 1)
  }
  const shared: Shared = { limits, room, explain, count }
  const bodies = makeBodies(shared)
  const responses = makeResponses(shared)
  const requests = makeRequests(shared, { ...serving, bodies, responses })
  const upgraded = new Set<Socket>()

  const networkOfSocket = ({ remoteAddress = "unknown" }: Socket) => networkOf(remoteAddress)
  const running = () => room.all().flatMap(({ current }) => current ?? [])

  return {
    figures: () => ({
      connections: room.size() + upgraded.size,
      requestsInProgress: requests.running(),
      requestsWaiting: requests.waiting(),
      bodyBytes: bodies.total(),
      responseBytes: responses.total(),
      refusals
    }),
    bodies,
    isBusy: () => requests.running() > 0,
    running,
    responseTo: (request) => {
      const current = room.find(request.socket)?.current
      return current?.req === request ? current : undefined
    },
    isRunning: (response) => room.find(response.req.socket)?.current === response,
    hasRoom: (socket) => makeWay(shared, requests, networkOfSocket(socket)),
    count,
    opened: (socket) => open(shared, requests, newConnection(socket, networkOfSocket(socket))),
    arrived: requests.arrived,
    upgraded: (socket) => letGo(shared, requests, upgraded, socket),
    look: () => {
      bodies.endLate()
      for (const response of running()) responses.lookAt(response)
    },
    stalled: (socket) => endStalled(shared, socket),
    endAfterAnswers: (socket, fault) => endAfterAnswers(shared, socket, fault)
  }
}

const newConnection = (socket: Socket, network: string): Connection => ({
  socket,
  network,
  current: undefined,
  waiting: [],
  idleSince: 0,
  ending: undefined,
  isUnread: false
})

/**
 * Switches off stack traces for a moment. When a connection closes, Node makes an error for each request that still
 * waits; a thousand stack traces, which nobody sees, take as long as a hundred requests.
 */
const withoutStackTraces = () => {
  const usual = Error.stackTraceLimit
  if (usual === 0) return
  Error.stackTraceLimit = 0
  process.nextTick(() => {
    Error.stackTraceLimit = usual
  })
}

const forget = ({ room }: Shared, { drop }: Requests, connection: Connection) => {
  room.remove(connection)
  drop(connection)
}

/** Adds a connection, and follows it until it closes. */
const open = (shared: Shared, requests: Requests, connection: Connection) => {
  const { socket, waiting } = connection
  shared.room.add(connection)
  socket.on("resume", () => {
    // Node may resume the socket although nothing more should be read, so it is paused again.
    if (connection.isUnread || waiting.length >= readAhead) socket.pause()
  })
  // Before Node's own listener.
  socket.prependOnceListener("close", () => {
    if (waiting.length > readAhead) withoutStackTraces()
    forget(shared, requests, connection)
  })
}

/**
 * Makes room for one more connection of a network, if need be by closing another. Answers whether there is room now.
 */
const makeWay = (shared: Shared, requests: Requests, network: string): boolean => {
  const { count, limits, room } = shared
  if (room.size() < limits.connections) return true
  const unused = room.unused()
  const givingWay = unused ?? room.ofMost(network)
  if (givingWay === undefined) return false
  if (unused === undefined) {
    count("connections")
    endConnection(shared, givingWay.socket, { reason: "capacity", exceeded: "connections" })
  } else unused.socket.destroy()
  forget(shared, requests, givingWay)
  return true
}

/** Lets a connection go that no request is answered on any more. Who has it bounds what it takes. */
const letGo = (shared: Shared, requests: Requests, upgraded: Set<Socket>, socket: Socket): boolean => {
  const connection = shared.room.find(socket)
  if (connection === undefined || connection.current !== undefined || connection.waiting.length > 0) {
    socket.destroy()
    return false
  }
  if (upgraded.size >= shared.limits.upgraded) {
    shared.count("connections")
    endConnection(shared, socket, { reason: "capacity", exceeded: "connections" })
    return false
  }
  forget(shared, requests, connection)
  upgraded.add(socket)
  socket.once("close", () => upgraded.delete(socket))
  socket.setTimeout(0)
  return true
}

const endAfterAnswers = (shared: Shared, socket: Duplex, fault: Fault) => {
  const connection = shared.room.find(socket)
  if (connection === undefined) return
  const { current, waiting } = connection
  const isAnswering = current === undefined ? waiting.length > 0 : current.req.complete
  if (isAnswering) connection.ending = fault
  else endConnection(shared, socket, fault)
}

/** Ends a connection on which nothing moves, unless the application is at work for it. */
const endStalled = (shared: Shared, socket: Socket) => {
  const { count, room } = shared
  const current = room.find(socket)?.current
  if (current === undefined || !socket.writable) {
    socket.destroy()
  } else if (socket.writableLength > 0) {
    count("slow_reader")
    socket.destroy()
  } else if (isAwaited(current.req)) {
    count("slow_sender")
    endConnection(shared, socket, { reason: "slow" })
  }
}
