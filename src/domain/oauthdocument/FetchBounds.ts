/** How much strangers can make the service fetch. */
import type { ClientNetwork } from "../shared/Client.ts"

/** Fetches at a time and in a minute, of all networks and of one. */
export const fetchBounds = { parallel: 16, parallelPerNetwork: 4, perMinute: 240, perMinuteAndNetwork: 20 }

const minuteMillis = 60_000

/** Counts of names, of which those that are zero take no room. */
const makeCounts = () => {
  const counts = new Map<string, number>()
  return {
    of: (name: string) => counts.get(name) ?? 0,
    add: (name: string, change: number) => {
      const count = (counts.get(name) ?? 0) + change
      if (count === 0) counts.delete(name)
      else counts.set(name, count)
    },
    clear: () => counts.clear()
  }
}

/** Counts fetches in this process. What it holds is bounded, as all networks together are. */
export const makeFetchBounds = () => {
  const running = makeCounts()
  const begun = makeCounts()
  let runs = 0
  let beginnings = 0
  let minute = 0

  const turn = (now: number) => {
    const current = Math.floor(now / minuteMillis)
    if (current === minute) return
    minute = current
    beginnings = 0
    begun.clear()
  }

  return {
    /** Begins a fetch for a network, unless there are as many as there may be. */
    begin: (network: ClientNetwork, now: number): boolean => {
      turn(now)
      const isFull =
        runs >= fetchBounds.parallel ||
        beginnings >= fetchBounds.perMinute ||
        running.of(network) >= fetchBounds.parallelPerNetwork ||
        begun.of(network) >= fetchBounds.perMinuteAndNetwork
      if (isFull) return false
      runs++
      beginnings++
      running.add(network, 1)
      begun.add(network, 1)
      return true
    },
    end: (network: ClientNetwork): void => {
      runs--
      running.add(network, -1)
    }
  } as const
}
