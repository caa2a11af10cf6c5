/** Events that a consumer could not handle, set aside so that later ones go on. */
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { EventConsumer } from "../../domain/event/EventConsumer.ts"
import { errorText } from "../../domain/operations/InternalErrorRules.ts"
import { orDefect } from "../shared/SqlErrors.ts"
import * as TransactionSql from "../shared/TransactionSql.ts"
import type { EventRow } from "./ConsumerPositions.ts"
import { handOver } from "./EventDelivery.ts"

interface ParkedRow extends EventRow {
  readonly tag: string
}

export const makeParkedEvents = (sql: SqlClient.SqlClient) => {
  const transaction = TransactionSql.make(sql)

  const nextAfter = (consumer: string, id: bigint) =>
    sql<{ readonly event_id: bigint }>`select event_id from parked_events
      where consumer = ${consumer} and event_id > ${id}::bigint order by event_id limit 1`.pipe(
      Effect.map(([row]) => row?.event_id),
      orDefect
    )

  // A consumer handles one batch at a time, wherever it runs.
  const lock = (consumer: string, id: bigint) =>
    sql`select from event_consumers where name = ${consumer} for update`.pipe(
      Effect.andThen(sql<ParkedRow>`
        select e.generation, e.txid::text, e.id, e.occurred_at, e.actor_id, e.event, e.tag
        from parked_events p join event_log e on e.id = p.event_id
        where p.consumer = ${consumer} and p.event_id = ${id}::bigint`),
      Effect.map(([row]) => row),
      orDefect
    )

  const remove = (consumer: string, id: bigint) =>
    sql`delete from parked_events where consumer = ${consumer} and event_id = ${id}::bigint`.pipe(
      Effect.asVoid,
      orDefect
    )

  const noteFailure = (consumer: string, id: bigint, error: string) =>
    sql`update parked_events set tries = tries + 1, error = ${error}
      where consumer = ${consumer} and event_id = ${id}::bigint`.pipe(Effect.asVoid, orDefect)

  const tryAgain = (consumer: EventConsumer, id: bigint) =>
    transaction(
      Effect.gen(function* () {
        const row = yield* lock(consumer.name, id)
        if (row === undefined) return
        const unpark = remove(consumer.name, id)
        // A later release may not read such events any more.
        yield* consumer.tags.includes(row.tag) ? handOver(consumer, [row], unpark) : unpark
      })
    ).pipe(
      Effect.catchTag("DeliveryFailed", (failed) => noteFailure(consumer.name, id, errorText(failed.error)))
    )

  /** Tries each parked event of a consumer once more, oldest first. Those that fail again stay parked. */
  const retry = Effect.fn("ParkedEvents.retry")(function* (consumer: EventConsumer) {
    let id = yield* nextAfter(consumer.name, 0n)
    while (id !== undefined) {
      yield* tryAgain(consumer, id)
      id = yield* nextAfter(consumer.name, id)
    }
  })

  return { retry } as const
}
