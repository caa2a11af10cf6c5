/** What administrators do with the deliveries of webhooks. */
import { Context, DateTime, Effect, Layer, Option, Schema } from "effect"
import { WebhookDeliveryId } from "../shared/Id.ts"
import { Ids } from "../shared/Ids.ts"
import { type ListPlace, listEnvelope } from "../shared/ListPlace.ts"
import { Transaction } from "../storage/Transaction.ts"
import {
  type NewReplay,
  pageSize,
  TooManyWaitingDeliveries,
  type WebhookDeliveryListResult,
  WebhookDeliveryNotFound,
  type WebhookDeliveryStatus,
  type WebhookDeliveryWithAttempts,
  WebhookReplayRangeInvalid,
  WebhookReplayRunning
} from "./WebhookDelivery.ts"
import { WebhookDeliveryStore } from "./WebhookDeliveryStore.ts"
import { waitingMax } from "./WebhookRefusal.ts"
import { WebhookReplayStore } from "./WebhookReplayStore.ts"
import { makeWebhookRequests } from "./WebhookRequests.ts"
import { hasRoomFor, isSuccess } from "./WebhookRules.ts"
import { WebhookStore } from "./WebhookStore.ts"
import { attemptOf, getBy, testData } from "./WebhookViews.ts"

const isDeliveryId = Schema.is(WebhookDeliveryId)

const make = Effect.gen(function* () {
  const webhooks = yield* WebhookStore
  const store = yield* WebhookDeliveryStore
  const replays = yield* WebhookReplayStore
  const transaction = yield* Transaction
  const ids = yield* Ids
  const send = yield* makeWebhookRequests

  const list = Effect.fn("WebhookDeliveries.list")(function* (
    id: string,
    status: WebhookDeliveryStatus | undefined,
    place: ListPlace
  ) {
    const webhookId = yield* getBy(webhooks.findId, id)
    const { deliveries, ...extent } = yield* store.list(webhookId, status, place)
    const envelope = listEnvelope({ ...extent, place, size: pageSize, results: deliveries.length })
    return { ...envelope, deliveries } satisfies WebhookDeliveryListResult
  })

  const get = Effect.fn("WebhookDeliveries.get")(function* (id: string, deliveryId: string) {
    const webhookId = yield* getBy(webhooks.findId, id)
    const found = isDeliveryId(deliveryId)
      ? yield* store.find(webhookId, deliveryId)
      : Option.none<WebhookDeliveryWithAttempts>()
    if (Option.isSome(found)) return found.value
    return yield* new WebhookDeliveryNotFound({ metadata: { delivery_id: deliveryId } })
  })

  /** Lets a delivery be tried at once, with all its tries, whatever became of it before. */
  const retry = Effect.fn("WebhookDeliveries.retry")(function* (id: string, deliveryId: string) {
    const retrial = Effect.gen(function* () {
      const webhook = yield* getBy(webhooks.findForUpdate, id)
      if (!hasRoomFor(webhook.waiting, 1)) {
        return yield* new TooManyWaitingDeliveries({ metadata: { maximum: waitingMax } })
      }
      const isRetried =
        isDeliveryId(deliveryId) && (yield* store.retry(webhook.id, deliveryId, yield* DateTime.now))
      if (!isRetried) return yield* new WebhookDeliveryNotFound({ metadata: { delivery_id: deliveryId } })
    })
    yield* transaction(retrial)
    return yield* get(id, deliveryId)
  })

  /** Sends a test now, once, and keeps it. One that fails says nothing of how the webhook is. */
  const test = Effect.fn("WebhookDeliveries.test")(function* (id: string) {
    const deliveryId = WebhookDeliveryId.make(yield* ids.next)
    const begun = yield* DateTime.now
    const message = yield* getBy((webhook) => store.findMessage(webhook, deliveryId, begun), id)
    const attempt = yield* send(message, begun, testData(message.webhookId))
    const keeping = Effect.gen(function* () {
      const now = yield* DateTime.now
      if (isSuccess(attempt)) yield* store.noteHealth(message.webhookId, true, now)
      const status = isSuccess(attempt) ? "delivered" : "failed"
      yield* store.insertTest(deliveryId, message, attempt, status, now)
    })
    yield* transaction(keeping)
    return attemptOf(attempt)
  })

  /** Begins to deliver again what happened in a range of time, as far as the event log goes back. */
  const replay = Effect.fn("WebhookDeliveries.replay")(function* (id: string, { from, to }: NewReplay) {
    const [begin, end] = [DateTime.makeUnsafe(from), DateTime.makeUnsafe(to)]
    if (DateTime.isGreaterThan(begin, end)) return yield* new WebhookReplayRangeInvalid()
    const beginning = Effect.gen(function* () {
      const webhook = yield* getBy(webhooks.findForUpdate, id)
      const isBegun = yield* replays.begin(webhook.id, begin, end)
      if (!isBegun) return yield* new WebhookReplayRunning()
    })
    yield* transaction(beginning)
    return yield* getBy(webhooks.find, id)
  })

  return { list, get, retry, test, replay } as const
})

export class WebhookDeliveries extends Context.Service<WebhookDeliveries, Effect.Success<typeof make>>()(
  "forum/domain/WebhookDeliveries"
) {
  static readonly layer = Layer.effect(WebhookDeliveries, make)
}
