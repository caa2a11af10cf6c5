/**
 * Reads the event log for those who listen on this instance, once for all of them. The position is kept in memory, as
 * nobody is told of what happened while nobody listened.
 */
import { Array as Arr, Cause, Duration, Effect, Fiber, Layer, Queue, Semaphore } from "effect"
import { SqlClient } from "effect/sql"
import type { CurrentStandings } from "../../domain/change/Audience.ts"
import {
  ChangeFeed,
  type CurrentChange,
  type Hear,
  type LoggedChange
} from "../../domain/change/ChangeFeed.ts"
import { beginning, type ChangePosition } from "../../domain/change/ChangePosition.ts"
import type { ChangeName } from "../../domain/change/Changes.ts"
import { InternalErrors } from "../../domain/operations/InternalErrors.ts"
import type { EventPosition } from "../event/ConsumerPositions.ts"
import { EventSignal } from "../event/EventLogSql.ts"
import { QuickReads } from "../shared/Connections.ts"
import { comesAfter, committedSince, type Listener, makeListener } from "./ChangeListeners.ts"
import { type EventPage, makeChangeReads } from "./ChangeReads.ts"
import { makeCurrentStandings } from "./CurrentStandingsSql.ts"
import { makeReadChanges, type ReadChange } from "./TellingEvents.ts"

// Other instances write too, and theirs raise no signal here.
const lookEvery = Duration.millis(500)

// What is committed meanwhile is read at once. Few listeners are told within it and the time of a statement.
const pauseMin = 10

// A write to a connection costs some dozens of microseconds. What is committed meanwhile is told together, so that
// telling takes a small part of the time of the process. A hundred are told within 60 ms, and thousands within 600.
const pausePerListener = 0.6
const pauseMax = 600

/** How long nothing is read after so many listeners were told of something, in milliseconds. */
export const pauseAfter = (told: number): number =>
  Math.max(pauseMin, Math.min(pausePerListener * told, pauseMax))

// A running transaction that holds events back ends soon, mostly, and nothing tells of it.
const firstHeldPause = Duration.millis(10)

// Other requests go on in between, however many listen.
const keptAtOnce = 10_000
const toldAtOnce = 50

/** Those who listen, of which those who follow or hear are told what changes are about as it is now. */
const makeAudience = () => {
  const listeners = new Set<Listener<LoggedChange>>()
  const followers = new Set<Listener<CurrentChange>>()
  const hearers = new Set<Hear>()

  /** Lets each of them know of what there is. Answers how many were told something. */
  const tell = (current: ReadonlyArray<CurrentChange>) => {
    // Whoever comes from here on is told of what comes after this.
    const all = [...listeners, ...followers].map(({ wake }) => wake)
    if (Arr.isReadonlyArrayNonEmpty(current)) {
      for (const hear of hearers) all.push(() => hearers.has(hear) && hear(current))
    }
    return Effect.gen(function* () {
      let told = 0
      for (const tellOne of all) {
        if (!tellOne()) continue
        told += 1
        // It goes on in this very moment.
        if (told % toldAtOnce === 0) yield* Effect.yieldNow
      }
      return told
    })
  }

  return {
    listeners,
    followers,
    hearers,
    size: () => listeners.size + followers.size + hearers.size,
    wantsCurrent: () => followers.size + hearers.size > 0,
    keep: ({ logged, size }: ReadChange, current: CurrentChange | undefined) => {
      for (const listener of listeners) listener.keep(logged, size)
      if (current === undefined) return
      for (const follower of followers) follower.keep(current, size)
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
  const audience = makeAudience()
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
      if (audience.wantsCurrent() && now === undefined) {
        now = yield* trying(readStandings(read.map(({ logged }) => logged.audience)))
      }
      // From here on nothing comes between, so that whoever comes is told of all that follows. One object is for all,
      // so that what is made of it is made once.
      const asItIs = now === undefined ? undefined : { ...one.logged, now, size: one.size }
      audience.keep(one, asItIs)
      if (asItIs !== undefined) current.push(asItIs)
      told = one.logged.position
      kept += audience.listeners.size + audience.followers.size
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
    for (;;) {
      const page = yield* trying(reads.after(at))
      const listeners = yield* tellAll(page)
      at = page.next
      told = at
      if (page.isFull) continue
      const pause = Duration.millis(pauseAfter(listeners))
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

  const beginFollowing = (names: ReadonlyArray<ChangeName>) =>
    Effect.map(joining, (from) => {
      const follower = makeListener<CurrentChange>(names, comesAfter(from))
      audience.followers.add(follower)
      return follower
    })

  const inTurn = turn.withPermits(1)

  const untilLeft = <A>(join: Effect.Effect<A>, leave: (one: A) => void) =>
    Effect.acquireRelease(inTurn(join), (one) => {
      leave(one)
      return inTurn(stop)
    })

  return ChangeFeed.of({
    subscribe: (names) => untilLeft(subscribe(names), (one) => audience.listeners.delete(one)),
    follow: (names) => untilLeft(beginFollowing(names), (one) => audience.followers.delete(one)),
    tell: (hear) =>
      untilLeft(
        Effect.tap(joining, () => Effect.sync(() => audience.hearers.add(hear))),
        () => audience.hearers.delete(hear)
      )
  })
})

export const layer = Layer.effect(ChangeFeed, make)
