/** Telling callers of changes that they may know of, from wherever they have come to. */
import { Context, DateTime, Duration, Effect, Layer } from "effect"
import { Timestamp } from "../field/Resource.ts"
import type { Actor } from "../shared/Actor.ts"
import type { ClientNetwork } from "../shared/Client.ts"
import { mayKnow } from "./Audience.ts"
import { ChangeFeed, type CurrentChange, type LoggedChange } from "./ChangeFeed.ts"
import type { ChangeEntry, ChangeListResult } from "./ChangeList.ts"
import { makeListener } from "./ChangeListener.ts"
import { ChangeLog } from "./ChangeLog.ts"
import { type ChangePosition, cursorOf, isBefore } from "./ChangePosition.ts"
import type { ChangeName } from "./Changes.ts"

/** What a caller asks for. */
export interface Asked {
  /** What comes after this; from the oldest that is kept on without it. */
  readonly after: ChangePosition | undefined
  readonly names: ReadonlyArray<ChangeName>
  readonly limit: number
  /** Whose turn it takes. */
  readonly network: ClientNetwork
}

/** What was found for a caller. */
interface Found {
  readonly changes: ReadonlyArray<LoggedChange>
  readonly next: ChangePosition
  readonly isPart: boolean
}

/** How many pages of the log are read for one answer, of which the caller may know nothing. */
const pagesMax = 5

/** How many changes are read at a time at least: of several, the caller may know of some. */
const readAtLeast = 50

export const entryOf = ({ at, change, id, position }: LoggedChange): ChangeEntry => ({
  id,
  cursor: cursorOf(position),
  at: Timestamp.make(DateTime.formatIso(at)),
  event: change
})

const resultOf = ({ changes, isPart, next }: Found): ChangeListResult => ({
  changes: changes.map(entryOf),
  next: cursorOf(next),
  more: isPart
})

const make = Effect.gen(function* () {
  const log = yield* ChangeLog
  const feed = yield* ChangeFeed

  /** The next changes that a caller may know of. */
  const find = Effect.fnUntraced(function* (actor: Actor, { after, limit, names, network }: Asked) {
    const found: Array<LoggedChange> = []
    let at = after
    for (let pages = 1; ; pages++) {
      const page = yield* log.read(network, at, names, Math.max(limit - found.length, readAtLeast))
      for (const change of page.changes) {
        if (found.length === limit) break
        if (mayKnow(change.audience, page.now, actor)) found.push(change)
      }
      const last = found.at(-1)
      if (last !== undefined && found.length === limit) {
        const isPart = page.isPart || last !== page.changes.at(-1)
        return { changes: found, next: isPart ? last.position : page.next, isPart } satisfies Found
      }
      at = page.next
      if (!page.isPart || pages === pagesMax) {
        return { changes: found, next: page.next, isPart: page.isPart } satisfies Found
      }
    }
  })

  /** What of changes that come a caller may know of; where they end, if there is none. */
  const decide = (
    changes: ReadonlyArray<CurrentChange>,
    from: ChangePosition,
    actor: Actor,
    limit: number
  ): Found => {
    const known = changes.filter(
      ({ audience, now, position }) => isBefore(from, position) && mayKnow(audience, now, actor)
    )
    const told = known.slice(0, limit)
    const isPart = told.length < known.length
    const next = (isPart ? told : changes).at(-1)?.position ?? from
    return { changes: told, next: isBefore(from, next) ? next : from, isPart }
  }

  /** The next changes that a caller may know of. */
  const list = Effect.fn("ChangeHistory.list")(function* (actor: Actor, asked: Asked) {
    return resultOf(yield* find(actor, asked))
  })

  /** Listens for changes with these names as they come, until the scope ends. */
  const listen = Effect.fnUntraced(function* (names: ReadonlyArray<ChangeName>) {
    const listener = makeListener<CurrentChange>(names)
    yield* feed.tell((changes) => {
      for (const change of changes) listener.keep(change, change.size)
      return listener.wake()
    })
    return listener
  })

  /**
   * Waits until something comes that a caller may know of, at most so many seconds. When it has come, `again` finds out
   * who the caller is by then.
   */
  const waitFor = Effect.fn("ChangeHistory.waitFor")(function* (
    actor: Actor,
    again: Effect.Effect<Actor>,
    asked: Asked,
    seconds: number
  ) {
    const listener = yield* listen(asked.names)
    // What came before this instance reads the log for the caller.
    let found: Found = yield* find(actor, asked)
    const coming = Effect.gen(function* () {
      while (found.changes.length === 0) {
        const changes = yield* listener.take
        const { next: from } = found
        const come = decide(changes, from, actor, asked.limit)
        // Nothing is kept for the answer before it is known who gets it.
        found = come.changes.length === 0 ? come : decide(changes, from, yield* again, asked.limit)
      }
    })
    // Whoever is not told of all is told from where to go on.
    if (!found.isPart) yield* Effect.timeoutOption(Effect.ignore(coming), Duration.seconds(seconds))
    return resultOf(found)
  }, Effect.scoped)

  /** Where the changes are now. */
  const latest = Effect.map(log.latest, (next) => resultOf({ changes: [], next, isPart: false }))

  return { list, waitFor, latest } as const
})

export class ChangeHistory extends Context.Service<ChangeHistory, Effect.Success<typeof make>>()(
  "forum/domain/ChangeHistory"
) {
  static readonly layer = Layer.effect(ChangeHistory, make)
}
