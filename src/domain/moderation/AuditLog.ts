/** The record of what moderators and administrators did to content and accounts, and of all deletions. */
import { Context, DateTime, Effect, Layer, Option } from "effect"
import { type EventConsumer, makeConsumer } from "../event/EventConsumer.ts"
import type { LoggedEvent } from "../event/EventLog.ts"
import { AuditEventId } from "../shared/Id.ts"
import { Ids } from "../shared/Ids.ts"
import { pageEnvelope } from "../shared/Page.ts"
import { ThreadDeleted, ThreadReplyDeleted } from "../thread/ThreadEvents.ts"
import { type AuditEventListResult, AuditEventNotFound } from "./AuditEvent.ts"
import { type AuditEntry, type AuditFilter, AuditStore, pageSize } from "./AuditStore.ts"
import {
  AccountContentPurged,
  AccountSuspended,
  AccountUnsuspended,
  AccountWarned,
  AccountWarningDeleted,
  AccountWarningUpdated,
  ModerationNoteCreated,
  ModerationNoteDeleted,
  PasswordResetEmailSent,
  PasswordResetTokenIssued
} from "./ModerationEvents.ts"

type Audited =
  | ThreadDeleted
  | ThreadReplyDeleted
  | AccountSuspended
  | AccountUnsuspended
  | ModerationNoteCreated
  | ModerationNoteDeleted
  | AccountWarned
  | AccountWarningUpdated
  | AccountWarningDeleted
  | AccountContentPurged
  | PasswordResetTokenIssued
  | PasswordResetEmailSent

/** The type and fields of an event's audit entry. */
export const auditOf = (event: Audited): Pick<AuditEntry, "type" | "subject"> => {
  switch (event._tag) {
    case "ThreadDeleted":
      return { type: "thread_deleted", subject: { thread_id: event.id } }
    case "ThreadReplyDeleted":
      return { type: "thread_reply_deleted", subject: { reply_id: event.reply_id } }
    case "AccountSuspended":
      return { type: "account_suspended", subject: { account_id: event.id } }
    case "AccountUnsuspended":
      return { type: "account_unsuspended", subject: { account_id: event.id } }
    case "ModerationNoteCreated":
    case "ModerationNoteDeleted": {
      const { account_id, note_id } = event
      const type =
        event._tag === "ModerationNoteCreated" ? "moderation_note_created" : "moderation_note_deleted"
      return { type, subject: { account_id, note_id } }
    }
    case "AccountWarned":
    case "AccountWarningDeleted": {
      const { account_id, warning_id } = event
      const type = event._tag === "AccountWarned" ? "account_warned" : "account_warning_deleted"
      return { type, subject: { account_id, warning_id } }
    }
    case "AccountWarningUpdated": {
      const { _tag: _, ...subject } = event
      return { type: "account_warning_updated", subject }
    }
    case "AccountContentPurged":
      return {
        type: "account_content_purged",
        subject: { account_id: event.id, included: event.included }
      }
    case "PasswordResetTokenIssued":
      return { type: "account_password_reset_token_issued", subject: { account_id: event.id } }
    case "PasswordResetEmailSent":
      return {
        type: "account_password_reset_email_sent",
        subject: { account_id: event.id, email_address_id: event.email_address_id }
      }
  }
}

/** What the answer to a request has said of the entry already. */
const saidOf = (event: Audited): Partial<Pick<AuditEntry, "id" | "at">> => {
  if (event._tag !== "AccountContentPurged") return {}
  const { audit_event_id: id, requested_at: at } = event
  return {
    ...(id === undefined ? {} : { id }),
    ...(at === undefined ? {} : { at: DateTime.makeUnsafe(at) })
  }
}

/**
 * Writes the audit log. What releases read further is read by further consumers: an older one that still runs moves
 * those that it knows past the events that it does not know.
 */
export const makeAuditConsumers: Effect.Effect<
  ReadonlyArray<EventConsumer>,
  never,
  AuditStore | Ids
> = Effect.gen(function* () {
  const store = yield* AuditStore
  const ids = yield* Ids

  const handle = Effect.fn("AuditLog.handle")(function* (events: ReadonlyArray<LoggedEvent<Audited>>) {
    const entries = yield* Effect.forEach(events, ({ actorId, event, id, occurredAt }) =>
      Effect.map(ids.next, (entryId) => ({
        ...auditOf(event),
        id: AuditEventId.make(entryId),
        at: occurredAt,
        enactedBy: actorId,
        causeId: id,
        ...saidOf(event)
      }))
    )
    yield* store.insert(entries)
  })

  return [
    makeConsumer({ name: "audit", reads: [ThreadDeleted, ThreadReplyDeleted], handle }),
    makeConsumer({
      name: "audit of accounts",
      reads: [AccountSuspended, AccountUnsuspended, ModerationNoteCreated, ModerationNoteDeleted],
      handle
    }),
    makeConsumer({
      name: "audit of staff",
      reads: [
        AccountWarned,
        AccountWarningUpdated,
        AccountWarningDeleted,
        AccountContentPurged,
        PasswordResetTokenIssued,
        PasswordResetEmailSent
      ],
      handle
    })
  ]
})

const make = Effect.gen(function* () {
  const store = yield* AuditStore

  const get = Effect.fn("AuditLog.get")(function* (id: string) {
    const found = yield* store.find(id)
    return Option.isSome(found)
      ? found.value
      : yield* new AuditEventNotFound({ metadata: { audit_event_id: id } })
  })

  const list = Effect.fn("AuditLog.list")(function* (filter: AuditFilter, page: number) {
    const { events, total } = yield* store.list(filter, page)
    const envelope = pageEnvelope({ current: page, size: pageSize, total, results: events.length })
    return { ...envelope, events } satisfies AuditEventListResult
  })

  return { get, list } as const
})

/** The audit log, for administrators. */
export class AuditLog extends Context.Service<AuditLog, Effect.Success<typeof make>>()(
  "forum/domain/AuditLog"
) {
  static readonly layer = Layer.effect(AuditLog, make)
}
