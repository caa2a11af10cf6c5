/** Makes deliveries of what happens, one for each change and each active webhook that wants it. */
import { DateTime, Effect } from "effect"
import { tellingTags } from "../change/ChangesOfEvents.ts"
import { type EventConsumer, makeConsumer, tagOf } from "../event/EventConsumer.ts"
import { type DomainEvent, declaredEvents, type LoggedEvent } from "../event/EventLog.ts"
import { WebhookDeliveryId } from "../shared/Id.ts"
import { Ids } from "../shared/Ids.ts"
import { messageIdOf, toldBy } from "./LoggedChanges.ts"
import { type NewDelivery, WebhookDeliveryStore } from "./WebhookDeliveryStore.ts"
import { makeWebhookDisabling } from "./WebhookDisabling.ts"
import { hasRoomFor, wants } from "./WebhookRules.ts"
import { type StoredWebhook, WebhookStore } from "./WebhookStore.ts"

/** The name by which the schema says that this consumer has nothing to do. */
export const consumerName = "webhooks"

type Told = Omit<NewDelivery, "id" | "webhookId">

const toldOf = ({ event, id, occurredAt }: LoggedEvent<DomainEvent>): ReadonlyArray<Told> => {
  const told = toldBy(event)
  return told === undefined
    ? []
    : [{ causeId: id, messageId: messageIdOf(occurredAt, id), type: told.change.event }]
}

const isWanted = ({ events }: StoredWebhook, { type }: Told) => type !== "Test" && wants(events, type)

// Events that tell of something from a later release on need a consumer of their own.
const telling = declaredEvents
  .filter((event) => tellingTags.includes(tagOf(event)))
  .toSorted((one, other) => (tagOf(one) < tagOf(other) ? -1 : 1))

export const make = Effect.gen(function* () {
  const webhooks = yield* WebhookStore
  const store = yield* WebhookDeliveryStore
  const ids = yield* Ids
  const disable = yield* makeWebhookDisabling

  const deliveriesTo = Effect.fnUntraced(function* (webhook: StoredWebhook, told: ReadonlyArray<Told>) {
    const wanted = told.filter((one) => isWanted(webhook, one))
    if (!hasRoomFor(webhook.waiting, wanted.length)) {
      yield* disable(webhook, "overflow", yield* DateTime.now)
      return []
    }
    const deliveries: Array<NewDelivery> = []
    for (const one of wanted) {
      deliveries.push({ ...one, id: WebhookDeliveryId.make(yield* ids.next), webhookId: webhook.id })
    }
    return deliveries
  })

  return makeConsumer({
    name: consumerName,
    reads: telling,
    handle: Effect.fn("WebhookConsumer.handle")(function* (events) {
      const active = yield* webhooks.listActiveForUpdate
      if (active.length === 0) return
      const told = events.flatMap(toldOf)
      const deliveries = yield* Effect.forEach(active, (webhook) => deliveriesTo(webhook, told))
      yield* store.enqueue(deliveries.flat(), yield* DateTime.now)
    })
  }) satisfies EventConsumer
})
