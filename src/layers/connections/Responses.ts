/** Bounds the memory of responses that clients have not taken, and decides who loses theirs first. */
import { makeByteBudget } from "./ByteBudget.ts"
import { type Response, type Shared, stopWanting } from "./Connection.ts"

export interface Responses {
  /** How many bytes of all responses are in memory. */
  readonly total: () => number
  /** Notes that a request begins, whose response is to be counted. */
  readonly begin: (response: Response) => void
  /** Whether there is room for another response, if need be in place of others. */
  readonly hasRoom: () => boolean
  /** Counts what a client has not taken of a response that is sent in parts. */
  readonly lookAt: (response: Response) => void
  /** Notes that a response was received, or is given up. */
  readonly release: (response: Response) => void
}

export const makeResponses = ({ count, limits, room }: Shared): Responses => {
  const budget = makeByteBudget<Response>(limits.responseBytes)

  const endReader = (response: Response) => {
    budget.release(response)
    count("slow_reader")
    response.req.socket.destroy()
  }

  const networkReading = ({ req }: Response) => room.find(req.socket)?.network ?? ""

  /**
   * Makes room for other responses: a client that holds much loses it at once, one that holds little only if it was
   * slow.
   */
  const endReaders = () => {
    while (budget.isExceeded()) {
      const largest = budget.largestOfGreediest(networkReading)
      if (largest === undefined) break
      endReader(largest)
    }
    for (const response of budget.holdersSince(limits.patience)) {
      if (!budget.isExceeded()) return
      endReader(response)
    }
  }

  /** Notes that a response is complete. What the system has not taken of it waits in memory. */
  function onWritten(this: Response) {
    stopWanting(this.req)
    const bytes = this.req.socket.writableLength
    if (bytes > 0) budget.hold(this, bytes)
  }

  return {
    total: budget.total,
    begin: (response) => {
      response.on("prefinish", onWritten)
    },
    hasRoom: () => {
      if (budget.isExceeded()) endReaders()
      return !budget.isExceeded()
    },
    lookAt: (response) => {
      if (!response.headersSent) return
      const bytes = response.req.socket.writableLength
      if (bytes > 0) budget.hold(response, bytes)
      else budget.release(response)
    },
    release: budget.release
  }
}
