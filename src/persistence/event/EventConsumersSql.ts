/** Hands the events of the log to each consumer, in order, so that each takes effect once. */
import { Context, DateTime, Effect, Exit, Layer, Metric, Queue, Semaphore } from "effect"
import { SqlClient } from "effect/sql"
import type { EventConsumer } from "../../domain/event/EventConsumer.ts"
import { InternalErrors } from "../../domain/operations/InternalErrors.ts"
import { orDefect } from "../shared/SqlErrors.ts"
import { type ConsumerPositions, makePositions } from "./ConsumerPositions.ts"
import { makeReader, type Pauses } from "./ConsumerReader.ts"
import type { DeliveryFailed } from "./EventDelivery.ts"
import { EventSignal } from "./EventLogSql.ts"
import { makeParkedEvents } from "./ParkedEvents.ts"

// Other instances write too, and theirs raise no signal here.
const lookEvery = "500 millis"

// What is written meanwhile is read in one batch. Measured with changes of threads as fast as they come: without
// it, one takes 1.9 instead of 1.4 ms of the service's CPU time, and 1.5 instead of 0.9 ms of the database's.
const pauseBetween = "50 millis"

// Each takes a connection that requests need as well.
const parallelBatches = 2

// Counting further would read the log at every scrape, to say no more than that a consumer is far behind.
const lagMax = 10_000

const lagging = Metric.gauge("event_log_consumer_lag", {
  description: `Events that the consumer has not passed yet; counted to ${lagMax}`
})
const parkedEvents = Metric.gauge("event_log_parked", {
  description: "Events set aside because the consumer could not handle them"
})

interface StateRow {
  readonly name: string
  readonly lag: number
  readonly parked: number
}

const statesOf = (sql: SqlClient.SqlClient) =>
  sql<StateRow>`select c.name,
      (select count(*)::int from (
        select from event_log e where (e.generation, e.txid, e.id) > (c.generation, c.txid, c.event_id)
        order by e.generation, e.txid, e.id limit ${lagMax}
      ) unread) as lag,
      (select count(*)::int from parked_events p where p.consumer = c.name) as parked
    from event_consumers c`.pipe(orDefect)

const furthest = (rows: ReadonlyArray<StateRow>) => Math.max(0, ...rows.map(({ lag }) => lag))

/** Sets the gauges of each consumer, and answers the lag. */
const observe = Effect.fnUntraced(function* (states: Effect.Effect<ReadonlyArray<StateRow>>) {
  const rows = yield* states
  for (const { lag, name, parked } of rows) {
    yield* Metric.update(Metric.withAttributes(lagging, { consumer: name }), lag)
    yield* Metric.update(Metric.withAttributes(parkedEvents, { consumer: name }), parked)
  }
  return furthest(rows)
})

/** What is needed to read the log for consumers. */
interface Reading {
  readonly consumers: ReadonlyArray<EventConsumer>
  readonly positions: ConsumerPositions
  readonly signal: EventSignal["Service"]
  readonly errors: InternalErrors["Service"]
  /** Hands a consumer all that is there for it. */
  readonly readAll: (consumer: EventConsumer, pauses: Pauses) => Effect.Effect<void, DeliveryFailed>
}

/**
 * Hands every consumer all that is there for it now, without pauses before
 * another try. Fails if one of them does, after the others have read.
 */
const drain = ({ consumers, positions, readAll }: Reading) =>
  Effect.andThen(
    positions.checkGeneration,
    Effect.forEach(consumers, (consumer) => Effect.exit(readAll(consumer, "ignored")))
  ).pipe(Effect.flatMap((exits) => Exit.asVoidAll(exits)))

const warnOfFailure =
  ({ errors }: Reading) =>
  <A, E>(reading: Effect.Effect<A, E>) =>
    Effect.catchCause(reading, (failure) =>
      errors.report({
        where: "event log",
        what: "Reading the event log failed; trying again",
        failure
      })
    )

interface Reader {
  readonly consumer: EventConsumer
  readonly wake: Queue.Queue<void>
}

/** Reads for one consumer whenever it is woken. An event that fails is logged there, and due again later. */
const work = (reading: Reading, { consumer, wake }: Reader) =>
  Queue.take(wake).pipe(
    Effect.andThen(Effect.catchTag(reading.readAll(consumer, "kept"), "DeliveryFailed", () => Effect.void)),
    warnOfFailure(reading),
    Effect.andThen(Effect.sleep(pauseBetween)),
    Effect.forever
  )

/** Wakes those who have something to read, whenever something was written. */
const look = (reading: Reading, readers: ReadonlyArray<Reader>, signal: Queue.Dequeue<void>) => {
  const { consumers, positions } = reading
  const wakeDue = Effect.gen(function* () {
    yield* positions.checkGeneration
    const behind = yield* positions.look(consumers, yield* DateTime.now)
    const due = new Set(behind.flatMap(({ is_due, name }) => (is_due ? [name] : [])))
    for (const { consumer, wake } of readers) {
      if (due.has(consumer.name)) yield* Queue.offer(wake, undefined)
    }
    if (behind.length > 0) yield* Effect.sleep(pauseBetween)
  })
  return wakeDue.pipe(
    warnOfFailure(reading),
    Effect.andThen(Effect.timeoutOption(Queue.take(signal), lookEvery)),
    Effect.forever
  )
}

/**
 * Hands over events as they come. Consumers do not wait for each other; but
 * what is written while one is at work is readable only after its transaction.
 */
const follow = Effect.fnUntraced(function* (reading: Reading) {
  const readers = yield* Effect.forEach(reading.consumers, (consumer) =>
    Effect.map(Queue.sliding<void>(1), (wake) => ({ consumer, wake }))
  )
  const signal = yield* reading.signal.listen
  const working = readers.map((reader) => work(reading, reader))
  return yield* Effect.all([look(reading, readers, signal), ...working], {
    concurrency: "unbounded",
    discard: true
  })
}, Effect.scoped)

const make = Effect.fnUntraced(function* (consumers: ReadonlyArray<EventConsumer>) {
  const sql = yield* SqlClient.SqlClient
  const errors = yield* InternalErrors
  const positions = makePositions(sql)
  const readBatch = makeReader(sql, positions, errors)
  const parked = makeParkedEvents(sql)
  const turns = Semaphore.makeUnsafe(parallelBatches)
  const readAll = (consumer: EventConsumer, pauses: Pauses) =>
    turns
      .withPermits(1)(readBatch(consumer, pauses))
      .pipe(Effect.repeat({ while: (more) => more }))
  const reading: Reading = { consumers, positions, signal: yield* EventSignal, errors, readAll }
  const states = statesOf(sql)

  yield* positions.register(consumers.map(({ name }) => name))

  return {
    consumers,
    drain: drain(reading),
    follow: follow(reading),
    /** How many events the consumer that is furthest behind has not passed yet; counted up to 10,000. */
    lag: Effect.map(states, furthest),
    observe: observe(states),
    /** Tries the parked events of a consumer once more; those that fail again stay parked. */
    retryParked: (name: string) =>
      Effect.forEach(
        consumers.filter((consumer) => consumer.name === name),
        parked.retry,
        { discard: true }
      )
  } as const
})

export class EventConsumers extends Context.Service<
  EventConsumers,
  Effect.Success<ReturnType<typeof make>>
>()("forum/persistence/EventConsumers") {
  /** Reads the log for these consumers, but only on request. */
  static readonly layer = <E, R>(consumers: Effect.Effect<ReadonlyArray<EventConsumer>, E, R>) =>
    Layer.effect(EventConsumers, Effect.flatMap(consumers, make))

  /** Reads the log as long as the service runs. */
  static readonly following = Layer.effectDiscard(
    Effect.flatMap(EventConsumers, ({ follow }) => Effect.forkScoped(follow))
  )
}
