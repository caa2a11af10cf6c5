/** Memory that all requests share, counted by who holds it. */
import { performance } from "node:perf_hooks"

interface Held {
  readonly bytes: number
  /** When the holder began to hold anything, in milliseconds of a clock that nobody sets. */
  readonly since: number
}

export interface ByteBudget<Holder> {
  readonly total: () => number
  readonly isExceeded: () => boolean
  /** Sets how many bytes a holder holds. */
  readonly hold: (holder: Holder, bytes: number) => void
  readonly release: (holder: Holder) => void
  /** The holders that have held something for this long, the longest first. */
  readonly holdersSince: (milliseconds: number) => ReadonlyArray<Holder>
  /** The holder with most bytes in the group that holds most, if this group holds more than a quarter of the budget. */
  readonly largestOfGreediest: (groupOf: (holder: Holder) => string) => Holder | undefined
}

export const makeByteBudget = <Holder>(limit: number): ByteBudget<Holder> => {
  // In the order in which they began.
  const holders = new Map<Holder, Held>()
  let total = 0
  return {
    total: () => total,
    isExceeded: () => total > limit,
    hold: (holder, bytes) => {
      const known = holders.get(holder)
      total += bytes - (known?.bytes ?? 0)
      holders.set(holder, { bytes, since: known?.since ?? performance.now() })
    },
    release: (holder) => {
      total -= holders.get(holder)?.bytes ?? 0
      holders.delete(holder)
    },
    holdersSince: (milliseconds) => {
      const latest = performance.now() - milliseconds
      const found: Array<Holder> = []
      for (const [holder, { since }] of holders) {
        if (since > latest) break
        found.push(holder)
      }
      return found
    },
    largestOfGreediest: (groupOf) => {
      const groups = new Map<string, { bytes: number; largest: Holder; most: number }>()
      for (const [holder, { bytes }] of holders) {
        const name = groupOf(holder)
        const group = groups.get(name) ?? { bytes: 0, largest: holder, most: 0 }
        group.bytes += bytes
        if (bytes > group.most) {
          group.most = bytes
          group.largest = holder
        }
        groups.set(name, group)
      }
      const [first] = [...groups.values()].toSorted((a, b) => b.bytes - a.bytes)
      return first !== undefined && first.bytes > limit / 4 ? first.largest : undefined
    }
  }
}
