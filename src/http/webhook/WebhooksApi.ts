import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import * as Text from "../../domain/field/Text.ts"
import { CursorMismatch, pagedQuery } from "../../domain/shared/ListPlace.ts"
import {
  NewWebhook,
  Webhook,
  WebhookChange,
  WebhookIssued,
  WebhookListResult,
  WebhookSecret
} from "../../domain/webhook/Webhook.ts"
import {
  secretsMax,
  TooManyWebhookSecrets,
  TooManyWebhooks,
  WebhookAddressRefused,
  WebhookNotFound,
  webhooksMax
} from "../../domain/webhook/WebhookRefusal.ts"
import { membersWith } from "../contract/AccessPolicies.ts"
import { Deleted } from "../contract/Empty.ts"
import { operation } from "../contract/Operation.ts"

export const params = { webhook_id: Text.mark({ description: "The id of the webhook" }) }

export const access = membersWith("ADMINISTRATOR")

export class WebhooksApi extends HttpApiGroup.make("webhooks")
  .add(
    HttpApiEndpoint.get("list", "/", {
      query: pagedQuery,
      success: WebhookListResult,
      error: CursorMismatch
    }).pipe(
      operation({
        id: "WebhookList",
        cost: "quick",
        summary: "List all webhooks",
        description: `Newest first, with how they are. There are ${webhooksMax} at most.`,
        access
      })
    ),
    HttpApiEndpoint.post("create", "/", {
      payload: NewWebhook,
      success: WebhookIssued,
      error: [WebhookAddressRefused, TooManyWebhooks]
    }).pipe(
      operation({
        id: "WebhookCreate",
        cost: "write",
        summary: "Create a webhook",
        description:
          "Changes that happen from then on are delivered to its address as Standard Webhooks says: a POST whose JSON body has `type`, `timestamp` and `data`, signed with the secret. `secret` is shown this once.",
        access
      })
    ),
    HttpApiEndpoint.get("get", "/:webhook_id", { params, success: Webhook, error: WebhookNotFound }).pipe(
      operation({
        id: "WebhookGet",
        cost: "quick",
        summary: "Get a webhook",
        description: "With how it is: when it succeeded last, since when it fails, and what waits.",
        access
      })
    ),
    HttpApiEndpoint.patch("update", "/:webhook_id", {
      params,
      payload: WebhookChange,
      success: Webhook,
      error: [WebhookNotFound, WebhookAddressRefused]
    }).pipe(
      operation({
        id: "WebhookUpdate",
        cost: "write",
        summary: "Change a webhook",
        description:
          "What is not sent stays. What waits goes to the new address. Other names count for what happens from then on.",
        access
      })
    ),
    HttpApiEndpoint.delete("delete", "/:webhook_id", {
      params,
      success: Deleted,
      error: WebhookNotFound
    }).pipe(
      operation({
        id: "WebhookDelete",
        cost: "write",
        summary: "Delete a webhook",
        description: "With its deliveries, also those that wait.",
        access
      })
    ),
    HttpApiEndpoint.post("replaceSecret", "/:webhook_id/secret", {
      params,
      success: WebhookSecret,
      error: [WebhookNotFound, TooManyWebhookSecrets]
    }).pipe(
      operation({
        id: "WebhookReplaceSecret",
        cost: "write",
        summary: "Replace the secret of a webhook",
        description: `For 24 hours, deliveries are signed with the new secret and with those before it, ${secretsMax} at most together. \`secret\` is shown this once.`,
        access
      })
    )
  )
  .prefix("/admin/webhooks")
  .annotateMerge(
    OpenApi.annotations({
      title: "webhooks",
      description: "Addresses to which the service delivers what happens"
    })
  ) {}
