/**
 * Reads the event log for those who listen on this instance, once for all of them. The position is kept in memory, as
 * nobody is told of what happened while nobody listened.
 */
import { Cause, Duration, Effect, Fiber, Layer, Queue, Semaphore } from "effect"
import { SqlClient } from "effect/sql"
import type { CurrentStandings } from "../../domain/change/Audience.ts"
import { ChangeFeed, type CurrentChange, type LoggedChange } from "../../domain/change/ChangeFeed.ts"
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
const wokenAtOnce = 50

/** Those who listen, of which those who follow are told what changes are about as it is now. */
const makeAudience = () => {
  const listeners = new Set<Listener<LoggedChange>>()
  const followers = new Set<Listener<CurrentChange>>()
  return {
    listeners,
    followers,
    size: () => listeners.size + followers.size,
    keep: ({ logged, size }: ReadChange, now: CurrentStandings | undefined) => {
      for (const listener of listeners) listener.keep(logged, size)
      if (now === undefined) return
      // One object for all of them, so that what is made of it is made once.
      const current = { ...logged, now }
      for (const follower of followers) follower.keep(current, size)
    },
    /** Answers how many had something to take. */
    wake: Effect.gen(function* () {
      let woken = 0
      for (const listener of [...listeners, ...followers]) {
        if (!listener.wake()) continue
        woken += 1
        // It goes on in this very moment.
        if (woken % wokenAtOnce === 0) yield* Effect.yieldNow
      }
      return woken
    })
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
    let now: CurrentStandings | undefined
    let kept = 0
    for (const one of read) {
      // Somebody may begin to follow while others are told: what they are told of is read as well.
      if (audience.followers.size > 0 && now === undefined) {
        now = yield* trying(readStandings(read.map(({ logged }) => logged.audience)))
      }
      // From here on nothing comes between, so that whoever comes is told of all that follows.
      audience.keep(one, now)
      told = one.logged.position
      kept += audience.size()
      if (kept < keptAtOnce) continue
      kept = 0
      yield* Effect.yieldNow
    }
    return yield* audience.wake
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

  const beginFollowing = Effect.fnUntraced(function* (names: ReadonlyArray<ChangeName>, lost?: () => void) {
    if (reader === undefined) yield* start((yield* reads.now).head)
    const from = told
    const follower = makeListener<CurrentChange>(names, comesAfter(from), lost)
    audience.followers.add(follower)
    return { follower, from }
  })

  const inTurn = turn.withPermits(1)

  return ChangeFeed.of({
    subscribe: (names) =>
      Effect.acquireRelease(inTurn(subscribe(names)), (listener) => {
        audience.listeners.delete(listener)
        return inTurn(stop)
      }),
    follow: (names, lost) =>
      Effect.acquireRelease(inTurn(beginFollowing(names, lost)), ({ follower }) => {
        audience.followers.delete(follower)
        return inTurn(stop)
      }).pipe(Effect.map(({ follower: { nudge, takeOrNot }, from }) => ({ from, nudge, take: takeOrNot })))
  })
})

export const layer = Layer.effect(ChangeFeed, make)
