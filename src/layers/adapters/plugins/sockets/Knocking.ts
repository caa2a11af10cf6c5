/** Bounds those who ask whether they may connect, as each of them is looked up. */
import { LRUCache } from "lru-cache"

export const knockingBounds = {
  /** How many may wait at a time, of all addresses. */
  waiting: 64,
  /** How many of them may be of one address. */
  waitingOfOne: 16,
  /** How often one address may be wrong in a minute; nobody of it is looked up until that is over. */
  wrongInMinute: 60,
  /** Of how many addresses it is known how often they were wrong. */
  addresses: 10_000
} as const

const minute = 60_000

export const makeKnocking = (now: () => number) => {
  const waiting = new Map<string, number>()
  const wrong = new LRUCache<string, { readonly minute: number; readonly count: number }>({
    max: knockingBounds.addresses
  })
  let all = 0

  const thisMinute = () => Math.floor(now() / minute)

  const wrongBy = (address: string) => {
    const found = wrong.get(address)
    return found?.minute === thisMinute() ? found.count : 0
  }

  return {
    /** Whether somebody may be looked up, who waits then until `end`. */
    begin: (address: string): boolean => {
      const own = waiting.get(address) ?? 0
      if (all >= knockingBounds.waiting || own >= knockingBounds.waitingOfOne) return false
      if (wrongBy(address) >= knockingBounds.wrongInMinute) return false
      waiting.set(address, own + 1)
      all++
      return true
    },
    end: (address: string) => {
      const own = (waiting.get(address) ?? 1) - 1
      if (own === 0) waiting.delete(address)
      else waiting.set(address, own)
      all--
    },
    /** Notes that somebody was no plugin. */
    failed: (address: string) => {
      wrong.set(address, { minute: thisMinute(), count: wrongBy(address) + 1 })
    }
  }
}
