/**
 * Reads the event log for each consumer, in order, each event once.
 *
 * Transactions commit in another order than they took their numbers in, so an
 * event may appear behind one already read. Therefore events are ordered by
 * the transaction that wrote them, and only those of transactions older than
 * every running one are read: nothing can appear before them any more.
 */
import { Context, Effect, Exit, Layer, Queue, Schedule, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { DomainEvent } from "../../domain/event/DomainEvent.ts"
import type { EventConsumer, LoggedEvent } from "../../domain/event/EventLog.ts"
import type { AccountId } from "../../domain/shared/Id.ts"
import { toDateTime } from "../shared/Rows.ts"
import { orDefect } from "../shared/SqlErrors.ts"
import { EventSignal } from "./EventLogSql.ts"

interface EventRow {
  readonly id: bigint
  readonly written_by: string
  readonly occurred_at: Date
  readonly actor_id: AccountId | null
  readonly event: unknown
}

const batchSize = 200

// Other instances write too, and theirs raise no signal here.
const lookEvery = "500 millis"

const decode = Schema.decodeUnknownSync(Schema.toCodecJson(DomainEvent))

const eventOf = (row: EventRow): LoggedEvent => ({
  id: row.id,
  occurredAt: toDateTime(row.occurred_at),
  actorId: row.actor_id ?? undefined,
  event: decode(row.event)
})

const make = (consumers: ReadonlyArray<EventConsumer>) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const signal = yield* EventSignal

    yield* Effect.forEach(
      consumers,
      ({ name }) => sql`insert into event_consumers (name) values (${name}) on conflict do nothing`,
      { discard: true }
    ).pipe(orDefect)

    /** Hands the consumer its next events; answers how many there were, none while another instance does so. */
    const readBatch = (consumer: EventConsumer) =>
      Effect.gen(function* () {
        const position = yield* sql<{ readonly txid: string; readonly event_id: bigint }>`
          select txid::text, event_id from event_consumers where name = ${consumer.name} for update skip locked`
        const [from] = position
        if (from === undefined) return 0
        const rows = yield* sql<EventRow>`
          select id, txid::text as written_by, occurred_at, actor_id, event from event_log
          where (txid, id) > (${from.txid}::text::xid8, ${from.event_id}::bigint)
            and txid < pg_snapshot_xmin(pg_current_snapshot())
          order by txid, id limit ${batchSize}`
        const last = rows.at(-1)
        if (last === undefined) return 0
        yield* consumer.handle(rows.map(eventOf))
        yield* sql`update event_consumers set txid = ${last.written_by}::text::xid8, event_id = ${last.id}
          where name = ${consumer.name}`
        return rows.length
      }).pipe(sql.withTransaction, orDefect)

    const readAll = (consumer: EventConsumer) =>
      readBatch(consumer).pipe(
        Effect.repeat({ while: (count) => count === batchSize }),
        Effect.withSpan("EventConsumers.read", { attributes: { consumer: consumer.name } })
      )

    /** Hands every consumer all that is there for it now. One that fails holds up none of the others. */
    const drain = Effect.forEach(consumers, (consumer) => Effect.exit(readAll(consumer))).pipe(
      Effect.flatMap((exits) => Exit.asVoidAll(exits))
    )

    /** Events that no consumer has seen to the end. */
    const lag = sql<{ readonly lag: number }>`select count(*)::int as lag from event_log
      where (txid, id) > (select txid, event_id from event_consumers order by txid, event_id limit 1)`.pipe(
      Effect.map(([row]) => row?.lag ?? 0),
      orDefect
    )

    const follow = drain.pipe(
      Effect.tapCause((cause) => Effect.logWarning("Reading the event log failed; trying again", cause)),
      Effect.exit,
      Effect.andThen(Effect.timeoutOption(Queue.take(signal), lookEvery)),
      Effect.repeat(Schedule.forever)
    )

    return { drain, lag, follow } as const
  })

export class EventConsumers extends Context.Service<
  EventConsumers,
  Effect.Success<ReturnType<typeof make>>
>()("forum/persistence/EventConsumers") {
  /** Knows how to read for these consumers, and does so only when told. */
  static readonly layer = <E, R>(consumers: Effect.Effect<ReadonlyArray<EventConsumer>, E, R>) =>
    Layer.effect(EventConsumers, Effect.flatMap(consumers, make))

  /** Reads as long as the service runs. */
  static readonly following = Layer.effectDiscard(
    Effect.flatMap(EventConsumers, ({ follow }) => Effect.forkScoped(follow))
  )
}
