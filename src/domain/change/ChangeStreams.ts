/** Telling callers of changes as they come, from wherever they have come to. */
import { Context, Effect, Layer, Scope } from "effect"
import type { Actor } from "../shared/Actor.ts"
import { type CurrentStandings, mayKnow } from "./Audience.ts"
import { ChangeFeed, type ChangeFollowing, type ChangesLost, type LoggedChange } from "./ChangeFeed.ts"
import type { CursorExpired } from "./ChangeList.ts"
import { ChangeLog, type LogPage } from "./ChangeLog.ts"
import { type ChangePosition, isBefore } from "./ChangePosition.ts"
import type { ChangeName } from "./Changes.ts"

/** Changes of the log that are read at a time. */
const readAtOnce = 200

const make = Effect.gen(function* () {
  const log = yield* ChangeLog
  const feed = yield* ChangeFeed

  /**
   * Answers what tells the changes after a position that a caller may know of, who is asked for with each of them: first
   * those of the log, part by part, then those that come. A part may have none of them. It fails when more waits for the
   * caller than may, or what comes next is not kept any more. It follows as long as the scope is open.
   */
  const follow = Effect.fn("ChangeStreams.follow")(function* (
    callerNow: () => Actor,
    after: ChangePosition | undefined,
    names: ReadonlyArray<ChangeName>
  ) {
    const scope = yield* Effect.scope
    const following = Effect.provideService(feed.follow(names), Scope.Scope, scope)
    const isTold = ({ audience }: LoggedChange, now: CurrentStandings) => mayKnow(audience, now, callerNow())
    let at = after ?? (yield* log.latest)
    // What cannot be told is refused before anything is answered.
    let read: LogPage | undefined = yield* log.read(at, names, readAtOnce)
    let followed: ChangeFollowing | undefined
    let isLogRead = false

    /**
     * Reads the log to its end, begins to follow, and reads once more what had come before that. By then `at` is where
     * this instance has come to, or beyond, and all that follows is told as it comes.
     */
    const nextOfLog = Effect.gen(function* () {
      const page = read ?? (yield* log.read(at, names, readAtOnce))
      if (!page.isPart) {
        isLogRead = followed !== undefined
        followed ??= yield* following
      }
      read = undefined
      at = page.next
      return page.changes.filter((change) => isTold(change, page.now))
    })

    const nextOfFeed = ({ take }: ChangeFollowing) =>
      Effect.map(take, (changes) =>
        changes.filter((change) => isBefore(at, change.position) && isTold(change, change.now))
      )

    return Effect.suspend(
      (): Effect.Effect<ReadonlyArray<LoggedChange>, ChangesLost | CursorExpired> =>
        isLogRead && followed !== undefined ? nextOfFeed(followed) : nextOfLog
    )
  })

  return { follow } as const
})

export class ChangeStreams extends Context.Service<ChangeStreams, Effect.Success<typeof make>>()(
  "forum/domain/ChangeStreams"
) {
  static readonly layer = Layer.effect(ChangeStreams, make)
}
