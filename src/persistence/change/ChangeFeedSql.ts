/**
 * Reads the event log for those who listen on this instance, once for all of them. The position is kept in memory, as
 * nobody is told of what happened while nobody listened.
 */
import { Duration, Effect, Fiber, Layer, Queue, Schema, Semaphore } from "effect"
import { SqlClient } from "effect/sql"
import { ChangeFeed, changeIdOf } from "../../domain/change/ChangeFeed.ts"
import type { ChangeName } from "../../domain/change/Changes.ts"
import { changeOf, isTelling } from "../../domain/change/ChangesOfEvents.ts"
import { DomainEvent } from "../../domain/event/EventLog.ts"
import { errorText } from "../../domain/operations/InternalErrorRules.ts"
import { InternalErrors } from "../../domain/operations/InternalErrors.ts"
import type { EventPosition } from "../event/ConsumerPositions.ts"
import { EventSignal } from "../event/EventLogSql.ts"
import { QuickReads } from "../shared/Connections.ts"
import { toDateTime } from "../shared/Rows.ts"
import { type Listener, makeListener } from "./ChangeListeners.ts"
import { type EventPage, makeChangeReads, type TellingRow } from "./ChangeReads.ts"

// Other instances write too, and theirs raise no signal here.
const lookEvery = Duration.millis(500)

// What is committed meanwhile is read at once. Listeners are told within it and the time of a statement.
const pauseBetween = Duration.millis(10)

// A running transaction that holds events back ends soon, mostly, and nothing tells of it.
const firstHeldPause = Duration.millis(10)

// Other requests go on in between, however many listen.
const keptAtOnce = 10_000
const wokenAtOnce = 50

const decode = Schema.decodeUnknownEffect(Schema.toCodecJson(DomainEvent))

const make = Effect.gen(function* () {
  const signal = yield* EventSignal
  const { report } = yield* InternalErrors
  const scope = yield* Effect.scope
  const reads = makeChangeReads(yield* SqlClient.SqlClient, yield* QuickReads)
  const listeners = new Set<Listener>()
  const turn = Semaphore.makeUnsafe(1)
  let reader: Fiber.Fiber<void> | undefined

  /** The change that an event tells of. One that cannot be read tells of none, as no later try would help. */
  const changeIn = ({ event, generation, id, occurred_at, size, txid }: TellingRow) =>
    decode(event).pipe(
      Effect.map((known) => {
        const change = isTelling(known) ? changeOf(known) : undefined
        if (change === undefined) return undefined
        return {
          size,
          logged: {
            id: changeIdOf(occurred_at.getTime(), id),
            position: { generation, txid, id },
            at: toDateTime(occurred_at),
            change
          }
        }
      }),
      Effect.catch((error) =>
        // The error quotes neither values nor the event, as its cause in the log would.
        report({
          where: "changes",
          what: "An event could not be told of",
          failure: errorText(error),
          about: { event_id: String(id) }
        }).pipe(Effect.as(undefined))
      )
    )

  const tellAll = Effect.fnUntraced(function* ({ rows }: EventPage) {
    let kept = 0
    for (const row of rows) {
      const read = yield* changeIn(row)
      if (read === undefined) continue
      for (const listener of listeners) listener.keep(read)
      kept += listeners.size
      if (kept < keptAtOnce) continue
      kept = 0
      yield* Effect.yieldNow
    }
    let woken = 0
    for (const listener of listeners) {
      listener.wake()
      woken += 1
      // It goes on in this very moment.
      if (woken % wokenAtOnce === 0) yield* Effect.yieldNow
    }
  })

  /** Reads and tells what there is after a position, at most a page. A database that does not answer is asked again later. */
  const readPage = (at: EventPosition) =>
    reads.after(at).pipe(
      Effect.catchCause((failure) =>
        report({
          where: "changes",
          what: "Reading the event log for listeners failed; trying again",
          failure
        }).pipe(Effect.andThen(Effect.sleep(lookEvery)), Effect.as(undefined))
      ),
      Effect.tap((page) => (page === undefined ? Effect.void : tellAll(page)))
    )

  const follow = Effect.fnUntraced(function* (from: EventPosition) {
    const raised = yield* signal.listen
    let at = from
    let heldPause = firstHeldPause
    for (;;) {
      const page = yield* readPage(at)
      if (page === undefined || page.isFull) {
        at = page?.next ?? at
        continue
      }
      at = page.next
      if (page.isHeld) {
        yield* Effect.sleep(heldPause)
        heldPause = Duration.min(Duration.times(heldPause, 2), lookEvery)
        continue
      }
      heldPause = firstHeldPause
      if (page.rows.length > 0) yield* Effect.sleep(pauseBetween)
      yield* Effect.timeoutOption(Queue.take(raised), lookEvery)
    }
  }, Effect.scoped)

  /** The first who listens starts the reader. */
  const begin = Effect.fnUntraced(function* (names: ReadonlyArray<ChangeName>) {
    const since = yield* reads.now
    const listener = makeListener(names, since)
    listeners.add(listener)
    if (reader === undefined) reader = yield* Effect.forkIn(follow(since.head), scope)
    return listener
  })

  /** The last who ends stops it. */
  const end = Effect.fnUntraced(function* (listener: Listener) {
    listeners.delete(listener)
    if (listeners.size > 0 || reader === undefined) return
    yield* Fiber.interrupt(reader)
    reader = undefined
  })

  return ChangeFeed.of({
    subscribe: (names) =>
      Effect.acquireRelease(turn.withPermits(1)(begin(names)), (listener) =>
        turn.withPermits(1)(end(listener))
      )
  })
})

export const layer = Layer.effect(ChangeFeed, make)
