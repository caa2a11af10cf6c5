/** `forum retry-parked`. */
import { Console, Effect } from "effect"
import { Command } from "effect/cli"
import { SqlClient } from "effect/sql"
import { EventConsumers } from "../persistence/event/EventConsumersSql.ts"
import { orDefect } from "../persistence/shared/SqlErrors.ts"
import { operating } from "./Operating.ts"
import { OperatorFailure } from "./OperatorFailure.ts"

interface Parked {
  readonly consumer: string
  readonly events: number
  readonly error: string
}

/** How many events each consumer has parked, and why the first of them. */
const parkedEvents = SqlClient.SqlClient.use(
  (sql) => sql<Parked>`select consumer, count(*)::int as events,
      (array_agg(error order by event_id))[1] as error
    from parked_events group by consumer order by consumer`
).pipe(orDefect)

export const retryParked = Command.make(
  "retry-parked",
  {},
  Effect.fn(
    function* () {
      const { consumers, retryParked } = yield* EventConsumers
      const before = yield* parkedEvents
      if (before.length === 0) return yield* Console.log("No event is parked.")
      yield* Effect.forEach(consumers, ({ name }) => retryParked(name), { discard: true })
      const after = yield* parkedEvents
      for (const { consumer, error, events } of after) {
        yield* Console.error(`${consumer}: ${events} still parked. ${error}`)
      }
      if (after.length > 0) return yield* new OperatorFailure({ message: "Some events still fail." })
      yield* Console.log("No event is parked any more.")
    },
    Effect.provide(operating("found"))
  )
).pipe(
  Command.withDescription(
    "Hands events that a part of the service could not handle to it once more, after an update that repairs it."
  )
)
