import type { ServerResponse } from "node:http"
import type { Duplex } from "node:stream"
import type { CountedRequest } from "./CountedRequest.ts"
import { answerAndClose } from "./DirectAnswer.ts"
import type { Explain, Fault } from "./Fault.ts"
import type { Refusal } from "./Figures.ts"
import type { Limits } from "./Limits.ts"
import type { Occupant, Room } from "./Room.ts"

/** The events by which Node gives a request to its server. */
export type RequestEvent = "request" | "checkContinue" | "checkExpectation"

export type Response = ServerResponse<CountedRequest>

export interface Exchange {
  readonly event: RequestEvent
  readonly request: CountedRequest
  readonly response: Response
}

export interface Connection extends Occupant {
  current: Response | undefined
  /** The requests that were sent before the current one was answered. */
  readonly waiting: Array<Exchange>
  /** The fault to answer after all waiting requests, because nothing more can be read. */
  ending: Fault | undefined
  /** Whether nothing more is read from the connection. */
  isUnread: boolean
}

/** What the parts of a server know in common. */
export interface Shared {
  readonly limits: Limits
  readonly room: Room<Connection>
  readonly explain: Explain
  /** Counts a refusal. */
  readonly count: (reason: Refusal) => void
}

/** Notes that from now on nobody waits for more of the body of a request. */
export const stopWanting = (request: CountedRequest): void => {
  request.unwantedFrom ??= request.socket.bytesRead
}

/** Ends a connection whose current request cannot be answered by the application. */
export const endConnection = ({ explain, room }: Shared, socket: Duplex, fault: Fault): void => {
  const current = room.find(socket)?.current
  if (current !== undefined) stopWanting(current.req)
  const hasBegun = current?.headersSent === true
  // Nothing can be written after a response that has begun, or on a connection that the client has closed.
  if (hasBegun || !socket.writable) socket.destroy()
  else answerAndClose(socket, explain(fault))
}
