/** The record of what moderators and administrators did to content, and of all deletions. */
import { Context, type DateTime, Effect } from "effect"
import { type EventConsumer, makeConsumer } from "../event/EventConsumer.ts"
import type { AccountId } from "../shared/Id.ts"
import { Ids } from "../shared/Ids.ts"
import type { JsonObject } from "../shared/Json.ts"
import { ThreadDeleted, ThreadReplyDeleted } from "../thread/ThreadEvents.ts"

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
    /** Keeps them. An entry for an event that already has one is ignored. */
    readonly insert: (entries: ReadonlyArray<AuditEntry>) => Effect.Effect<void>
  }
>()("forum/domain/AuditStore") {}

/** The type and fields of an event's audit entry. */
export const auditOf = (event: ThreadDeleted | ThreadReplyDeleted): Pick<AuditEntry, "type" | "subject"> =>
  event._tag === "ThreadDeleted"
    ? { type: "thread_deleted", subject: { thread_id: event.id } }
    : { type: "thread_reply_deleted", subject: { reply_id: event.reply_id } }

/** Writes the audit log. */
export const makeAuditConsumer: Effect.Effect<EventConsumer, never, AuditStore | Ids> = Effect.gen(
  function* () {
    const store = yield* AuditStore
    const ids = yield* Ids

    return makeConsumer({
      name: "audit",
      reads: [ThreadDeleted, ThreadReplyDeleted],
      handle: Effect.fn("AuditLog.handle")(function* (events) {
        const entries = yield* Effect.forEach(events, ({ actorId, event, id, occurredAt }) =>
          Effect.map(ids.next, (entryId) => ({
            ...auditOf(event),
            id: entryId,
            at: occurredAt,
            enactedBy: actorId,
            causeId: id
          }))
        )
        yield* store.insert(entries)
      })
    })
  }
)
