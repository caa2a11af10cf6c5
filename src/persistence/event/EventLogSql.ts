import { PgClient } from "@effect/sql-pg"
import { Context, DateTime, Effect, Layer, Queue, Schema, type Scope } from "effect"
import type { Statement } from "effect/sql"
import { DomainEvent, EventLog, type NewEvent } from "../../domain/event/EventLog.ts"
import type { AccountId } from "../../domain/shared/Id.ts"
import { toDate } from "../shared/Rows.ts"
import { orDefect } from "../shared/SqlErrors.ts"

/** Wakes this process's readers of the log after a commit, so that they need not wait until they look again. */
export class EventSignal extends Context.Service<
  EventSignal,
  {
    /** Wakes all who listen. */
    readonly raise: Effect.Effect<void>
    /** What wakes one reader, from now on. One waiting signal is as good as many. */
    readonly listen: Effect.Effect<Queue.Dequeue<void>, never, Scope.Scope>
  }
>()("forum/persistence/EventSignal") {
  static readonly layer = Layer.sync(EventSignal, () => {
    const listening = new Set<Queue.Queue<void>>()
    const begin = Effect.tap(Queue.sliding<void>(1), (queue) => Effect.sync(() => listening.add(queue)))
    return EventSignal.of({
      raise: Effect.sync(() => {
        for (const queue of listening) Queue.offerUnsafe(queue, undefined)
      }),
      listen: Effect.acquireRelease(begin, (queue) => Effect.sync(() => listening.delete(queue)))
    })
  })
}

const encode = Schema.encodeSync(Schema.toCodecJson(DomainEvent))

/** Makes a function for stores that append events in the same statement as the change. */
export const makeWriteWithEvents = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const signal = yield* EventSignal

  /** Runs the statement that `statementWith` makes around an insertion of the events, which appends them if the condition holds. */
  return <Row>(
    at: DateTime.Utc,
    actorId: AccountId | undefined,
    events: ReadonlyArray<NewEvent>,
    condition: Statement.Fragment,
    statementWith: (insert: Statement.Statement<unknown>) => Statement.Statement<Row>
  ) => {
    const insert = sql`insert into event_log (occurred_at, actor_id, event)
      select ${toDate(at)}, ${actorId ?? null}, event
      from jsonb_array_elements(${sql.json(events.map((event) => encode(event)))}) with ordinality e (event, place)
      where ${condition} order by place`
    return Effect.tap(statementWith(insert), () => sql.afterCommit(signal.raise))
  }
})

export const layer = Layer.effect(
  EventLog,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const writeWithEvents = yield* makeWriteWithEvents

    return EventLog.of({
      append: Effect.fnUntraced(function* (actorId, ...events) {
        if (events.length === 0) return
        yield* writeWithEvents(yield* DateTime.now, actorId, events, sql`true`, (insert) => insert)
      }, orDefect)
    })
  })
)
