/** Rows of deliveries, as the rules and administrators see them. */
import { Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { AccountId, WebhookDeliveryId, WebhookId } from "../../domain/shared/Id.ts"
import {
  type WebhookAttempt,
  type WebhookDelivery,
  WebhookDeliveryStatus,
  WebhookDeliveryType
} from "../../domain/webhook/WebhookDelivery.ts"
import type { Message, NewDelivery, TakenDelivery } from "../../domain/webhook/WebhookDeliveryStore.ts"
import { decoded } from "../shared/Query.ts"
import { toDateTime, toTimestamp } from "../shared/Rows.ts"

const instant = Schema.NullOr(Schema.Date)

const MessageRow = Schema.Struct({
  webhook_id: WebhookId,
  url: Schema.String,
  secrets: Schema.Array(Schema.Uint8Array),
  message_id: Schema.String,
  type: WebhookDeliveryType
})
export const messageRows = decoded(MessageRow)

export const messageOf = (row: typeof MessageRow.Type): Message => ({
  webhookId: row.webhook_id,
  url: row.url,
  sealedSecrets: row.secrets,
  messageId: row.message_id,
  type: row.type
})

const TakenRow = Schema.Struct({
  ...MessageRow.fields,
  id: WebhookDeliveryId,
  created_at: Schema.Date,
  account_id: AccountId,
  event: Schema.Unknown,
  occurred_at: instant,
  tries: Schema.Int,
  attempts: Schema.Int,
  place: Schema.Int,
  due_at: Schema.Date
})
export const takenRows = decoded(TakenRow)

export const takenOf = (row: typeof TakenRow.Type): TakenDelivery => ({
  id: row.id,
  message: messageOf(row),
  createdAt: toDateTime(row.created_at),
  accountId: row.account_id,
  cause: row.occurred_at === null ? undefined : { event: row.event, at: toDateTime(row.occurred_at) },
  tries: row.tries,
  attempt: row.attempts,
  place: row.place,
  until: toDateTime(row.due_at)
})

export const deliveryColumns = `d.id, d.message_id, d.type, d.status, d.created_at, d.due_at, d.ended_at, d.attempts`

const DeliveryRow = Schema.Struct({
  id: WebhookDeliveryId,
  message_id: Schema.String,
  type: WebhookDeliveryType,
  status: WebhookDeliveryStatus,
  created_at: Schema.Date,
  due_at: instant,
  ended_at: instant,
  attempts: Schema.Int
})
export type EncodedDelivery = typeof DeliveryRow.Encoded
export const deliveryRows = decoded(DeliveryRow)

export const deliveryOf = (row: typeof DeliveryRow.Type): WebhookDelivery => ({
  id: row.id,
  message_id: row.message_id,
  type: row.type,
  status: row.status,
  createdAt: toTimestamp(row.created_at),
  ...(row.due_at === null ? {} : { next_attempt_at: toTimestamp(row.due_at) }),
  ...(row.ended_at === null ? {} : { ended_at: toTimestamp(row.ended_at) }),
  attempt_count: row.attempts
})

const AttemptRow = Schema.Struct({
  begun_at: Schema.Date,
  milliseconds: Schema.Int,
  status: Schema.NullOr(Schema.Int),
  answer: Schema.NullOr(Schema.String),
  error: Schema.NullOr(Schema.String)
})
export const attemptRows = decoded(AttemptRow)

export const attemptOf = (row: typeof AttemptRow.Type): WebhookAttempt => ({
  at: toTimestamp(row.begun_at),
  milliseconds: row.milliseconds,
  ...(row.status === null ? {} : { status: row.status }),
  ...(row.answer === null ? {} : { answer: row.answer }),
  ...(row.error === null ? {} : { error: row.error })
})

/** New deliveries as rows `n`. */
export const deliveryTable = (sql: SqlClient.SqlClient, deliveries: ReadonlyArray<NewDelivery>) => {
  const column = <A>(of: (delivery: NewDelivery) => A) => deliveries.map(of)
  return sql`unnest(${column(({ id }) => id)}::text[], ${column(({ webhookId }) => webhookId)}::text[],
    ${column(({ messageId }) => messageId)}::text[], ${column(({ causeId }) => String(causeId))}::bigint[],
    ${column(({ type }) => type)}::text[]) n (id, webhook_id, message_id, cause_id, type)`
}
