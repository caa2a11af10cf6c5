/** Bounds those who ask whether they may connect, as each of them is looked up. */
import { LRUCache } from "lru-cache"

export const knockingBounds = {
  /** How many may wait at a time, of all networks. */
  waiting: 64,
  /** How many of them may be of one network. */
  waitingOfOne: 16,
  /** How often one network may be wrong in a minute; nobody of it is looked up until that is over. */
  wrongInMinute: 60,
  /** Of how many networks it is known how often they were wrong. */
  networks: 10_000
} as const

const minute = 60_000

export const makeKnocking = (now: () => number) => {
  const waiting = new Map<string, number>()
  const wrong = new LRUCache<string, { readonly minute: number; readonly count: number }>({
    max: knockingBounds.networks
  })
  let all = 0

  const thisMinute = () => Math.floor(now() / minute)

  const wrongBy = (network: string) => {
    const found = wrong.get(network)
    return found?.minute === thisMinute() ? found.count : 0
  }

  return {
    /** Whether somebody may be looked up, who waits then until `end`. */
    begin: (network: string): boolean => {
      const own = waiting.get(network) ?? 0
      if (all >= knockingBounds.waiting || own >= knockingBounds.waitingOfOne) return false
      if (wrongBy(network) >= knockingBounds.wrongInMinute) return false
      waiting.set(network, own + 1)
      all++
      return true
    },
    end: (network: string) => {
      const own = (waiting.get(network) ?? 1) - 1
      if (own === 0) waiting.delete(network)
      else waiting.set(network, own)
      all--
    },
    /** Notes that somebody was no plugin. */
    failed: (network: string) => {
      wrong.set(network, { minute: thisMinute(), count: wrongBy(network) + 1 })
    }
  }
}
