/** The record of what was done with power over others' content (specification 2.14). */
import { Context, type DateTime, Effect, Layer } from "effect"
import type { DomainEvent } from "../event/DomainEvent.ts"
import type { EventConsumer } from "../event/EventLog.ts"
import type { AccountId } from "../shared/Id.ts"
import { Ids } from "../shared/Ids.ts"
import type { JsonObject } from "../shared/Json.ts"

export interface AuditEntry {
  readonly id: string
  readonly at: DateTime.Utc
  readonly type: "thread_deleted" | "thread_reply_deleted"
  readonly enactedBy: AccountId | undefined
  readonly subject: JsonObject
  /** The event in the log that it follows from. */
  readonly causeId: bigint
}

export class AuditStore extends Context.Service<
  AuditStore,
  {
    /** Keeps them; one that its cause has led to before is passed over. */
    readonly insert: (entries: ReadonlyArray<AuditEntry>) => Effect.Effect<void>
  }
>()("forum/domain/AuditStore") {}

/** The type and fields of an event's audit entry, if it is worth one. */
export const auditOf = (event: DomainEvent): Pick<AuditEntry, "type" | "subject"> | undefined => {
  switch (event._tag) {
    case "ThreadDeleted":
      return { type: "thread_deleted", subject: { thread_id: event.id } }
    case "ThreadReplyDeleted":
      return { type: "thread_reply_deleted", subject: { reply_id: event.reply_id } }
    default:
      return undefined
  }
}

const make = Effect.gen(function* () {
  const store = yield* AuditStore
  const ids = yield* Ids

  const consumer: EventConsumer = {
    name: "audit",
    handle: Effect.fn("AuditLog.consume")(function* (events) {
      const entries = yield* Effect.forEach(events, ({ actorId, event, id, occurredAt }) =>
        Effect.map(ids.next, (entryId) => {
          const audit = auditOf(event)
          return audit === undefined
            ? []
            : [{ ...audit, id: entryId, at: occurredAt, enactedBy: actorId, causeId: id }]
        })
      )
      yield* store.insert(entries.flat())
    })
  }

  return { consumer } as const
})

export class AuditLog extends Context.Service<AuditLog, Effect.Success<typeof make>>()(
  "forum/domain/AuditLog"
) {
  static readonly layer = Layer.effect(AuditLog, make)
}
