/** Handing events to a consumer, and distinguishing its failures from those of the database. */
import { Data, Effect, Predicate } from "effect"
import type { EventConsumer } from "../../domain/event/EventConsumer.ts"
import { CarriedProblem } from "../../domain/shared/Problem.ts"
import { toDateTime } from "../shared/Rows.ts"
import type { EventRow } from "./ConsumerPositions.ts"

/** A consumer cannot handle an event, because of what one of them is. Trying again may not help. */
export class HandlingFailed extends Data.TaggedError("HandlingFailed")<{
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
): Effect.Effect<void, HandlingFailed> => {
  const failed = (error: unknown) => new HandlingFailed({ consumer: consumer.name, error })
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

const errorTextMax = 1000

/** The innermost cause: where a statement failed, what PostgreSQL says. */
const rootOf = (error: Error): Error => (error.cause instanceof Error ? rootOf(error.cause) : error)

// PostgreSQL quotes values in messages of this class, "data exception", and nowhere else in their first line.
const quotesValues = (error: Error) => Predicate.hasProperty(error, "code") && /^22/.test(String(error.code))

const messageOf = (error: Error) =>
  quotesValues(error) ? "PostgreSQL refused a value" : `${error.name}: ${error.message}`

/** An error as it is stored and logged: its name and message, without the data it carries. */
export const errorText = ({ error }: HandlingFailed): string => {
  if (!(error instanceof Error)) return "A value that is not an error"
  const root = rootOf(error)
  const text = root === error ? messageOf(error) : `${error.name}: ${messageOf(root)}`
  return text.replaceAll("\0", "").slice(0, errorTextMax)
}
