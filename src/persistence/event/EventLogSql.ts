import { PgClient } from "@effect/sql-pg"
import { Context, DateTime, Effect, Layer, Queue, Schema } from "effect"
import { DomainEvent } from "../../domain/event/DomainEvent.ts"
import { EventLog } from "../../domain/event/EventLog.ts"
import { insertRows } from "../shared/insertRows.ts"
import { toDate } from "../shared/Rows.ts"
import { orDefect } from "../shared/SqlErrors.ts"

/** Wakes this process's readers of the log after a commit, so that they need not wait for their next look. */
export class EventSignal extends Context.Service<EventSignal, Queue.Queue<void>>()(
  "forum/persistence/EventSignal"
) {
  // One waiting signal says as much as many.
  static readonly layer = Layer.effect(EventSignal, Queue.sliding<void>(1))
}

const encode = Schema.encodeSync(Schema.toCodecJson(DomainEvent))

export const layer = Layer.effect(
  EventLog,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const signal = yield* EventSignal

    return EventLog.of({
      append: (actorId, ...events) =>
        Effect.gen(function* () {
          if (events.length === 0) return
          const occurred_at = toDate(yield* DateTime.now)
          yield* insertRows(
            sql,
            "event_log",
            events.map((event) => ({
              occurred_at,
              actor_id: actorId ?? null,
              event: encode(event)
            }))
          )
          yield* sql.afterCommit(Effect.asVoid(Queue.offer(signal, undefined)))
        }).pipe(orDefect)
    })
  })
)
