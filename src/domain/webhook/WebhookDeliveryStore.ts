/** What delivering to webhooks needs from storage: a queue that outlives the process. */
import { Context, type DateTime, type Effect, Layer, type Option, Queue } from "effect"
import type { Audience, CurrentStandings } from "../change/Audience.ts"
import type { AccountActor } from "../shared/Actor.ts"
import type { AccountId, WebhookDeliveryId, WebhookId } from "../shared/Id.ts"
import type { ListExtent, ListPlace } from "../shared/ListPlace.ts"
import type {
  WebhookDelivery,
  WebhookDeliveryStatus,
  WebhookDeliveryType,
  WebhookDeliveryWithAttempts
} from "./WebhookDelivery.ts"
import type { Attempt } from "./WebhookRules.ts"

export interface NewDelivery {
  readonly id: WebhookDeliveryId
  readonly webhookId: WebhookId
  readonly messageId: string
  readonly causeId: bigint
  readonly type: WebhookDeliveryType
}

/** An event as the log has it. */
export interface CauseOfDelivery {
  readonly event: unknown
  readonly at: DateTime.Utc
}

/** What is sent, and where. */
export interface Message {
  readonly webhookId: WebhookId
  readonly url: string
  readonly sealedSecrets: ReadonlyArray<Uint8Array>
  readonly messageId: string
  readonly type: WebhookDeliveryType
}

/** A delivery that one worker has taken. */
export interface TakenDelivery {
  readonly id: WebhookDeliveryId
  readonly message: Message
  readonly createdAt: DateTime.Utc
  /** The account whose rights decide what is delivered. */
  readonly accountId: AccountId
  /** What it is about; undefined for a test, and if the log has it no more. */
  readonly cause: CauseOfDelivery | undefined
  /** How often it was tried since it was queued, this try included. */
  readonly tries: number
  /** The number of this attempt among all, from 1. Whoever took it has it until there is a later attempt. */
  readonly attempt: number
  readonly place: number
  /** Until when the place is its own. */
  readonly until: DateTime.Utc
}

/** How a delivery goes on after a failure: it is over, or due again. */
export type NextStep =
  | { readonly status: "failed" }
  | { readonly status: "waiting"; readonly dueAt: DateTime.Utc }

/** What an attempt says of a webhook. */
export interface WebhookHealth {
  readonly failingSince: DateTime.Utc | undefined
  readonly active: boolean
}

export interface DeliveryPage extends ListExtent {
  readonly deliveries: ReadonlyArray<WebhookDelivery>
}

export class WebhookDeliveryStore extends Context.Service<
  WebhookDeliveryStore,
  {
    /**
     * Makes deliveries of changes that were committed after their webhook became active. One that there is already
     * stays as it is.
     */
    readonly enqueue: (deliveries: ReadonlyArray<NewDelivery>, at: DateTime.Utc) => Effect.Effect<void>
    /**
     * Takes what has been due for the longest time of an active webhook that has a free place, webhooks in turns, and
     * counts the try. Unless it is finished before, it is due again at `until`: whoever took it may have ended.
     */
    readonly take: (at: DateTime.Utc, until: DateTime.Utc) => Effect.Effect<TakenDelivery | undefined>
    /** An account with the permissions that it has now. */
    readonly findRecipient: (id: AccountId) => Effect.Effect<Option.Option<AccountActor>>
    /** What a change is about, as it is now. */
    readonly readStandings: (audience: Audience) => Effect.Effect<CurrentStandings>
    /** Keeps a webhook from being deleted until the transaction ends. */
    readonly hold: (id: WebhookId) => Effect.Effect<void>
    /** Notes whether an attempt succeeded, for the webhook, which nobody else changes until the transaction ends. */
    readonly noteHealth: (
      id: WebhookId,
      isSuccess: boolean,
      at: DateTime.Utc
    ) => Effect.Effect<Option.Option<WebhookHealth>>
    /** Notes how an attempt failed and how the delivery goes on, unless another attempt has begun since. */
    readonly finish: (
      taken: TakenDelivery,
      attempt: Attempt,
      next: NextStep,
      at: DateTime.Utc
    ) => Effect.Effect<void>
    /** Notes that an attempt succeeded, for the webhook and, unless another attempt has begun since, for the delivery. */
    readonly finishDelivered: (
      taken: TakenDelivery,
      attempt: Attempt,
      at: DateTime.Utc
    ) => Effect.Effect<void>
    /** Removes a delivery that nobody is to know of, unless another attempt has begun since. */
    readonly drop: (taken: TakenDelivery, at: DateTime.Utc) => Effect.Effect<void>
    /** Puts one back that was not tried to the end, unless another attempt has begun since. */
    readonly giveBack: (taken: TakenDelivery, at: DateTime.Utc) => Effect.Effect<void>
    /** What a test of a webhook is sent with. */
    readonly findMessage: (
      id: WebhookId,
      messageId: string,
      at: DateTime.Utc
    ) => Effect.Effect<Option.Option<Message>>
    /** Keeps a test with its attempt, unless its webhook is gone. */
    readonly insertTest: (
      id: WebhookDeliveryId,
      message: Message,
      attempt: Attempt,
      status: Exclude<WebhookDeliveryStatus, "waiting">,
      at: DateTime.Utc
    ) => Effect.Effect<void>
    /** A page of the deliveries of a webhook, newest first. */
    readonly list: (
      id: WebhookId,
      status: WebhookDeliveryStatus | undefined,
      place: ListPlace
    ) => Effect.Effect<DeliveryPage>
    readonly find: (
      webhook: WebhookId,
      id: WebhookDeliveryId
    ) => Effect.Effect<Option.Option<WebhookDeliveryWithAttempts>>
    /** Lets a delivery be tried now, with all its tries, unless it is being tried; false if there is none. */
    readonly retry: (webhook: WebhookId, id: WebhookDeliveryId, at: DateTime.Utc) => Effect.Effect<boolean>
    /** Removes deliveries that were queued before, and secrets that have ended: some, and answers whether there may be more. */
    readonly deleteOld: (queuedBefore: DateTime.Utc, now: DateTime.Utc) => Effect.Effect<boolean>
  }
>()("forum/domain/WebhookDeliveryStore") {}

/** Wakes this process's worker when there may be something to deliver. */
export class WebhookSignal extends Context.Service<WebhookSignal, Queue.Queue<void>>()(
  "forum/domain/WebhookSignal"
) {
  // One waiting signal is as good as many.
  static readonly layer = Layer.effect(WebhookSignal, Queue.sliding<void>(1))
}
