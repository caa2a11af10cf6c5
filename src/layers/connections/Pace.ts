/** Decides how slowly bodies may arrive: every mebibyte has the time that a whole ordinary body has. */
import type { IncomingMessage } from "node:http"
import { performance } from "node:perf_hooks"
import type { CountedRequest } from "./CountedRequest.ts"

const part = 1024 * 1024

/** A body that has not arrived completely. */
interface Arrival {
  /** How many bytes had arrived when the current part began. */
  bytes: number
  /** When the current part began, in milliseconds of a clock that nobody sets. */
  since: number
}

export interface Pace {
  /** Notes that the application gets a request with a body. */
  readonly begin: (request: IncomingMessage) => void
  /** Notes that more of the body of a request has arrived. */
  readonly advance: (request: CountedRequest) => void
  readonly end: (request: IncomingMessage) => void
  /** The requests that the application waits for and whose current part has taken too long; each is told once. */
  readonly late: () => ReadonlyArray<IncomingMessage>
}

/** Whether the application waits for more of the body. */
export const isAwaited = (request: IncomingMessage) =>
  !request.complete && request.readableLength < request.readableHighWaterMark

/** Watches the pace of bodies; each part may take so many `milliseconds` by a clock that nobody sets. */
export const makePace = (milliseconds: number, now = () => performance.now()): Pace => {
  const arriving = new Map<IncomingMessage, Arrival>()
  return {
    begin: (request) => arriving.set(request, { bytes: 0, since: now() }),
    advance: (request) => {
      const arrival = arriving.get(request)
      if (arrival === undefined || request.bodyBytes - arrival.bytes < part) return
      arrival.bytes = request.bodyBytes
      arrival.since = now()
    },
    end: (request) => arriving.delete(request),
    late: () => {
      const time = now()
      const found: Array<IncomingMessage> = []
      for (const [request, arrival] of arriving) {
        if (request.complete) arriving.delete(request)
        // The time in which the application takes nothing of a body does not count against its sender.
        else if (!isAwaited(request)) arrival.since = time
        else if (arrival.since <= time - milliseconds) found.push(request)
      }
      for (const request of found) arriving.delete(request)
      return found
    }
  }
}
