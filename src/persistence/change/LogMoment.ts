/** A moment of the log: what had been committed then, whether it could be read or not. Pure. */
import type { EventPosition } from "../event/ConsumerPositions.ts"

/** What PostgreSQL shows at a moment: transactions before `next`, but for those that ran. */
export interface Snapshot {
  readonly next: bigint
  readonly running: ReadonlySet<bigint>
}

export interface LogMoment {
  /** The last event that could be read. */
  readonly head: EventPosition
  /** The generation of what was written then. Earlier ones are complete. */
  readonly generation: number
  readonly snapshot: Snapshot
}

type Written = Pick<EventPosition, "generation" | "txid">

/** A snapshot as PostgreSQL writes it: `xmin:xmax:xip_list`. */
export const parseSnapshot = (text: string): Snapshot => {
  const [, next = "0", running = ""] = text.split(":")
  return { next: BigInt(next), running: new Set(running === "" ? [] : running.split(",").map(BigInt)) }
}

/** Whether an event, and all that follow it in the log, were written by transactions that began after a moment. */
export const isBeyond = ({ generation, snapshot }: LogMoment, event: Written): boolean =>
  event.generation > generation || (event.generation === generation && BigInt(event.txid) >= snapshot.next)

/** Whether an event was committed after a moment. */
export const isAfter = (moment: LogMoment, event: Written): boolean =>
  isBeyond(moment, event) ||
  (event.generation === moment.generation && moment.snapshot.running.has(BigInt(event.txid)))

/** Whether a change happened since a moment. After a while all have, and nothing has to be compared any more. */
export const committedSince = (since: LogMoment): ((written: Written) => boolean) => {
  let isBeyondSince = false
  return (written) => {
    isBeyondSince ||= isBeyond(since, written)
    return isBeyondSince || isAfter(since, written)
  }
}
