/** Delivers again what happened, in steps, so that little of it waits at a time. */
import { Context, DateTime, type Duration, Effect, Layer } from "effect"
import { InternalErrors } from "../operations/InternalErrors.ts"
import { makeWorker } from "../queue/Worker.ts"
import { WebhookDeliveryId } from "../shared/Id.ts"
import { Ids } from "../shared/Ids.ts"
import { Transaction } from "../storage/Transaction.ts"
import { messageIdOf, toldByStored } from "./LoggedChanges.ts"
import { type ReplayedEvent, ReplaySignal, WebhookReplayStore } from "./WebhookReplayStore.ts"
import { wants } from "./WebhookRules.ts"
import type { StoredWebhook } from "./WebhookStore.ts"

/** How many deliveries of a webhook wait when nothing is added to them that is to be delivered again. */
export const replayRoom = 1_000

// Deliveries end without a signal for this; nobody waits for a replay.
const lookEvery: Duration.Input = "5 seconds"

const make = Effect.gen(function* () {
  const store = yield* WebhookReplayStore
  const transaction = yield* Transaction
  const ids = yield* Ids
  const signal = yield* ReplaySignal
  const errors = yield* InternalErrors

  const deliveryOf = Effect.fnUntraced(function* (
    webhook: StoredWebhook,
    { at, event, id: causeId }: ReplayedEvent
  ) {
    const told = yield* toldByStored(event)
    if (told === undefined || !wants(webhook.events, told.change.event)) return []
    const id = WebhookDeliveryId.make(yield* ids.next)
    const messageId = messageIdOf(at, causeId)
    return [{ id, webhookId: webhook.id, messageId, causeId, type: told.change.event }]
  })

  /** Looks at some of the log for a webhook; undefined if there is none to look for now. */
  const step = Effect.gen(function* () {
    const replay = yield* store.takeForUpdate(replayRoom)
    if (replay === undefined) return undefined
    const { webhook } = replay
    const { events, next } = yield* store.readPage(replay)
    const deliveries = yield* Effect.forEach(events, (event) => deliveryOf(webhook, event))
    yield* store.enqueueAgain(deliveries.flat(), yield* DateTime.now)
    yield* next === undefined ? store.end(webhook.id) : store.move(webhook.id, next)
    return webhook.id
  })

  return makeWorker({
    parallel: 1,
    take: transaction(step),
    run: () => Effect.void,
    signal,
    lookEvery,
    report: (failure) =>
      errors.report({
        where: "webhooks",
        what: "Looking for what to deliver again failed; trying again",
        failure
      })
  })
})

export class WebhookReplaying extends Context.Service<WebhookReplaying, Effect.Success<typeof make>>()(
  "forum/domain/WebhookReplaying"
) {
  static readonly layer = Layer.effect(WebhookReplaying, make).pipe(Layer.provide(InternalErrors.layer))
}
