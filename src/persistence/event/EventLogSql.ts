import { PgClient } from "@effect/sql-pg"
import { Context, DateTime, Effect, Layer, Queue, Schema } from "effect"
import { DomainEvent } from "../../domain/event/DomainEvent.ts"
import { EventLog } from "../../domain/event/EventLog.ts"
import { toDate } from "../shared/Rows.ts"
import { orDefect } from "../shared/SqlErrors.ts"

/** Wakes this process's readers of the log after a commit, so that they need not wait until they look again. */
export class EventSignal extends Context.Service<EventSignal, Queue.Queue<void>>()(
  "forum/persistence/EventSignal"
) {
  // One waiting signal is as good as many.
  static readonly layer = Layer.effect(EventSignal, Queue.sliding<void>(1))
}

const encode = Schema.encodeSync(Schema.toCodecJson(DomainEvent))

export const layer = Layer.effect(
  EventLog,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const signal = yield* EventSignal

    return EventLog.of({
      append: Effect.fnUntraced(function* (actorId, ...events) {
        if (events.length === 0) return
        const occurredAt = toDate(yield* DateTime.now)
        yield* sql`insert into event_log (occurred_at, actor_id, event)
            select ${occurredAt}, ${actorId ?? null}, event
            from jsonb_array_elements(${sql.json(events.map((event) => encode(event)))}) with ordinality e (event, place)
            order by place`
        yield* sql.afterCommit(Effect.asVoid(Queue.offer(signal, undefined)))
      }, orDefect)
    })
  })
)
