/** Why something is not done with webhooks. */
import { Schema } from "effect"
import { Problem } from "../shared/Problem.ts"

/** How many webhooks an instance has. The database holds it, too. */
export const webhooksMax = 50

/** How many secrets of a webhook sign at the same time. The database holds it, too. */
export const secretsMax = 5

/** How many deliveries of a webhook wait. The database holds it, too. */
export const waitingMax = 100_000

export const addressRefusals = ["address", "scheme", "credentials", "port", "network"] as const

export class WebhookAddressRefused extends Problem<WebhookAddressRefused>()("WebhookAddressRefused", {
  status: 400,
  title: "The service sends nothing to an address like this",
  explanation:
    "The address of a webhook is https and on the public internet; the operator may open other networks, in which it may be http. `reason` is `address` if it is none, `scheme` if it is not https, `credentials` if there is a user name or password in it, `port` if its port is one of another protocol, and `network` if it is not on the public internet. What a name stands for is looked at with each delivery.",
  metadata: { reason: Schema.Literals(addressRefusals) }
}) {}

export class TooManyWebhooks extends Problem<TooManyWebhooks>()("TooManyWebhooks", {
  status: 409,
  title: "The instance has as many webhooks as it may",
  explanation: `An instance has ${webhooksMax} webhooks at most. Delete one to create another.`,
  metadata: { maximum: Schema.Int }
}) {}

export class WebhookNotFound extends Problem<WebhookNotFound>()("WebhookNotFound", {
  status: 404,
  title: "There is no such webhook",
  explanation: "No webhook has this id.",
  metadata: { webhook_id: Schema.String }
}) {}

export class TooManyWebhookSecrets extends Problem<TooManyWebhookSecrets>()("TooManyWebhookSecrets", {
  status: 409,
  title: "Too many secrets of this webhook sign already",
  explanation: `A secret that was replaced signs for another 24 hours, and ${secretsMax} sign at the same time at most. Wait until one of them has ended.`,
  metadata: { maximum: Schema.Int }
}) {}
