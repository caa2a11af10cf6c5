/** Forgets old events, so that the log does not grow for ever. */
import { Context, DateTime, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { orDefect } from "../shared/SqlErrors.ts"

/** Days an event is kept after everything that follows from it has been done. */
const retentionDays = 90

const batchMax = 1000

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  /** Deletes the oldest events that may go, at most a batch of them. Answers how many. */
  const deleteBatch = (before: DateTime.Utc) =>
    sql`with oldest as (
        select e.id, e.occurred_at from event_log e
        where (e.generation, e.txid, e.id) <= (
            select generation, txid, event_id from event_consumers order by generation, txid, event_id limit 1
          )
          and not exists (select from parked_events p where p.event_id = e.id)
          -- It tells in which cluster the log was last written.
          and e.id <> (select id from event_log order by generation desc, txid desc, id desc limit 1)
        order by e.generation, e.txid, e.id limit ${batchMax}
        for update of e skip locked
      ), deleted as (
        delete from event_log where id in (select id from oldest where occurred_at < ${DateTime.toDateUtc(before)})
        returning generation, txid, id
      ), last as (
        select generation, txid, id from deleted order by generation desc, txid desc, id desc limit 1
      ), noted as (
        update event_log_kept k set generation = last.generation, txid = last.txid, event_id = last.id
        from last where (k.generation, k.txid, k.event_id) < (last.generation, last.txid, last.id)
      )
      select id from deleted`.pipe(
      Effect.map((rows) => rows.length),
      orDefect
    )

  /** Deletes events that are older than the retention, that every consumer has passed and that are not parked. */
  const apply = Effect.gen(function* () {
    const before = DateTime.subtract(yield* DateTime.now, { days: retentionDays })
    yield* deleteBatch(before).pipe(Effect.repeat({ while: (deleted) => deleted === batchMax }))
  })

  return { apply } as const
})

export class EventRetention extends Context.Service<EventRetention, Effect.Success<typeof make>>()(
  "forum/persistence/EventRetention"
) {
  static readonly layer = Layer.effect(EventRetention, make)
}
