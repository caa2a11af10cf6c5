/** What the rules of webhooks need from storage. Secrets arrive here sealed only. */
import { Context, type DateTime, type Effect, type Option } from "effect"
import type { AccountId, WebhookId } from "../shared/Id.ts"
import type { ListExtent, ListPlace } from "../shared/ListPlace.ts"
import type { Webhook, WebhookDisabledReason, WebhookEvent } from "./Webhook.ts"
import type { TooManyWebhooks } from "./WebhookRefusal.ts"

export interface WebhookInsert {
  readonly id: WebhookId
  readonly accountId: AccountId
  readonly at: DateTime.Utc
  readonly url: string
  readonly name: string | undefined
  readonly events: ReadonlyArray<WebhookEvent>
  readonly active: boolean
}

/** What changes of a webhook; what is absent stays. */
export interface WebhookUpdate {
  readonly url?: string
  /** Undefined takes the name away. */
  readonly name?: string | undefined
  readonly events?: ReadonlyArray<WebhookEvent>
  readonly active?: boolean
}

export interface WebhookPage extends ListExtent {
  readonly webhooks: ReadonlyArray<Webhook>
}

/** A webhook as the service works with it. */
export interface StoredWebhook {
  readonly id: WebhookId
  readonly accountId: AccountId
  readonly url: string
  readonly events: ReadonlyArray<WebhookEvent>
  readonly waiting: number
}

/** Why the service disables a webhook itself. */
export type Disabling = Exclude<WebhookDisabledReason, "suspended">

export class WebhookStore extends Context.Service<
  WebhookStore,
  {
    /** A page of all webhooks, newest first. */
    readonly list: (place: ListPlace) => Effect.Effect<WebhookPage>
    readonly find: (id: WebhookId) => Effect.Effect<Option.Option<Webhook>>
    /** Whether there is such a webhook. */
    readonly findId: (id: WebhookId) => Effect.Effect<Option.Option<WebhookId>>
    /** The webhook, which nobody else changes until the transaction ends. */
    readonly findForUpdate: (id: WebhookId) => Effect.Effect<Option.Option<StoredWebhook>>
    /** The active webhooks, which nobody else changes until the transaction ends. */
    readonly listActiveForUpdate: Effect.Effect<ReadonlyArray<StoredWebhook>>
    readonly insert: (webhook: WebhookInsert) => Effect.Effect<void, TooManyWebhooks>
    /** Changes a webhook. One that becomes active is told of what is committed from then on. */
    readonly update: (id: WebhookId, changes: WebhookUpdate, at: DateTime.Utc) => Effect.Effect<void>
    readonly delete: (id: WebhookId) => Effect.Effect<void>
    readonly disable: (id: WebhookId, reason: Disabling, at: DateTime.Utc) => Effect.Effect<void>
    /** Adds a secret, unless as many sign; those that there are sign until `until`, if they do not end before. */
    readonly addSecret: (
      id: WebhookId,
      sealed: Uint8Array,
      at: DateTime.Utc,
      until: DateTime.Utc
    ) => Effect.Effect<boolean>
  }
>()("forum/domain/WebhookStore") {}
