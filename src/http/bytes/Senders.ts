/**
 * Who sends files at the same time. Clients decide how long a file is on its way, so that their number is bounded for
 * an account and a network, and who sends most slowly gives way when others wait. All is plain state; `StreamedBodies`
 * waits and acts by it.
 */

export interface SenderBounds {
  /** How many bodies may arrive at the same time. */
  readonly sending: number
  /** How many bodies of one account, and of one network, may arrive at the same time. */
  readonly ofAccount: number
  readonly ofNetwork: number
  /** How many bodies may arrive or wait to arrive, and how many of those may be of one account. */
  readonly present: number
  readonly presentOfAccount: number
  /** How long a sender has been waited for, in milliseconds, before it is compared with others. */
  readonly fairTime: number
}

/**
 * The bounds of a process. One network leaves half of the places to others. A waiting body has at most 64 KiB in
 * memory.
 */
export const senderBounds: SenderBounds = {
  sending: 64,
  ofAccount: 2,
  ofNetwork: 32,
  present: 256,
  presentOfAccount: 16,
  fairTime: 5000
}

/**
 * A body that wants to arrive, and what is called when something is decided on it: each at most once, but for `extend`.
 */
export interface Upload {
  readonly account: string
  readonly network: string
  /** Called when it is the turn of the body. */
  readonly begin: () => void
  /** Called when the body has waited in vain, as it gives way to a network that has less. */
  readonly refuse: () => void
  /** Called when the body was sent most slowly and another one needs its place. */
  readonly end: () => void
  /** Called when another body of the same account has advanced, for which this one waits. */
  readonly extend: () => void
}

export interface Sender {
  /** Notes that the service waits for bytes of the body. */
  readonly await: () => void
  /** Notes how many bytes the service got. */
  readonly got: (bytes: number) => void
  /** Notes that the body has advanced, and tells the bodies of its account that wait for it. */
  readonly advance: () => void
  readonly leave: () => void
}

interface Entry extends Upload {
  bytes: number
  /** How long the service has waited for bytes of the body, in milliseconds, before `since`. */
  waited: number
  /** Since when the service waits for bytes; undefined while it does not. */
  since: number | undefined
}

type Counts = ReadonlyMap<string, number>

const countsOf = (entries: Iterable<Entry>, key: "account" | "network"): Counts => {
  const counts = new Map<string, number>()
  for (const { [key]: name } of entries) counts.set(name, (counts.get(name) ?? 0) + 1)
  return counts
}

const most = (counts: Counts): number => Math.max(0, ...counts.values())

/** The senders of this process. `now` is in milliseconds of a clock that nobody sets. */
export class Senders {
  readonly #bounds: SenderBounds
  readonly #now: () => number
  // In the order in which they came.
  readonly #waiting = new Set<Entry>()
  readonly #sending = new Set<Entry>()

  constructor(bounds: SenderBounds, now: () => number) {
    this.#bounds = bounds
    this.#now = now
  }

  /** How many bodies arrive, and how many wait for their turn. */
  get counts() {
    return { sending: this.#sending.size, waiting: this.#waiting.size } as const
  }

  /** Lets an upload wait for its turn, which may come at once; undefined if there is no room. */
  arrive(upload: Upload): Sender | undefined {
    const { present, presentOfAccount } = this.#bounds
    if (this.#presentOf(upload.account) >= presentOfAccount) return undefined
    const isFull = this.#waiting.size + this.#sending.size >= present
    if (isFull && !this.#makeRoom(upload.network)) return undefined
    const entry = { ...upload, bytes: 0, waited: 0, since: undefined }
    this.#waiting.add(entry)
    this.giveTurns()
    return this.#senderOf(entry)
  }

  /**
   * Gives turns to waiting bodies. To be called from time to time as well, as a body may have become slow meanwhile.
   */
  giveTurns(): void {
    for (let entry = this.#next(); entry !== undefined; entry = this.#next()) {
      if (this.#sending.size >= this.#bounds.sending) {
        const slow = this.#givingWayTo(entry)
        if (slow === undefined) return
        this.#sending.delete(slow)
        slow.end()
      }
      this.#waiting.delete(entry)
      this.#sending.add(entry)
      entry.begin()
    }
  }

  #senderOf(entry: Entry): Sender {
    return {
      await: () => {
        entry.since = this.#now()
      },
      got: (bytes) => {
        entry.waited = this.#waitedFor(entry)
        entry.since = undefined
        entry.bytes += bytes
      },
      advance: () => {
        for (const other of this.#waiting) if (other.account === entry.account) other.extend()
      },
      leave: () => {
        this.#waiting.delete(entry)
        if (this.#sending.delete(entry)) this.giveTurns()
      }
    }
  }

  /** The body whose turn it is: the first that came of the networks that have fewest places. */
  #next(): Entry | undefined {
    const ofAccounts = countsOf(this.#sending, "account")
    const ofNetworks = countsOf(this.#sending, "network")
    let found: Entry | undefined
    let fewest = this.#bounds.ofNetwork
    for (const entry of this.#waiting) {
      const own = ofNetworks.get(entry.network) ?? 0
      if (own >= fewest || (ofAccounts.get(entry.account) ?? 0) >= this.#bounds.ofAccount) continue
      found = entry
      fewest = own
    }
    return found
  }

  #waitedFor({ since, waited }: Entry): number {
    return waited + (since === undefined ? 0 : this.#now() - since)
  }

  /** The slowest arriving body of these networks, of those that had time to show how fast they are. */
  #slowestOf(networks: (name: string) => boolean): Entry | undefined {
    let slowest: Entry | undefined
    let least = Number.POSITIVE_INFINITY
    for (const entry of this.#sending) {
      const waited = this.#waitedFor(entry)
      if (waited < this.#bounds.fairTime || !networks(entry.network)) continue
      const speed = entry.bytes / waited
      if (speed >= least) continue
      slowest = entry
      least = speed
    }
    return slowest
  }

  /**
   * The arriving body that gives way to a waiting one: the slowest of the networks that have most, or of its own
   * network if that has as many.
   */
  #givingWayTo({ network }: Entry): Entry | undefined {
    const counts = countsOf(this.#sending, "network")
    const highest = most(counts)
    return (counts.get(network) ?? 0) >= highest
      ? this.#slowestOf((name) => name === network)
      : this.#slowestOf((name) => counts.get(name) === highest)
  }

  /**
   * Makes room for one more body to wait, by refusing the newest of the network of which most wait. Answers whether it
   * could.
   */
  #makeRoom(network: string): boolean {
    const counts = countsOf(this.#waiting, "network")
    const highest = most(counts)
    if (highest <= (counts.get(network) ?? 0) + 1) return false
    let newest: Entry | undefined
    for (const entry of this.#waiting) if (counts.get(entry.network) === highest) newest = entry
    if (newest === undefined) return false
    this.#waiting.delete(newest)
    newest.refuse()
    return true
  }

  #presentOf(account: string): number {
    let count = 0
    for (const entry of this.#waiting) if (entry.account === account) count += 1
    for (const entry of this.#sending) if (entry.account === account) count += 1
    return count
  }
}
