import { PgClient } from "@effect/sql-pg"
import { Context, DateTime, Effect, Layer } from "effect"
import { causesMax } from "../../domain/operations/InternalErrorRules.ts"
import { InternalErrorStore } from "../../domain/operations/InternalErrorStore.ts"
import { run } from "../shared/Query.ts"
import { toDate } from "../shared/Rows.ts"

/** What stands for all other errors of an hour in which errors had too many causes. */
const others = { cause: "", where: "several", message: "More kinds of errors happened than are listed" }

export const layer = Layer.effect(
  InternalErrorStore,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient

    /** Runs a statement on a connection of its own: the failure that it notes may undo the running transaction. */
    const outsideTransaction = <A, E>(statement: Effect.Effect<A, E>): Effect.Effect<A, E> =>
      Effect.updateContext(statement, (context: Context.Context<never>) =>
        Context.omit(sql.transactionService)(context)
      )

    return InternalErrorStore.of({
      record: ({ at, cause, id, message, occurrences, traceId, where }) => {
        const hour = toDate(DateTime.startOf(at, "hour"))
        const subject = { where, message, trace_id: traceId }
        return run(sql`with chosen as (
            select case when exists (select from internal_errors where hour = ${hour} and cause = ${cause})
                or (select count(*) from internal_errors where hour = ${hour}) < ${causesMax}
              then ${cause}::text else ${others.cause}::text end as cause
          ), counted as (
            insert into internal_errors as known (hour, cause, audit_event_id, occurrences, last_at)
            select ${hour}::timestamptz, cause, ${id}, ${occurrences}::bigint, ${toDate(at)}::timestamptz from chosen
            on conflict (hour, cause) do update set occurrences = known.occurrences + excluded.occurrences,
              last_at = greatest(known.last_at, excluded.last_at)
            returning cause, audit_event_id
          )
          insert into audit_events (id, occurred_at, type, subject)
          select ${id}, ${toDate(at)}::timestamptz, 'internal_error', case cause when ${others.cause}
              then ${sql.json({ ...subject, where: others.where, message: others.message })}
              else ${sql.json(subject)} end
          from counted where audit_event_id = ${id}`).pipe(outsideTransaction)
      }
    })
  })
)
