/**
 * Accepts connections before requests begin. Node accepts one in each turn of the event loop: if requests began
 * meanwhile, whoever connects behind a hundred others would wait for a hundred turns full of work.
 */
import { performance } from "node:perf_hooks"

/** How long requests wait at most while connections go on arriving, in milliseconds. */
export const arrivalsMax = 20

export interface Arrivals<Request> {
  /** Notes that a connection was accepted. */
  readonly connected: () => void
  /** Begins a request as soon as no more connections arrive. */
  readonly requested: (request: Request) => void
}

export const makeArrivals = <Request>(begin: (request: Request) => void): Arrivals<Request> => {
  const waiting: Array<Request> = []
  let since: number | undefined
  let isAccepting = false

  const endTurn = () => {
    if (isAccepting && since !== undefined && performance.now() - since < arrivalsMax) {
      isAccepting = false
      setImmediate(endTurn)
      return
    }
    since = undefined
    for (const request of waiting.splice(0)) begin(request)
  }

  return {
    connected: () => {
      isAccepting = true
      if (since !== undefined) return
      since = performance.now()
      setImmediate(endTurn)
    },
    requested: (request) => {
      if (since === undefined) begin(request)
      else waiting.push(request)
    }
  }
}
