/**
 * Reads the event log for those who listen on this instance, once for all of them. The position is kept in memory, as
 * nobody is told of what happened while nobody listened.
 */
import { Array as Arr, Cause, Clock, Duration, Effect, Fiber, Layer, Queue, Semaphore } from "effect"
import { SqlClient } from "effect/sql"
import type { CurrentStandings } from "../../domain/change/Audience.ts"
import {
  ChangeFeed,
  type CurrentChange,
  type Hear,
  type LoggedChange
} from "../../domain/change/ChangeFeed.ts"
import { type Listener, makeListener } from "../../domain/change/ChangeListener.ts"
import { beginning, type ChangePosition } from "../../domain/change/ChangePosition.ts"
import type { ChangeName } from "../../domain/change/Changes.ts"
import { InternalErrors } from "../../domain/operations/InternalErrors.ts"
import type { EventPosition } from "../event/ConsumerPositions.ts"
import { EventSignal } from "../event/EventLogSql.ts"
import { QuickReads } from "../shared/Connections.ts"
import { type EventPage, makeChangeReads } from "./ChangeReads.ts"
import { makeCurrentStandings } from "./CurrentStandingsSql.ts"
import { committedSince } from "./LogMoment.ts"
import { makeReadChanges, type ReadChange } from "./TellingEvents.ts"

// Other instances write too, and theirs raise no signal here.
const lookEvery = Duration.millis(500)

// What is committed meanwhile is read at once. Few listeners are told within it and the time of a statement.
const pauseMin = 10

// A write to a connection costs some dozens of microseconds, and what is committed during a pause is one write. So
// telling a thousand takes a fortieth of the time of the process. A hundred are told within 60 ms, and thousands within
// 750, which leaves time to write to all of them within a second.
const pausePerListener = 0.75
const toldSoon = 20
const pauseMax = 750

// Many who are told different things cost more than writes.
const pausePerMilli = 25

/** How many listeners were told of something, and for how many milliseconds others had to wait for that. */
export interface Telling {
  readonly told: number
  readonly spent: number
}

/** How long nothing is read after listeners were told of something, in milliseconds. */
export const pauseAfter = ({ spent, told }: Telling): number =>
  Math.min(Math.max(pauseMin, pausePerListener * (told - toldSoon), pausePerMilli * spent), pauseMax)

// A running transaction that holds events back ends soon, mostly, and nothing tells of it.
const firstHeldPause = Duration.millis(10)

// Other requests go on in between, however many listen.
const keptAtOnce = 10_000
const toldAtOnce = 50

/** Those who listen, and those who hear, who are told what changes are about as it is now. */
const makeAudience = (now: () => number) => {
  const listeners = new Set<Listener<LoggedChange>>()
  const hearers = new Set<Hear>()

  /** Lets each of them know of what there is. */
  const tell = (current: ReadonlyArray<CurrentChange>) => {
    // Whoever comes from here on is told of what comes after this.
    const all = [...listeners].map(({ wake }) => wake)
    if (Arr.isReadonlyArrayNonEmpty(current)) {
      for (const hear of hearers) all.push(() => hearers.has(hear) && hear(current))
    }
    return Effect.gen(function* () {
      let told = 0
      let spent = 0
      let since = now()
      for (const tellOne of all) {
        if (!tellOne()) continue
        told += 1
        if (told % toldAtOnce !== 0) continue
        spent += now() - since
        // It goes on in this very moment.
        yield* Effect.yieldNow
        since = now()
      }
      return { told, spent: spent + now() - since } satisfies Telling
    })
  }

  return {
    listeners,
    hearers,
    size: () => listeners.size + hearers.size,
    keep: ({ logged, size }: ReadChange) => {
      for (const listener of listeners) listener.keep(logged, size)
    },
    tell
  } as const
}

/** Makes a function that reads from a database that may not answer: then it is reported, and read again later. */
const makeTrying = ({ report }: InternalErrors["Service"]) => {
  const trying = <A>(reading: Effect.Effect<A>): Effect.Effect<A> =>
    Effect.catchCause(reading, (failure) =>
      Cause.hasInterruptsOnly(failure)
        ? Effect.failCause(failure)
        : report({
            where: "changes",
            what: "Reading the event log for listeners failed; trying again",
            failure
          }).pipe(Effect.andThen(Effect.sleep(lookEvery)), Effect.andThen(trying(reading)))
    )
  return trying
}

const make = Effect.gen(function* () {
  const signal = yield* EventSignal
  const errors = yield* InternalErrors
  const scope = yield* Effect.scope
  const quick = yield* QuickReads
  const reads = makeChangeReads(yield* SqlClient.SqlClient, quick)
  const readStandings = makeCurrentStandings(quick)
  const readChanges = makeReadChanges(errors)
  const trying = makeTrying(errors)
  const clock = yield* Clock.Clock
  const audience = makeAudience(() => Number(clock.monotonicTimeNanosUnsafe()) / 1e6)
  const turn = Semaphore.makeUnsafe(1)
  let reader: Fiber.Fiber<void> | undefined
  // All that comes until then has been kept for those who listen.
  let told: ChangePosition = beginning

  const tellAll = Effect.fnUntraced(function* ({ rows }: EventPage) {
    const read = yield* readChanges(rows)
    const current: Array<CurrentChange> = []
    let now: CurrentStandings | undefined
    let kept = 0
    for (const one of read) {
      // Somebody may come while others are told: what they are told of is read as well.
      if (audience.hearers.size > 0 && now === undefined) {
        now = yield* trying(readStandings(read.map(({ logged }) => logged.audience)))
      }
      // From here on nothing comes between, so that whoever comes is told of all that follows.
      audience.keep(one)
      if (now !== undefined) current.push({ ...one.logged, now, size: one.size })
      told = one.logged.position
      kept += audience.listeners.size
      if (kept < keptAtOnce) continue
      kept = 0
      yield* Effect.yieldNow
    }
    return yield* audience.tell(current)
  })

  const follow = Effect.fnUntraced(function* (from: EventPosition) {
    const raised = yield* signal.listen
    let at = from
    let heldPause = firstHeldPause
    let spentBefore = 0
    for (;;) {
      const page = yield* trying(reads.after(at))
      const telling = yield* tellAll(page)
      at = page.next
      told = at
      if (page.isFull) continue
      // Whatever stopped the process once is not what telling takes.
      const spent = Math.min(telling.spent, spentBefore)
      spentBefore = telling.spent
      const pause = Duration.millis(pauseAfter({ ...telling, spent }))
      if (page.isHeld) {
        yield* Effect.sleep(Duration.max(heldPause, pause))
        heldPause = Duration.min(Duration.times(heldPause, 2), lookEvery)
        continue
      }
      heldPause = firstHeldPause
      if (page.rows.length > 0) yield* Effect.sleep(pause)
      yield* Effect.timeoutOption(Queue.take(raised), lookEvery)
    }
  }, Effect.scoped)

  /** The first who listens starts the reader. */
  const start = Effect.fnUntraced(function* (from: EventPosition) {
    if (reader !== undefined) return
    told = from
    reader = yield* Effect.forkIn(follow(from), scope)
  })

  /** The last who ends stops it. */
  const stop = Effect.gen(function* () {
    if (audience.size() > 0 || reader === undefined) return
    yield* Fiber.interrupt(reader)
    reader = undefined
  })

  const subscribe = Effect.fnUntraced(function* (names: ReadonlyArray<ChangeName>) {
    const since = yield* reads.now
    const listener = makeListener<LoggedChange>(names, committedSince(since))
    audience.listeners.add(listener)
    yield* start(since.head)
    return listener
  })

  /** Where what is told from now on begins. */
  const joining = Effect.gen(function* () {
    if (reader === undefined) yield* start((yield* reads.now).head)
    return told
  })

  const inTurn = turn.withPermits(1)

  const untilLeft = <A>(join: Effect.Effect<A>, leave: (one: A) => void) =>
    Effect.acquireRelease(inTurn(join), (one) => {
      leave(one)
      return inTurn(stop)
    })

  return ChangeFeed.of({
    subscribe: (names) => untilLeft(subscribe(names), (one) => audience.listeners.delete(one)),
    tell: (hear) =>
      untilLeft(
        Effect.tap(joining, () => Effect.sync(() => audience.hearers.add(hear))),
        () => audience.hearers.delete(hear)
      )
  })
})

export const layer = Layer.effect(ChangeFeed, make)
