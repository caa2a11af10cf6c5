/** Those who listen to the changes of this instance, and what waits for each of them. */
import { Array as Arr, Effect, Latch } from "effect"
import { ChangesLost, type LoggedChange, waitingMax } from "../../domain/change/ChangeFeed.ts"
import type { ChangePosition } from "../../domain/change/ChangePosition.ts"
import type { ChangeName } from "../../domain/change/Changes.ts"
import { isAfter, isBeyond, type LogMoment } from "./LogMoment.ts"

export interface Listener<Heard extends LoggedChange> {
  /** What was kept since the last time; waits until there is something. */
  readonly take: Effect.Effect<Arr.NonEmptyReadonlyArray<Heard>, ChangesLost>
  /** Keeps a change, whose event has so many bytes, for the listener if it has to do with it. Never waits. */
  readonly keep: (heard: Heard, size: number) => void
  /** Lets the listener take what there is, if it waits for something. */
  readonly wake: () => void
}

/** What waits for a listener; nothing any more once it was too much. */
type Waiting<Heard> = { readonly changes: Array<Heard>; bytes: number } | "lost"

/** Whether a change happened since a moment. After a while all have, and nothing has to be compared any more. */
export const committedSince = (since: LogMoment): ((position: ChangePosition) => boolean) => {
  let isBeyondSince = false
  return (position) => {
    isBeyondSince ||= isBeyond(since, position)
    return isBeyondSince || isAfter(since, position)
  }
}

/** Someone who listens for changes with these names, of those that `isSince` lets pass. */
export const makeListener = <Heard extends LoggedChange>(
  names: ReadonlyArray<ChangeName>,
  isSince: (position: ChangePosition) => boolean
): Listener<Heard> => {
  const wanted = new Set(names)
  const arrived = Latch.makeUnsafe()
  let waiting: Waiting<Heard> = { changes: [], bytes: 0 }

  const withAlso = (heard: Heard, size: number): Waiting<Heard> => {
    if (waiting === "lost" || waiting.changes.length === waitingMax.changes) return "lost"
    // One change is never too large for a listener that waits for nothing else.
    if (waiting.bytes > 0 && waiting.bytes + size > waitingMax.bytes) return "lost"
    waiting.changes.push(heard)
    waiting.bytes += size
    return waiting
  }

  const take: Listener<Heard>["take"] = Effect.suspend(() => {
    if (waiting === "lost") return Effect.fail(new ChangesLost())
    const { changes } = waiting
    if (!Arr.isArrayNonEmpty(changes)) return Effect.andThen(arrived.await, take)
    waiting = { changes: [], bytes: 0 }
    arrived.closeUnsafe()
    return Effect.succeed(changes)
  })

  return {
    keep: (heard, size) => {
      if (wanted.has(heard.change.event) && isSince(heard.position)) waiting = withAlso(heard, size)
    },
    wake: () => {
      if (waiting === "lost" || waiting.changes.length > 0) arrived.openUnsafe()
    },
    take
  }
}
