/**
 * What one client may take from the others: the requests of a connection are served one at a time, in order, and
 * the next one only when the client has taken the response. Bodies and responses in memory have a budget for the
 * process. Beyond it those who are slow are ended first, and then new requests are refused.
 */
import type { ServerResponse } from "node:http"
import type { Socket } from "node:net"
import type { Duplex } from "node:stream"
import type { AnyProblem } from "../../domain/shared/Problem.ts"
import {
  BodyFragmented,
  CapacityExceeded,
  ExpectationFailed,
  RequestTooSlow
} from "../../http/contract/RequestProblems.ts"
import type { Figures, Refusal } from "../../http/operations/ConnectionFigures.ts"
import { LinkedList } from "../../http/pipeline/LinkedList.ts"
import { makeByteBudget } from "./ByteBudget.ts"
import type { CountedRequest } from "./CountedRequest.ts"
import { answer, answerAndClose, closeUnread } from "./DirectAnswer.ts"
import { isAwaited, makePace } from "./Pace.ts"
import { adapt, checkRequest, hasBody } from "./RequestCheck.ts"
import { makeRoom, networkOfSocket, type Place } from "./Room.ts"

const mebibyte = 1024 * 1024

export const defaultLimits = {
  connections: 5000,
  /** Requests that were read together with an unanswered one, of all connections: about 5 KB each. */
  waitingRequests: 10_000,
  /** Request bodies in memory. */
  bodyBytes: 64 * mebibyte,
  /** Responses that clients have not taken. */
  responseBytes: 128 * mebibyte,
  /** How long a body or a response may take, in milliseconds, while there is no room for others. */
  patience: 5000,
  /** How long a connection may be without a request, in milliseconds, while there is no room for others. */
  idle: 1000,
  /** How long every mebibyte of a body may take, in milliseconds. */
  pace: 25_000,
  /** How often slow connections are looked for, in milliseconds. */
  lookEvery: 2000
}
export type Limits = typeof defaultLimits

// Requests that are read while another one is in progress. Of those that arrive together there may be more.
const readAhead = 4

// Bodies up to this size are always taken: connections are limited.
const smallBody = 16 * 1024

// So much of a body is read on when nobody wants it any more, so that its client reads the answer.
const unwantedMax = 64 * 1024

/** The events by which Node gives a request to its server. */
export type RequestEvent = "request" | "checkContinue" | "checkExpectation"

type Response = ServerResponse<CountedRequest>

export interface Exchange {
  readonly event: RequestEvent
  readonly request: CountedRequest
  readonly response: Response
}

interface Connection extends Place {
  current: Response | undefined
  /** Requests that were sent before the current one was answered. */
  readonly waiting: Array<Exchange>
  /** What to answer after all waiting requests, because nothing more can be read. */
  ending: AnyProblem | undefined
  /** Whether nothing more is read from the connection. */
  isUnread: boolean
}

const noRoom = (exceeded: CapacityExceeded["metadata"]["exceeded"]) =>
  new CapacityExceeded({ metadata: { retry_after: 1, exceeded } })

/**
 * When a connection closes, Node makes an error for each request that still waits; a thousand stack traces, which
 * nobody sees, take as long as a hundred requests.
 */
const withoutStackTraces = () => {
  const usual = Error.stackTraceLimit
  if (usual === 0) return
  Error.stackTraceLimit = 0
  process.nextTick(() => {
    Error.stackTraceLimit = usual
  })
}

export interface Connections {
  readonly figures: () => Figures
  /** The responses that clients have not received completely. */
  readonly running: Pick<LinkedList<Response>, "size" | "values">
  /** Whether a response is the one that its connection is being sent. */
  readonly isRunning: (response: Response) => boolean
  /**
   * Whether this connection may be opened; if need be in place of the one that was longest without a request, or of
   * one of the network that has most.
   */
  readonly hasRoom: (socket: Socket) => boolean
  readonly count: (reason: Refusal) => void
  readonly opened: (socket: Socket) => void
  readonly arrived: (exchange: Exchange) => void
  /** A part of a body has arrived. Answers whether it is to be kept. */
  readonly bodyArrived: (request: CountedRequest) => boolean
  /** The application has written a part of a body elsewhere. */
  readonly bodyPassedOn: (request: CountedRequest, bytes: number) => void
  /** The application ends a body that others have waited for long enough. */
  readonly endSlow: (request: CountedRequest) => void
  /** Ends what is slower than it may be. Called from time to time. */
  readonly look: () => void
  /** Nothing was received or sent on a connection for some time. */
  readonly stalled: (socket: Socket) => void
  /** Answers the requests of a connection that can still be answered, then with a problem, and closes it. */
  readonly endAfterAnswers: (socket: Duplex, problem: AnyProblem) => void
}

/** `serve` gives a request to the application. */
export const makeConnections = (limits: Limits, serve: (exchange: Exchange) => void): Connections => {
  const room = makeRoom<Connection>(limits)
  const running = new LinkedList<Response>()
  const refusals = new Map<Refusal, number>()
  const pace = makePace(limits.pace)
  const bodies = makeByteBudget<CountedRequest>(limits.bodyBytes)
  const responses = makeByteBudget<Response>(limits.responseBytes)
  let waitingRequests = 0

  const count = (reason: Refusal) => {
    refusals.set(reason, (refusals.get(reason) ?? 0) + 1)
  }

  /** From now on nobody waits for more of the body. */
  const stopWanting = (request: CountedRequest) => {
    request.unwantedFrom ??= request.socket.bytesRead
  }

  /** Ends a connection whose current request cannot be answered by the application. */
  const end = (socket: Duplex, problem: AnyProblem) => {
    const current = room.find(socket)?.current
    if (current !== undefined) stopWanting(current.req)
    const hasBegun = current?.headersSent === true
    // Nothing can be written after a response that has begun, or on a connection that the client has closed.
    if (hasBegun || !socket.writable) socket.destroy()
    else answerAndClose(socket, problem)
  }

  /** Ends a request whose body is not taken. One that waits for others cannot be answered. */
  const endBody = (request: CountedRequest, problem: AnyProblem) => {
    bodies.release(request)
    stopWanting(request)
    if (room.find(request.socket)?.current?.req === request) end(request.socket, problem)
    else request.socket.destroy()
  }

  const endSlow = (request: CountedRequest) => {
    if (request.complete) return
    count("slow_sender")
    endBody(request, new RequestTooSlow())
  }

  const endSlowSenders = () => {
    for (const request of bodies.holdersSince(limits.patience)) {
      if (!bodies.isExceeded()) return
      endSlow(request)
    }
  }

  const endReader = (response: Response) => {
    responses.release(response)
    count("slow_reader")
    response.req.socket.destroy()
  }

  const networkReading = ({ req }: Response) => room.find(req.socket)?.network ?? ""

  /** Makes room for the responses of others: who holds much loses it at once, and who holds little when it was slow. */
  const endReaders = () => {
    while (responses.isExceeded()) {
      const largest = responses.largestOfGreediest(networkReading)
      if (largest === undefined) break
      endReader(largest)
    }
    for (const response of responses.holdersSince(limits.patience)) {
      if (!responses.isExceeded()) return
      endReader(response)
    }
  }

  const refusalOf = ({ event, request }: Exchange): AnyProblem | undefined => {
    if (responses.isExceeded()) endReaders()
    // The responses that operators need are small.
    if (responses.isExceeded() && request.url?.startsWith("/api") === true) {
      count("responses")
      return noRoom("responses")
    }
    const problem = event === "checkExpectation" ? new ExpectationFailed() : checkRequest(request)
    if (problem !== undefined) count("invalid_http")
    return problem
  }

  /** The response is complete. What the system did not take of it waits in memory. */
  function onWritten(this: Response) {
    stopWanting(this.req)
    const bytes = this.req.socket.writableLength
    if (bytes > 0) responses.hold(this, bytes)
  }

  const closed = (response: Response) => {
    responses.release(response)
    bodies.release(response.req)
    pace.end(response.req)
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
    const entry = running.add(response)
    response.on("prefinish", onWritten)
    response.on("close", () => {
      running.remove(entry)
      closed(response)
    })
    const problem = refusalOf(exchange)
    if (problem !== undefined) {
      stopWanting(request)
      return answer(request, response, problem)
    }
    adapt(request)
    if (hasBody(request)) pace.begin(request)
    serve(exchange)
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
      return end(socket, ending)
    }
    if (next === undefined) return
    waiting.shift()
    waitingRequests--
    if (waiting.length < readAhead) socket.resume()
    begin(connection, next)
  }

  const forget = (connection: Connection) => {
    room.remove(connection)
    drop(connection)
  }

  const hasRoom = (socket: Socket) => {
    if (room.size() < limits.connections) return true
    const unused = room.unused()
    const givingWay = unused ?? room.ofMost(networkOfSocket(socket))
    if (givingWay === undefined) return false
    if (unused === undefined) {
      count("connections")
      end(givingWay.socket, noRoom("connections"))
    } else unused.socket.destroy()
    forget(givingWay)
    return true
  }

  const opened = (socket: Socket) => {
    const connection: Connection = {
      socket,
      network: networkOfSocket(socket),
      current: undefined,
      waiting: [],
      idleSince: 0,
      ending: undefined,
      isUnread: false
    }
    room.add(connection)
    socket.on("resume", () => {
      // Node may resume the socket although nothing more should be read, so it is paused again.
      if (connection.isUnread || connection.waiting.length >= readAhead) socket.pause()
    })
    // Before Node's own listener.
    socket.prependOnceListener("close", () => {
      if (connection.waiting.length > readAhead) withoutStackTraces()
      forget(connection)
    })
  }

  const arrived = (exchange: Exchange) => {
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
  }

  /** Every further part would take time. */
  const stopReading = (socket: Socket) => {
    const connection = room.find(socket)
    if (connection !== undefined) connection.isUnread = true
    socket.pause()
  }

  /** Nobody waits for what arrives: it is dropped, and beyond some of it nothing is read any more. */
  const dropBody = (request: CountedRequest, from: number) => {
    const { socket } = request
    const connection = room.find(socket)
    if (connection === undefined || connection.isUnread) return
    if (socket.bytesRead - from <= unwantedMax && !request.hasTooManyParts()) return
    connection.isUnread = true
    count("unwanted_body")
    closeUnread(socket)
  }

  const bodyArrived = (request: CountedRequest): boolean => {
    if (request.unwantedFrom !== undefined) {
      dropBody(request, request.unwantedFrom)
      return false
    }
    if (request.hasTooManyParts()) {
      count("fragmented_body")
      endBody(request, new BodyFragmented())
      stopReading(request.socket)
      return false
    }
    if (request.bodyBytes <= smallBody) return true
    pace.advance(request)
    bodies.hold(request, request.bodyBytes - request.passedOn)
    if (bodies.isExceeded()) endSlowSenders()
    if (!bodies.isExceeded()) return true
    count("bodies")
    endBody(request, noRoom("bodies"))
    return false
  }

  const bodyPassedOn = (request: CountedRequest, bytes: number) => {
    request.passedOn += bytes
    const held = request.bodyBytes - request.passedOn
    // What holds little begins anew: it is not slow, however long it has taken.
    if (held <= smallBody) bodies.release(request)
    else if (room.find(request.socket)?.current?.req === request) bodies.hold(request, held)
  }

  /** A response that is sent in parts holds what its client has not taken of them. */
  const holdStreamed = (response: Response) => {
    if (!response.headersSent) return
    const bytes = response.req.socket.writableLength
    if (bytes > 0) responses.hold(response, bytes)
    else responses.release(response)
  }

  const look = () => {
    for (const { socket } of pace.late()) {
      count("slow_sender")
      end(socket, new RequestTooSlow())
    }
    for (const response of running.values()) holdStreamed(response)
  }

  const endAfterAnswers = (socket: Duplex, problem: AnyProblem) => {
    const connection = room.find(socket)
    if (connection === undefined) return
    const { current, waiting } = connection
    const isAnswering = current === undefined ? waiting.length > 0 : current.req.complete
    if (isAnswering) connection.ending = problem
    else end(socket, problem)
  }

  const stalled = (socket: Socket) => {
    const current = room.find(socket)?.current
    if (current === undefined || !socket.writable) {
      socket.destroy()
    } else if (socket.writableLength > 0) {
      count("slow_reader")
      socket.destroy()
    } else if (isAwaited(current.req)) {
      count("slow_sender")
      end(socket, new RequestTooSlow())
    }
  }

  return {
    figures: () => ({
      connections: room.size(),
      requestsInProgress: running.size,
      requestsWaiting: waitingRequests,
      bodyBytes: bodies.total(),
      responseBytes: responses.total(),
      refusals
    }),
    running,
    isRunning: (response) => room.find(response.req.socket)?.current === response,
    hasRoom,
    count,
    opened,
    arrived,
    bodyArrived,
    bodyPassedOn,
    endSlow,
    look,
    stalled,
    endAfterAnswers
  }
}
