/** Reads the log for one consumer. */
import { Data, DateTime, Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { decideNextTry, type EventConsumer } from "../../domain/event/EventConsumer.ts"
import { errorText } from "../../domain/operations/InternalErrorRules.ts"
import type { InternalErrors } from "../../domain/operations/InternalErrors.ts"
import * as TransactionSql from "../shared/TransactionSql.ts"
import type { ConsumerPositions, EventRow, Position } from "./ConsumerPositions.ts"
import { type DeliveryFailed, handOver } from "./EventDelivery.ts"

const batchMax = 200

/** The consumer failed with some of these events, which follow its position. */
class BatchFailed extends Data.TaggedError("BatchFailed")<{
  readonly position: Position
  readonly first: EventRow
  readonly count: number
  readonly failed: DeliveryFailed
}> {}

/** Whether an event that failed before is tried only after its pause, or now. */
export type Pauses = "kept" | "ignored"

export const makeReader = (
  sql: SqlClient.SqlClient,
  positions: ConsumerPositions,
  { report }: InternalErrors["Service"]
) => {
  const transaction = TransactionSql.make(sql)

  /** Hands over the next events, at most so many. Answers whether there may be more. */
  const readBatch = (consumer: EventConsumer, limit: number, pauses: Pauses) =>
    transaction(
      Effect.gen(function* () {
        const position = yield* positions.lock(consumer.name)
        if (position === undefined) return false
        const { failing, head } = position
        const waits = failing !== undefined && DateTime.isGreaterThan(failing.retryAt, yield* DateTime.now)
        if (waits && pauses === "kept") return false
        const events = yield* positions.next(position, consumer.tags, limit)
        const [first] = events
        const isFull = events.length === limit
        const move = positions.move(consumer.name, (isFull ? events.at(-1) : undefined) ?? head)
        if (first === undefined) yield* move
        else {
          yield* handOver(consumer, events, move).pipe(
            Effect.mapError((failed) => new BatchFailed({ position, first, count: events.length, failed }))
          )
        }
        return isFull
      })
    )

  /** Lets the failed event wait for another try, and fails; or parks it, and answers that there may be more. */
  const setBack = Effect.fnUntraced(function* (consumer: EventConsumer, batch: BatchFailed) {
    const { failed, first, position } = batch
    const now = yield* DateTime.now
    const tries = (position.failing?.tries ?? 0) + 1
    const since = position.failing?.since ?? now
    const error = errorText(failed.error)
    const next = decideNextTry(tries)
    // The error quotes neither values nor the event, as its cause in the log would.
    const reported = (what: string) =>
      report({
        where: `event consumer: ${consumer.name}`,
        what,
        failure: error,
        about: { consumer: consumer.name, event_id: String(first.id), tries, error }
      })
    if (next._tag === "Park") {
      yield* positions.park(consumer.name, position, first, { tries, since }, error)
      yield* reported("An event was parked")
      return true
    }
    const retryAt = DateTime.addDuration(now, next.after)
    yield* positions.retryLater(consumer.name, position, { tries, since, retryAt }, error)
    yield* reported("An event could not be handled, and will be tried again")
    return yield* failed
  })

  const readOne = (consumer: EventConsumer) =>
    readBatch(consumer, 1, "ignored").pipe(
      Effect.catchTag("BatchFailed", (batch) => setBack(consumer, batch))
    )

  /** Finds the event of a batch that fails, and handles those before it. */
  const readSingly = Effect.fnUntraced(function* (consumer: EventConsumer, count: number) {
    for (let read = 0; read < count; read++) {
      if (!(yield* readOne(consumer))) return false
    }
    return true
  })

  /** Hands over a batch. Answers whether there may be more; fails if an event has to be tried again. */
  return (consumer: EventConsumer, pauses: Pauses): Effect.Effect<boolean, DeliveryFailed> =>
    readBatch(consumer, batchMax, pauses).pipe(
      Effect.catchTag("BatchFailed", (batch) =>
        batch.count === 1 ? setBack(consumer, batch) : readSingly(consumer, batch.count)
      ),
      Effect.withSpan("EventConsumers.read", { attributes: { consumer: consumer.name } })
    )
}
