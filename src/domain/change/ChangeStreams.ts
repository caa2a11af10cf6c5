/** Telling callers of changes as they come, from wherever they have come to. */
import { Array as Arr, Context, Effect, Layer, Scope } from "effect"
import type { Actor } from "../shared/Actor.ts"
import type { ClientNetwork } from "../shared/Client.ts"
import { mayKnow } from "./Audience.ts"
import {
  ChangeFeed,
  ChangesLost,
  type CurrentChange,
  type Hear,
  type LoggedChange,
  waitingMax
} from "./ChangeFeed.ts"
import type { CursorExpired } from "./ChangeList.ts"
import { ChangeLog, type LogPage } from "./ChangeLog.ts"
import { type ChangePosition, isBefore } from "./ChangePosition.ts"
import type { ChangeName } from "./Changes.ts"

/** Changes of the log that are read at a time. */
const readAtOnce = 200

/** Who is told, and of what. */
export interface StreamReader {
  readonly callerNow: () => Actor
  readonly names: ReadonlyArray<ChangeName>
  /** Whose turns it takes to read the log. */
  readonly network: ClientNetwork
  /** Called once more came than may wait while the log was read. */
  readonly lost: () => void
}

/** Changes that came together and are told to a reader: the same array for all who are told the same. */
type Told = Arr.NonEmptyReadonlyArray<LoggedChange>

/** What tells changes to a caller: first those of the log, then those that come. */
export interface ChangeStream {
  /** The next changes of the log, of which some parts have none. It fails when what comes next is not kept any more. */
  readonly next: Effect.Effect<ReadonlyArray<LoggedChange>, CursorExpired>
  /** Whether all of the log has been told. */
  readonly isLogRead: () => boolean
  /**
   * Passes on what came since the log was read, and from now on what comes, when it comes. It fails if more came meanwhile
   * than may wait.
   */
  readonly passOn: (tell: (changes: Told) => void) => Effect.Effect<void, ChangesLost>
}

type Part = Parameters<Hear>[0]

/** What has been found out about changes that came together. */
interface Found {
  /** Many readers are the same caller, guests or one account, and want the same. */
  readonly byReader: Map<Actor, Map<ReadonlyArray<ChangeName>, ReadonlyArray<CurrentChange>>>
  /** Different callers are told the same, mostly. By which of the changes they are told. */
  readonly byWhich: Map<string, ReadonlyArray<CurrentChange>>
}

const found = new WeakMap<Part, Found>()

const foundOf = (part: Part): Found => {
  const known = found.get(part) ?? { byReader: new Map(), byWhich: new Map() }
  found.set(part, known)
  return known
}

/** What of changes that came together is told to a reader: the same array for all who are told the same. */
const toldOf = (part: Part, { callerNow, names }: StreamReader): ReadonlyArray<CurrentChange> => {
  const caller = callerNow()
  const { byReader, byWhich } = foundOf(part)
  const byNames = byReader.get(caller) ?? new Map<typeof names, ReadonlyArray<CurrentChange>>()
  const known = byNames.get(names)
  if (known !== undefined) return known
  const isTold = part.map(
    ({ audience, change, now }) => names.includes(change.event) && mayKnow(audience, now, caller)
  )
  const which = isTold.map(Number).join("")
  const told = byWhich.get(which) ?? part.filter((_, n) => isTold[n])
  byWhich.set(which, told)
  byReader.set(caller, byNames.set(names, told))
  return told
}

/** Keeps what comes until somebody takes it, and all that comes after it. */
const makeComing = (lost: () => void) => {
  let waiting: Array<Part> = []
  const kept = { changes: 0, bytes: 0 }
  const isTooMuch = () => kept.changes > waitingMax.changes || kept.bytes > waitingMax.bytes

  const keep: Hear = (part) => {
    if (isTooMuch()) return false
    kept.changes += part.length
    kept.bytes += part.reduce((sum, { size }) => sum + size, 0)
    waiting.push(part)
    if (!isTooMuch()) return false
    waiting = []
    lost()
    return false
  }
  let hearing = keep

  const passTo = (hear: Hear): Effect.Effect<void, ChangesLost> =>
    Effect.suspend(() => {
      if (isTooMuch()) return Effect.fail(new ChangesLost())
      hearing = hear
      for (const part of waiting) hear(part)
      waiting = []
      return Effect.void
    })

  const hear: Hear = (part) => hearing(part)
  return { hear, passTo } as const
}

/** Passes on what of changes is told to a reader, of those after a position. */
const hearing = (reader: StreamReader, after: ChangePosition, tell: (changes: Told) => void): Hear => {
  let isBeyond = false
  return (part) => {
    isBeyond ||= isBefore(after, part[0].position)
    const all = toldOf(part, reader)
    const told = isBeyond ? all : all.filter(({ position }) => isBefore(after, position))
    if (!Arr.isReadonlyArrayNonEmpty(told)) return false
    tell(told)
    return true
  }
}

const make = Effect.gen(function* () {
  const log = yield* ChangeLog
  const feed = yield* ChangeFeed

  /** Answers what tells the changes after a position that a caller may know of, as long as the scope is open. */
  const follow = Effect.fn("ChangeStreams.follow")(function* (
    reader: StreamReader,
    after: ChangePosition | undefined
  ) {
    const scope = yield* Effect.scope
    const coming = makeComing(reader.lost)
    let at = after ?? (yield* log.latest)
    const nextPage = Effect.suspend(() => log.read(reader.network, at, reader.names, readAtOnce))
    // What cannot be told is refused before anything is answered.
    let first: LogPage | undefined = yield* nextPage
    let isComing = false
    let isLogRead = false

    // It reads the log to its end, lets come what comes, and reads once more what had come before that. By then it is
    // where this instance has come to, or beyond.
    const next = Effect.gen(function* () {
      const page = first ?? (yield* nextPage)
      first = undefined
      if (!page.isPart) {
        isLogRead = isComing
        if (!isComing) yield* Effect.provideService(feed.tell(coming.hear), Scope.Scope, scope)
        isComing = true
      }
      at = page.next
      const caller = reader.callerNow()
      return page.changes.filter(({ audience }) => mayKnow(audience, page.now, caller))
    })

    const stream: ChangeStream = {
      next,
      isLogRead: () => isLogRead,
      passOn: (tell) => Effect.suspend(() => coming.passTo(hearing(reader, at, tell)))
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
