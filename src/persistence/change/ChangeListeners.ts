/** Those who listen to the changes of this instance, and what waits for each of them. */
import { Array as Arr, Effect, Latch } from "effect"
import {
  type ChangeListening,
  ChangesLost,
  type LoggedChange,
  waitingMax
} from "../../domain/change/ChangeFeed.ts"
import type { ChangeName } from "../../domain/change/Changes.ts"
import { isAfter, isBeyond, type LogMoment } from "./LogMoment.ts"

/** A change, and how many bytes its event has. */
export interface ReadChange {
  readonly logged: LoggedChange
  readonly size: number
}

export interface Listener extends ChangeListening {
  /** Keeps a change for the listener if it has to do with it. Never waits. */
  readonly keep: (read: ReadChange) => void
  /** Lets the listener take what there is, if it waits for something. */
  readonly wake: () => void
}

/** What waits for a listener; nothing any more once it was too much. */
type Waiting = { readonly changes: Array<LoggedChange>; bytes: number } | "lost"

/** Someone who listens for changes with these names that are committed after a moment. */
export const makeListener = (names: ReadonlyArray<ChangeName>, since: LogMoment): Listener => {
  const wanted = new Set(names)
  const arrived = Latch.makeUnsafe()
  let waiting: Waiting = { changes: [], bytes: 0 }
  let isBeyondSince = false

  /** Whether it happened since the listener came. After a while all has, and nothing has to be compared any more. */
  const isSince = ({ position }: LoggedChange) => {
    isBeyondSince ||= isBeyond(since, position)
    return isBeyondSince || isAfter(since, position)
  }

  const withAlso = ({ logged, size }: ReadChange): Waiting => {
    if (waiting === "lost" || waiting.changes.length === waitingMax.changes) return "lost"
    // One change is never too large for a listener that waits for nothing else.
    if (waiting.bytes > 0 && waiting.bytes + size > waitingMax.bytes) return "lost"
    waiting.changes.push(logged)
    waiting.bytes += size
    return waiting
  }

  const take: ChangeListening["take"] = Effect.suspend(() => {
    if (waiting === "lost") return Effect.fail(new ChangesLost())
    const { changes } = waiting
    if (!Arr.isArrayNonEmpty(changes)) return Effect.andThen(arrived.await, take)
    waiting = { changes: [], bytes: 0 }
    arrived.closeUnsafe()
    return Effect.succeed(changes)
  })

  return {
    keep: (read) => {
      if (wanted.has(read.logged.change.event) && isSince(read.logged)) waiting = withAlso(read)
    },
    wake: () => {
      if (waiting === "lost" || waiting.changes.length > 0) arrived.openUnsafe()
    },
    take
  }
}
