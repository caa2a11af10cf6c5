/** What running an operation costs the service: how many run at once, and what is refused first under pressure. */
import type { Bounds } from "../../domain/queue/FairQueue.ts"

/**
 * - `quick`: a bounded number of short reads, each found through an index.
 * - `long`: the same with an answer of hundreds of items or megabytes, which takes tens of milliseconds to write.
 * - `heavy`: a read whose cost depends on what is asked for, such as a search.
 * - `write`: a transaction.
 * - `hashing`: the hash of a password, which takes tens of milliseconds of a core.
 * - `upload`: a body that is streamed to storage.
 */
export const costs = ["quick", "long", "heavy", "write", "hashing", "upload"] as const
export type Cost = (typeof costs)[number]

/**
 * The bounds of the lanes of a process, each a fair queue whose clients are networks. A quick read takes about a
 * millisecond, so hundreds of them wait less than a second.
 * What one client runs of them at the same time keeps a core and the database busy; of long and heavy reads it runs
 * few, so that others come between. Passwords have queues of their own behind this one.
 */
export const lanes: Readonly<Record<Cost, Bounds>> = {
  quick: { running: 256, runningPerClient: 32, waiting: 2048, perClient: 1152 },
  long: { running: 2, runningPerClient: 1, waiting: 128, perClient: 65 },
  heavy: { running: 8, runningPerClient: 2, waiting: 64, perClient: 36 },
  write: { running: 256, runningPerClient: 32, waiting: 512, perClient: 384 },
  hashing: { running: 512, runningPerClient: 512, waiting: 0, perClient: 512 },
  // Those that wait for bytes are among what a client may have; of them `Senders.ts` bounds all.
  upload: { running: 32, runningPerClient: 16, waiting: 96, perClient: 288 }
}

/** How hard-pressed the process is. */
export const pressures = ["none", "high", "extreme"] as const
export type Pressure = (typeof pressures)[number]

/** The pressure from which on new requests of each cost are refused; passwords and quick reads never are. */
export const refusedFrom: Readonly<Record<Cost, Pressure | undefined>> = {
  quick: undefined,
  long: "extreme",
  heavy: "high",
  write: "extreme",
  hashing: undefined,
  upload: "high"
}

export const isRefused = (cost: Cost, pressure: Pressure): boolean => {
  const from = refusedFrom[cost]
  return from !== undefined && pressures.indexOf(pressure) >= pressures.indexOf(from)
}
