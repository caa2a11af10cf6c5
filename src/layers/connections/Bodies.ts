/** Bounds the bodies of requests: how much memory they take together, how fast and in how many parts they arrive. */
import type { Socket } from "node:net"
import { makeByteBudget } from "./ByteBudget.ts"
import { endConnection, type Shared, stopWanting } from "./Connection.ts"
import type { CountedRequest } from "./CountedRequest.ts"
import { closeUnread } from "./DirectAnswer.ts"
import type { Fault } from "./Fault.ts"
import { makePace } from "./Pace.ts"

// Bodies up to this size are always taken: connections are limited.
const smallBody = 16 * 1024

// So much of a body is read on when nobody wants it any more, so that its client reads the answer.
const unwantedMax = 64 * 1024

export interface Bodies {
  /** How many bytes of all bodies are in memory. */
  readonly total: () => number
  /** Notes that the application gets a request with a body. */
  readonly begin: (request: CountedRequest) => void
  /** Notes that a part of a body has arrived. Answers whether it is to be kept. */
  readonly arrived: (request: CountedRequest) => boolean
  /** Notes that the application has written a part of a body elsewhere. */
  readonly passedOn: (request: CountedRequest, bytes: number) => void
  /** Ends a request at the wish of the application, because others have waited for its body long enough. */
  readonly endSlow: (request: CountedRequest) => void
  /** Ends the requests whose bodies arrive more slowly than they may. */
  readonly endLate: () => void
  /** Notes that a waiting request is dropped, and with it what has arrived of its body. */
  readonly release: (request: CountedRequest) => void
  /** Notes that a request is over. */
  readonly end: (request: CountedRequest) => void
}

export const makeBodies = (shared: Shared): Bodies => {
  const { count, limits, room } = shared
  const pace = makePace(limits.pace)
  const budget = makeByteBudget<CountedRequest>(limits.bodyBytes)

  const isCurrent = (request: CountedRequest) => room.find(request.socket)?.current?.req === request

  /** Ends a request whose body is not taken. A request that waits for others on its connection cannot be answered. */
  const refuse = (request: CountedRequest, fault: Fault) => {
    budget.release(request)
    stopWanting(request)
    if (isCurrent(request)) endConnection(shared, request.socket, fault)
    else request.socket.destroy()
  }

  const endSlow = (request: CountedRequest) => {
    if (request.complete) return
    count("slow_sender")
    refuse(request, { reason: "slow" })
  }

  const endSlowSenders = () => {
    for (const request of budget.holdersSince(limits.patience)) {
      if (!budget.isExceeded()) return
      endSlow(request)
    }
  }

  const arrived = (request: CountedRequest): boolean => {
    if (request.unwantedFrom !== undefined) {
      dropPart(shared, request, request.unwantedFrom)
      return false
    }
    if (request.hasTooManyParts()) {
      count("fragmented_body")
      refuse(request, { reason: "fragmented" })
      stopReading(shared, request.socket)
      return false
    }
    if (request.bodyBytes <= smallBody) return true
    pace.advance(request)
    budget.hold(request, request.bodyBytes - request.passedOn)
    if (budget.isExceeded()) endSlowSenders()
    if (!budget.isExceeded()) return true
    count("bodies")
    refuse(request, { reason: "capacity", exceeded: "bodies" })
    return false
  }

  const passedOn = (request: CountedRequest, bytes: number) => {
    request.passedOn += bytes
    const held = request.bodyBytes - request.passedOn
    // What holds little begins anew: it is not slow, however long it has taken.
    if (held <= smallBody) budget.release(request)
    else if (isCurrent(request)) budget.hold(request, held)
  }

  return {
    total: budget.total,
    begin: pace.begin,
    arrived,
    passedOn,
    endSlow,
    endLate: () => {
      for (const { socket } of pace.late()) {
        count("slow_sender")
        endConnection(shared, socket, { reason: "slow" })
      }
    },
    release: budget.release,
    end: (request) => {
      budget.release(request)
      pace.end(request)
    }
  }
}

/** Reads nothing more of a connection: every further part would take time. */
const stopReading = ({ room }: Shared, socket: Socket) => {
  const connection = room.find(socket)
  if (connection !== undefined) connection.isUnread = true
  socket.pause()
}

/** Drops a part of a body that nobody waits for; after some such bytes nothing is read any more. */
const dropPart = ({ count, room }: Shared, request: CountedRequest, from: number) => {
  const { socket } = request
  const connection = room.find(socket)
  if (connection === undefined || connection.isUnread) return
  if (socket.bytesRead - from <= unwantedMax && !request.hasTooManyParts()) return
  connection.isUnread = true
  count("unwanted_body")
  closeUnread(socket)
}
