/** What becomes of webhooks, for the event log. Entries of the audit log name webhooks that may be gone. */
import { Schema } from "effect"
import { AccountId, WebhookId } from "../shared/Id.ts"

/** Without the address, in which there may be secrets. */
const webhook = { id: WebhookId, host: Schema.String }

export const WebhookCreated = Schema.TaggedStruct("WebhookCreated", webhook)
export type WebhookCreated = typeof WebhookCreated.Type

export const WebhookUpdated = Schema.TaggedStruct("WebhookUpdated", {
  ...webhook,
  /** Which of its fields were changed. */
  changed: Schema.Array(Schema.String)
})
export type WebhookUpdated = typeof WebhookUpdated.Type

export const WebhookDeleted = Schema.TaggedStruct("WebhookDeleted", webhook)
export type WebhookDeleted = typeof WebhookDeleted.Type

export const WebhookSecretReplaced = Schema.TaggedStruct("WebhookSecretReplaced", webhook)
export type WebhookSecretReplaced = typeof WebhookSecretReplaced.Type

/** The service disabled a webhook. */
export const WebhookDisabled = Schema.TaggedStruct("WebhookDisabled", {
  ...webhook,
  account_id: AccountId,
  reason: Schema.String
})
export type WebhookDisabled = typeof WebhookDisabled.Type
