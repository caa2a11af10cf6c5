/** Who listens to the changes of this instance, and what waits for them. */
import { Array as Arr, Effect, Latch } from "effect"
import { ChangesLost, type LoggedChange, waitingMax } from "./ChangeFeed.ts"
import type { ChangePosition } from "./ChangePosition.ts"
import type { ChangeName } from "./Changes.ts"

export interface Listener<Heard extends LoggedChange> {
  /** What was kept since the last time; waits until there is something. */
  readonly take: Effect.Effect<Arr.NonEmptyReadonlyArray<Heard>, ChangesLost>
  /** Keeps a change, whose event has so many bytes, for the listener if it has to do with it. Never waits. */
  readonly keep: (heard: Heard, size: number) => void
  /** Lets the listener take what there is, if it waits for something. Answers whether there is anything. */
  readonly wake: () => boolean
}

interface Kept<Heard> {
  readonly changes: Array<Heard>
  bytes: number
}

/** What waits for a listener; nothing any more once it was too much. */
type Waiting<Heard> = Kept<Heard> | "lost"

/** What waits when one more change does. */
const withAlso = <Heard>(kept: Kept<Heard>, heard: Heard, size: number): Waiting<Heard> => {
  if (kept.changes.length === waitingMax.changes) return "lost"
  // One change is never too large for a listener that waits for nothing else.
  if (kept.bytes > 0 && kept.bytes + size > waitingMax.bytes) return "lost"
  kept.changes.push(heard)
  kept.bytes += size
  return kept
}

// Most want the same, and thousands of sets of all names would take megabytes.
const sets = new WeakMap<ReadonlyArray<ChangeName>, ReadonlySet<ChangeName>>()

const setOf = (names: ReadonlyArray<ChangeName>): ReadonlySet<ChangeName> => {
  const set = sets.get(names) ?? new Set(names)
  sets.set(names, set)
  return set
}

/** Someone who listens for changes with these names, of those that `isSince` lets pass. */
export const makeListener = <Heard extends LoggedChange>(
  names: ReadonlyArray<ChangeName>,
  isSince: (position: ChangePosition) => boolean = () => true
): Listener<Heard> => {
  const wanted = setOf(names)
  const arrived = Latch.makeUnsafe()
  let waiting: Waiting<Heard> = { changes: [], bytes: 0 }

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
      if (waiting === "lost" || !wanted.has(heard.change.event) || !isSince(heard.position)) return
      waiting = withAlso(waiting, heard, size)
    },
    wake: () => {
      const isAny = waiting === "lost" || waiting.changes.length > 0
      if (isAny) arrived.openUnsafe()
      return isAny
    },
    take
  }
}
