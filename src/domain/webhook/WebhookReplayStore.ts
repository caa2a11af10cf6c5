/** What delivering again needs from storage: what is asked for outlives the process, and is worked off in steps. */
import { Context, type DateTime, type Effect, Layer, Queue } from "effect"
import type { ChangePosition } from "../change/ChangePosition.ts"
import type { WebhookId } from "../shared/Id.ts"
import type { NewDelivery } from "./WebhookDeliveryStore.ts"
import type { StoredWebhook } from "./WebhookStore.ts"

/** What is delivered again to a webhook, and how far that has come. */
export interface StoredReplay {
  readonly webhook: StoredWebhook
  readonly from: DateTime.Utc
  readonly to: DateTime.Utc
  /** The last event that was looked at, and the last one to look at. */
  readonly at: ChangePosition
  readonly end: ChangePosition
}

export interface ReplayedEvent {
  readonly id: bigint
  readonly at: DateTime.Utc
  readonly event: unknown
}

/** Some of the log. */
export interface ReplayedPage {
  /** The events in it that tell others of something, from the range of time. */
  readonly events: ReadonlyArray<ReplayedEvent>
  /** The last event that was looked at; undefined if there are no more. */
  readonly next: ChangePosition | undefined
}

export class WebhookReplayStore extends Context.Service<
  WebhookReplayStore,
  {
    /** Begins to deliver again what happened in a range of time until now; false if that is being done already. */
    readonly begin: (webhook: WebhookId, from: DateTime.Utc, to: DateTime.Utc) => Effect.Effect<boolean>
    /**
     * A replay of an active webhook for which fewer than so many deliveries wait. Nobody else takes it, or deletes
     * the webhook, until the transaction ends.
     */
    readonly takeForUpdate: (waitingBelow: number) => Effect.Effect<StoredReplay | undefined>
    readonly readPage: (replay: StoredReplay) => Effect.Effect<ReplayedPage>
    /** Makes deliveries, or lets those that there are be delivered again unless they wait. */
    readonly enqueueAgain: (deliveries: ReadonlyArray<NewDelivery>, at: DateTime.Utc) => Effect.Effect<void>
    readonly move: (webhook: WebhookId, to: ChangePosition) => Effect.Effect<void>
    readonly end: (webhook: WebhookId) => Effect.Effect<void>
  }
>()("forum/domain/WebhookReplayStore") {}

/** Wakes this process's worker when there may be something to deliver again. */
export class ReplaySignal extends Context.Service<ReplaySignal, Queue.Queue<void>>()(
  "forum/domain/ReplaySignal"
) {
  // One waiting signal is as good as many.
  static readonly layer = Layer.effect(ReplaySignal, Queue.sliding<void>(1))
}
