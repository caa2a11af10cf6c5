/** Handing events to a consumer, and distinguishing its failures from those of the database. */
import { Data, Effect } from "effect"
import type { EventConsumer } from "../../domain/event/EventConsumer.ts"
import { CarriedProblem } from "../../domain/shared/Problem.ts"
import { toDateTime } from "../shared/Rows.ts"
import type { EventRow } from "./ConsumerPositions.ts"

/** A consumer cannot handle an event, because of a fault in one of the two. Trying again may not help. */
export class DeliveryFailed extends Data.TaggedError("DeliveryFailed")<{
  readonly consumer: string
  readonly error: unknown
}> {}

// Longer than any statement may take. A consumer that hangs would keep its position and a connection for ever.
const handlingMax = "30 seconds"

const loggedOf = (row: EventRow) => ({
  id: row.id,
  occurredAt: toDateTime(row.occurred_at),
  actorId: row.actor_id ?? undefined,
  event: row.event
})

/**
 * Hands over events, then runs `finish`, which belongs to the same transaction.
 * A database that is unreachable, overloaded or in conflict fails nothing: it
 * remains a defect.
 */
export const handOver = (
  consumer: EventConsumer,
  events: ReadonlyArray<EventRow>,
  finish: Effect.Effect<void>
): Effect.Effect<void, DeliveryFailed> => {
  const failed = (error: unknown) => new DeliveryFailed({ consumer: consumer.name, error })
  return consumer.handle(events.map(loggedOf)).pipe(
    Effect.timeout(handlingMax),
    // Fails too if the consumer ignored a failed statement, after which PostgreSQL takes no other.
    Effect.andThen(finish),
    Effect.mapError(failed),
    Effect.catchDefect((defect) =>
      defect instanceof CarriedProblem ? Effect.die(defect) : Effect.fail(failed(defect))
    )
  )
}
