/** Follows what happens, for those who tell others of it. */
import { type Array as Arr, Context, Data, type DateTime, type Effect, type Scope } from "effect"
import { encode } from "../shared/Ids.ts"
import type { Audience, CurrentStandings } from "./Audience.ts"
import { ChangeId, type ChangePosition } from "./ChangePosition.ts"
import type { Change, ChangeName } from "./Changes.ts"

export interface LoggedChange {
  /** The same for everybody who is told of it, at any time. */
  readonly id: ChangeId
  readonly position: ChangePosition
  /** When it happened. */
  readonly at: DateTime.Utc
  readonly change: Change
  /** Who may know of it, as far as that was decided when it happened. */
  readonly audience: Audience
}

/** A change, with what it and those read beside it are about as that is now. */
export interface CurrentChange extends LoggedChange {
  readonly now: CurrentStandings
  /** How many bytes it has as it is told. */
  readonly size: number
}

/** The id of the change that an event of the log tells of: the second in which it happened, then the event. */
export const changeIdOf = (epochMillis: number, event: bigint): ChangeId => {
  const bytes = new Uint8Array(12)
  const view = new DataView(bytes.buffer)
  view.setUint32(0, Math.floor(epochMillis / 1000))
  view.setBigUint64(4, event)
  return ChangeId.make(encode(bytes))
}

/**
 * How much waits for one listener at most, in changes and in bytes of their events as JSON. It is far more than
 * happens while a listener writes to a connection, and so little that thousands may wait for that much.
 */
export const waitingMax = { changes: 1_000, bytes: 1024 * 1024 } as const

/** More has happened than waits for one listener, so that it was not told of all: it has to end. */
export class ChangesLost extends Data.TaggedError("ChangesLost") {}

export interface ChangeListening {
  /**
   * What has happened since the last time, in the order of all changes; waits until there is something. Nothing is
   * missed or repeated, or it fails, and then for good.
   */
  readonly take: Effect.Effect<Arr.NonEmptyReadonlyArray<LoggedChange>, ChangesLost>
}

/**
 * Is told of changes that were read together, in the order of all changes: the same array for all who are told. Answers
 * whether it passed anything on. It must neither wait nor throw.
 */
export type Hear = (changes: Arr.NonEmptyReadonlyArray<CurrentChange>) => boolean

export class ChangeFeed extends Context.Service<
  ChangeFeed,
  {
    /**
     * Listens for changes with these names, until the scope ends: for those that were committed after it is there, on
     * whichever instance, and for none that was committed before it was asked for.
     */
    readonly subscribe: (
      names: ReadonlyArray<ChangeName>
    ) => Effect.Effect<ChangeListening, never, Scope.Scope>
    /**
     * Tells of all changes that come after where this instance reads the log, which it answers, until the scope ends. The
     * first ones may be before that. Nothing is kept for whoever hears, so that thousands may.
     */
    readonly tell: (hear: Hear) => Effect.Effect<ChangePosition, never, Scope.Scope>
  }
>()("forum/domain/ChangeFeed") {}
