import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import * as Text from "../../domain/field/Text.ts"
import { CursorMismatch, pagedQuery } from "../../domain/shared/ListPlace.ts"
import { Webhook } from "../../domain/webhook/Webhook.ts"
import {
  NewReplay,
  TooManyWaitingDeliveries,
  WebhookAttempt,
  WebhookDeliveryListResult,
  WebhookDeliveryNotFound,
  WebhookDeliveryStatus,
  WebhookDeliveryWithAttempts,
  WebhookReplayRangeInvalid,
  WebhookReplayRunning
} from "../../domain/webhook/WebhookDelivery.ts"
import { WebhookNotFound } from "../../domain/webhook/WebhookRefusal.ts"
import { operation } from "../contract/Operation.ts"
import { access, params } from "./WebhooksApi.ts"

const ofDelivery = { ...params, delivery_id: Text.mark({ description: "The id of the delivery" }) }

export class WebhookDeliveriesApi extends HttpApiGroup.make("webhookDeliveries")
  .add(
    HttpApiEndpoint.post("test", "/test", {
      params,
      success: WebhookAttempt,
      error: WebhookNotFound
    }).pipe(
      operation({
        id: "WebhookTest",
        cost: "write",
        units: 10,
        summary: "Test a webhook",
        description:
          "Sends a delivery of the type `Test` at once, also if the webhook is not active, and answers what came of it. It is sent once. One that succeeds counts as a success of the webhook, one that fails counts for nothing.",
        access
      })
    ),
    HttpApiEndpoint.get("list", "/deliveries", {
      params,
      query: {
        ...pagedQuery,
        status: Schema.optionalKey(WebhookDeliveryStatus).annotateKey({
          description: "Deliveries of this status alone"
        })
      },
      success: WebhookDeliveryListResult,
      error: [WebhookNotFound, CursorMismatch]
    }).pipe(
      operation({
        id: "WebhookDeliveryList",
        cost: "quick",
        summary: "List the deliveries of a webhook",
        description:
          "Newest first, 50 on a page, of the last 30 days. What the account of the webhook may not know of is not among them once its time has come.",
        access
      })
    ),
    HttpApiEndpoint.get("get", "/deliveries/:delivery_id", {
      params: ofDelivery,
      success: WebhookDeliveryWithAttempts,
      error: [WebhookNotFound, WebhookDeliveryNotFound]
    }).pipe(
      operation({
        id: "WebhookDeliveryGet",
        cost: "quick",
        summary: "Get a delivery with its attempts",
        description: "With what the receiver answered to each attempt, of which the last 20 are kept.",
        access
      })
    ),
    HttpApiEndpoint.post("retry", "/deliveries/:delivery_id/retry", {
      params: ofDelivery,
      success: WebhookDeliveryWithAttempts,
      error: [WebhookNotFound, WebhookDeliveryNotFound, TooManyWaitingDeliveries]
    }).pipe(
      operation({
        id: "WebhookDeliveryRetry",
        cost: "write",
        summary: "Deliver something again",
        description:
          "At once, with the same `webhook-id` and with all tries, whatever became of it before. If the webhook is not active, it waits until it is.",
        access
      })
    ),
    HttpApiEndpoint.post("replay", "/replay", {
      params,
      payload: NewReplay,
      success: Webhook,
      error: [WebhookNotFound, WebhookReplayRangeInvalid, WebhookReplayRunning]
    }).pipe(
      operation({
        id: "WebhookReplay",
        cost: "write",
        summary: "Deliver again what happened",
        description:
          "What happened from `from` to `to`, as far as it is what the webhook is told of and the event log has it, which keeps events for 90 days: what was delivered before with the same `webhook-id`, and what it was not told of then. It is made into deliveries step by step, while the webhook is active and fewer than 1,000 of its deliveries wait; until then the webhook shows it as `replaying`.",
        access
      })
    )
  )
  .prefix("/admin/webhooks/:webhook_id")
  .annotateMerge(
    OpenApi.annotations({
      title: "deliveries of webhooks",
      description: "What webhooks are told of, and what became of that"
    })
  ) {}
