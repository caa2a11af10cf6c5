/** What a webhook is told of, and what became of that. */
import { Schema } from "effect"
import { changeNames } from "../change/Changes.ts"
import { onePage, withExample } from "../field/Example.ts"
import { Timestamp } from "../field/Resource.ts"
import { WebhookDeliveryId } from "../shared/Id.ts"
import { Instant } from "../shared/Instant.ts"
import { PageFields } from "../shared/Page.ts"
import { Problem } from "../shared/Problem.ts"
import { attempt, delivery, deliveryWithAttempts, replayRange } from "./WebhookExamples.ts"
import { waitingMax } from "./WebhookRefusal.ts"

/** Deliveries on a page. */
export const pageSize = 50

export const testType = "Test"

export const WebhookDeliveryType = Schema.Literals([testType, ...changeNames]).annotate({
  identifier: "WebhookDeliveryType",
  description: "The name of the change, or `Test`"
})
export type WebhookDeliveryType = typeof WebhookDeliveryType.Type

export const WebhookDeliveryStatus = Schema.Literals(["waiting", "delivered", "failed"]).annotate({
  identifier: "WebhookDeliveryStatus",
  description:
    "`waiting` for its first try, the end of one, or another one; `delivered` once the receiver answered with a status from 200 to 299; `failed` when there is no further try"
})
export type WebhookDeliveryStatus = typeof WebhookDeliveryStatus.Type

export const WebhookAttempt = Schema.Struct({
  at: Timestamp.annotateKey({ description: "When it began" }),
  milliseconds: Schema.Int.annotate({ description: "How long it took" }),
  status: Schema.optionalKey(Schema.Int).annotateKey({
    description: "The status of the answer; absent if none came"
  }),
  answer: Schema.optionalKey(Schema.String).annotateKey({
    description: "The first 1,024 bytes of the body of the answer as text; absent if it has none"
  }),
  error: Schema.optionalKey(Schema.String).annotateKey({ description: "Why no answer came" })
})
  .annotate({ identifier: "WebhookAttempt", description: "An attempt to deliver something" })
  .pipe(withExample(attempt))
export interface WebhookAttempt extends Schema.Schema.Type<typeof WebhookAttempt> {}

const fields = {
  id: WebhookDeliveryId,
  message_id: Schema.String.annotate({
    description:
      "What the header `webhook-id` says: the same at each attempt, and for each webhook that is told of the change"
  }),
  type: WebhookDeliveryType,
  status: WebhookDeliveryStatus,
  createdAt: Timestamp.annotateKey({ description: "When it was made" }),
  next_attempt_at: Schema.optionalKey(Timestamp).annotateKey({
    description:
      "When it is tried next, if it waits; or, while it is tried, when another instance would take over"
  }),
  ended_at: Schema.optionalKey(Timestamp).annotateKey({
    description: "When it was delivered or given up; absent while it waits"
  }),
  attempt_count: Schema.Int.annotate({ description: "How often it was tried" })
}

export const WebhookDelivery = Schema.Struct(fields)
  .annotate({ identifier: "WebhookDelivery", description: "What a webhook is told of" })
  .pipe(withExample(delivery))
export interface WebhookDelivery extends Schema.Schema.Type<typeof WebhookDelivery> {}

export const WebhookDeliveryWithAttempts = Schema.Struct({
  ...fields,
  attempts: Schema.Array(WebhookAttempt).annotate({ description: "The last 20, oldest first" })
})
  .annotate({
    identifier: "WebhookDeliveryWithAttempts",
    description: "What a webhook is told of, with the attempts to deliver it"
  })
  .pipe(withExample(deliveryWithAttempts))
export interface WebhookDeliveryWithAttempts extends Schema.Schema.Type<typeof WebhookDeliveryWithAttempts> {}

export const WebhookDeliveryListResult = Schema.Struct({
  ...PageFields,
  deliveries: Schema.Array(WebhookDelivery)
})
  .annotate({
    identifier: "WebhookDeliveryListResult",
    description: "A page of the deliveries of a webhook, newest first"
  })
  .pipe(withExample({ ...onePage, deliveries: [delivery] }))
export interface WebhookDeliveryListResult extends Schema.Schema.Type<typeof WebhookDeliveryListResult> {}

export const NewReplay = Schema.Struct({
  from: Instant.annotateKey({ description: "From when on" }),
  to: Instant.annotateKey({ description: "Until when" })
})
  .annotate({
    identifier: "WebhookReplayProps",
    description: "What to deliver again: what happened in a range of time"
  })
  .pipe(withExample(replayRange))
export interface NewReplay extends Schema.Schema.Type<typeof NewReplay> {}

export class WebhookDeliveryNotFound extends Problem<WebhookDeliveryNotFound>()("WebhookDeliveryNotFound", {
  status: 404,
  title: "There is no such delivery",
  explanation: "No delivery of the webhook has this id. Deliveries are kept for 30 days.",
  metadata: { delivery_id: Schema.String }
}) {}

export class TooManyWaitingDeliveries extends Problem<TooManyWaitingDeliveries>()(
  "TooManyWaitingDeliveries",
  {
    status: 409,
    title: "As many deliveries of this webhook wait as may",
    explanation: `Of a webhook, ${waitingMax.toLocaleString("en")} deliveries wait at most. Let some be delivered first.`,
    metadata: { maximum: Schema.Int }
  }
) {}

export class WebhookReplayRangeInvalid extends Problem<WebhookReplayRangeInvalid>()(
  "WebhookReplayRangeInvalid",
  {
    status: 400,
    title: "The range of time ends before it begins",
    explanation: "`from` is no later than `to`."
  }
) {}

export class WebhookReplayRunning extends Problem<WebhookReplayRunning>()("WebhookReplayRunning", {
  status: 409,
  title: "This webhook is told of something again already",
  explanation: "A webhook has one replay at a time. Its `replaying` is absent once it is over."
}) {}
