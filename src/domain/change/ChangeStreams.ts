/** Telling callers of changes as they come, from wherever they have come to. */
import { Context, Effect, Layer, Scope } from "effect"
import type { Actor } from "../shared/Actor.ts"
import { mayKnow } from "./Audience.ts"
import {
  ChangeFeed,
  type ChangeFollowing,
  type ChangesLost,
  type CurrentChange,
  type LoggedChange
} from "./ChangeFeed.ts"
import type { CursorExpired } from "./ChangeList.ts"
import { ChangeLog, type LogPage } from "./ChangeLog.ts"
import { type ChangePosition, isBefore } from "./ChangePosition.ts"
import type { ChangeName } from "./Changes.ts"

/** Changes of the log that are read at a time. */
const readAtOnce = 200

/** What tells changes to a caller. */
export interface ChangeStream {
  /**
   * The next changes; of several parts some may have none. It fails when more waits for the caller than may, or what
   * comes next is not kept any more.
   */
  readonly next: Effect.Effect<ReadonlyArray<LoggedChange>, ChangesLost | CursorExpired>
  /** Lets `next` answer, with none, if it waits for something. */
  readonly nudge: () => void
}

/** How far a stream has come. */
interface Progress {
  readonly callerNow: () => Actor
  readonly names: ReadonlyArray<ChangeName>
  readonly following: Effect.Effect<ChangeFollowing>
  /** What comes after this is told. */
  at: ChangePosition
  /** A page of the log that was read, and not told yet. */
  read: LogPage | undefined
  followed: ChangeFollowing | undefined
  isLogRead: boolean
  /** Whether all that comes is after `at`. */
  isBeyond: boolean
}

// Many streams have the same caller: guests, or one account. It is decided once for all of them.
const decided = new WeakMap<CurrentChange, Map<Actor, boolean>>()

const isTold = (change: CurrentChange, actor: Actor): boolean => {
  const known = decided.get(change) ?? new Map<Actor, boolean>()
  const answer = known.get(actor) ?? mayKnow(change.audience, change.now, actor)
  decided.set(change, known.set(actor, answer))
  return answer
}

/** Whether a change has not been told yet, of changes that come in their order. */
const isNew = (progress: Progress, { position }: LoggedChange): boolean => {
  progress.isBeyond ||= isBefore(progress.at, position)
  return progress.isBeyond
}

const make = Effect.gen(function* () {
  const log = yield* ChangeLog
  const feed = yield* ChangeFeed

  /**
   * Reads the log to its end, begins to follow, and reads once more what had come before that. By then `at` is where
   * this instance has come to, or beyond, and all that follows is told as it comes.
   */
  const nextOfLog = Effect.fnUntraced(function* (progress: Progress) {
    const page = progress.read ?? (yield* log.read(progress.at, progress.names, readAtOnce))
    if (!page.isPart) {
      progress.isLogRead = progress.followed !== undefined
      progress.followed ??= yield* progress.following
    }
    progress.read = undefined
    progress.at = page.next
    const caller = progress.callerNow()
    return page.changes.filter(({ audience }) => mayKnow(audience, page.now, caller))
  })

  const nextOfFeed = (progress: Progress, { take }: ChangeFollowing) =>
    Effect.map(take, (changes) => {
      const caller = progress.callerNow()
      return changes.filter((change) => isNew(progress, change) && isTold(change, caller))
    })

  /**
   * Answers what tells the changes after a position that a caller may know of, who is asked for with each of them: first
   * those of the log, part by part, then those that come. It follows as long as the scope is open, and calls `lost` as soon
   * as more waits than may: until what was told before is taken, nothing else says so.
   */
  const follow = Effect.fn("ChangeStreams.follow")(function* (
    callerNow: () => Actor,
    after: ChangePosition | undefined,
    names: ReadonlyArray<ChangeName>,
    lost: () => void
  ) {
    const scope = yield* Effect.scope
    const at = after ?? (yield* log.latest)
    const progress: Progress = {
      callerNow,
      names,
      following: Effect.provideService(feed.follow(names, lost), Scope.Scope, scope),
      at,
      // What cannot be told is refused before anything is answered.
      read: yield* log.read(at, names, readAtOnce),
      followed: undefined,
      isLogRead: false,
      isBeyond: false
    }
    const stream: ChangeStream = {
      next: Effect.suspend((): ChangeStream["next"] =>
        progress.isLogRead && progress.followed !== undefined
          ? nextOfFeed(progress, progress.followed)
          : nextOfLog(progress)
      ),
      nudge: () => progress.followed?.nudge()
    }
    return stream
  })

  return { follow } as const
})

export class ChangeStreams extends Context.Service<ChangeStreams, Effect.Success<typeof make>>()(
  "forum/domain/ChangeStreams"
) {
  static readonly layer = Layer.effect(ChangeStreams, make)
}
