/** What becomes of what the service and its staff noted of people. */
import { Result, Schema } from "effect"
import { Note, Warning } from "../../../domain/exchange/People.ts"
import { AuditEntry, Notification, Report } from "../../../domain/exchange/Records.ts"
import { isVisible } from "../../../domain/field/Text.ts"
import { AuditEvent } from "../../../domain/moderation/AuditEvent.ts"
import { contentLength } from "../../../domain/moderation/ModerationNote.ts"
import { reasonLength } from "../../../domain/moderation/Warning.ts"
import { NotificationEvent } from "../../../domain/notification/Notification.ts"
import { commentLength } from "../../../domain/report/Report.ts"
import { type Kind, kindOf, type Row } from "./Kind.ts"
import type { Json } from "./Repair.ts"

/** A kind of which only those records are imported for which there is no reason against it. */
const unless = (kind: Kind, reason: (row: Row) => string | undefined): Kind => ({
  ...kind,
  read: (record, notes) =>
    Result.flatMap(kind.read(record, notes), (row) => {
      const against = reason(row)
      return against === undefined ? Result.succeed(row) : Result.fail(against)
    })
})

const isBlank = (text: unknown) => (isVisible(String(text)) ? undefined : "nothing of the text can be seen")

export const reports = kindOf({
  record: Report,
  columns: `id created_at:timestamptz updated_at:timestamptz target_kind target_id reported_by handled_by comment status
    repeats:boolean`,
  repairs: { lengths: { comment: commentLength }, defaults: { status: "submitted" } }
})

export const notes = unless(
  kindOf({
    record: Note,
    columns: "id created_at:timestamptz account_id author_id content",
    repairs: { lengths: { content: contentLength } }
  }),
  ({ content }) => isBlank(content)
)

export const warnings = unless(
  kindOf({
    record: Warning,
    columns: "id issued_at:timestamptz account_id issuer_id reason",
    repairs: { lengths: { reason: reasonLength } }
  }),
  ({ reason }) => isBlank(reason)
)

const isNotified = Schema.is(NotificationEvent)

/** What shows an item has its kind and its id. */
const withWholeItem = ({ item_id, item_kind, reply_id, ...record }: Json): Json =>
  item_id === undefined || item_kind === undefined
    ? record
    : { ...record, item_id, item_kind, ...(reply_id === undefined ? {} : { reply_id }) }

export const notifications = unless(
  kindOf({
    record: Notification,
    columns: "id created_at:timestamptz account_id event status source_id item_kind item_id reply_id",
    repairs: { defaults: { status: "read" } },
    before: withWholeItem
  }),
  ({ event }) => (isNotified(event) ? undefined : `nobody is notified of ${event}`)
)

const decodeEvent = Schema.decodeUnknownResult(AuditEvent)

/** What an entry has beside what it says. */
const own = ["id", "type", "timestamp", "enacted_by", "occurrences", "last_at"]

export const audit = unless(
  kindOf({
    record: AuditEntry,
    columns: "id occurred_at:timestamptz type enacted_by subject:jsonb"
  }),
  ({ id, subject, type }) => {
    if (type === "internal_error") return "what failed elsewhere did not fail here"
    const said = Object.fromEntries(Object.entries(subject ?? {}))
    if (own.some((name) => Object.hasOwn(said, name))) return "it says of itself what it is"
    const read = decodeEvent({ ...said, id, type, timestamp: "2026-01-01T00:00:00.000Z" })
    return Result.isFailure(read) ? "no entry of the audit log says this" : undefined
  }
)
