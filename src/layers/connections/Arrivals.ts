/**
 * Accepts connections before requests begin. Node accepts one connection of each listener in a turn of the event loop:
 * if requests began meanwhile, whoever connects behind hundreds of others would wait for turns full of work. What has
 * waited begins a little at a time, and networks have their turns.
 */
import { performance } from "node:perf_hooks"

/** How long requests wait at most while connections go on arriving, in milliseconds. */
export const arrivalsMax = 20

/** For how long requests that have waited begin before others, and connections, come between. In milliseconds. */
export const beginningMax = 4

export interface Arrivals<Request> {
  /** Notes that a connection was accepted. */
  readonly connected: () => void
  /** Begins a request of a network as soon as no more connections arrive, or it is its turn. */
  readonly requested: (request: Request, network: string) => void
}

/** What waits, each network in a line of its own. The lines have their turns. */
const makeLines = <Request>() => {
  const lines = new Map<string, Array<Request>>()
  return {
    isEmpty: () => lines.size === 0,
    add: (request: Request, network: string) => {
      const line = lines.get(network)
      if (line === undefined) lines.set(network, [request])
      else line.push(request)
    },
    next: (): Request | undefined => {
      for (const [network, line] of lines) {
        const request = line.shift()
        lines.delete(network)
        if (line.length > 0) lines.set(network, line)
        return request
      }
      return undefined
    }
  } as const
}

export const makeArrivals = <Request>(begin: (request: Request) => void): Arrivals<Request> => {
  const waiting = makeLines<Request>()
  let isTurn = false
  let isAccepting = false
  let since: number | undefined
  let spent = 0

  const beginOne = (request: Request) => {
    const start = performance.now()
    begin(request)
    spent += performance.now() - start
  }

  const beginSome = () => {
    while (spent < beginningMax) {
      const request = waiting.next()
      if (request === undefined) return
      beginOne(request)
    }
  }

  const endTurn = () => {
    isTurn = false
    spent = 0
    const isToWait = isAccepting && since !== undefined && performance.now() - since < arrivalsMax
    isAccepting = false
    if (!isToWait) {
      beginSome()
      since = waiting.isEmpty() ? undefined : performance.now()
    }
    if (since !== undefined || spent > 0) untilEnd()
  }

  /** Looks again when the turn of the event loop ends. */
  const untilEnd = () => {
    if (isTurn) return
    isTurn = true
    setImmediate(endTurn)
  }

  return {
    connected: () => {
      isAccepting = true
      since ??= performance.now()
      untilEnd()
    },
    requested: (request, network) => {
      untilEnd()
      if (since === undefined && spent < beginningMax) return beginOne(request)
      since ??= performance.now()
      waiting.add(request, network)
    }
  }
}
