import { Duration, Effect, Layer } from "effect"
import * as WebhookConsumer from "../../../domain/webhook/WebhookConsumer.ts"
import { WebhookDeliveries } from "../../../domain/webhook/WebhookDeliveries.ts"
import { WebhookSignal } from "../../../domain/webhook/WebhookDeliveryStore.ts"
import { WebhookReplaying } from "../../../domain/webhook/WebhookReplaying.ts"
import { ReplaySignal } from "../../../domain/webhook/WebhookReplayStore.ts"
import { WebhookSending } from "../../../domain/webhook/WebhookSending.ts"
import { Webhooks } from "../../../domain/webhook/Webhooks.ts"
import * as WebhookDeliveriesHandlers from "../../../http/webhook/WebhookDeliveriesHandlers.ts"
import * as WebhooksHandlers from "../../../http/webhook/WebhooksHandlers.ts"
import * as WebhookDeliveryStoreSql from "../../../persistence/webhook/WebhookDeliveryStoreSql.ts"
import * as WebhookReplayStoreSql from "../../../persistence/webhook/WebhookReplayStoreSql.ts"
import * as WebhookStoreSql from "../../../persistence/webhook/WebhookStoreSql.ts"
import { type Area, empty } from "./Area.ts"

export const webhook = {
  ...empty,
  // Who asks for something again wakes the workers.
  stores: Layer.mergeAll(
    WebhookStoreSql.layer,
    WebhookDeliveryStoreSql.layer,
    WebhookReplayStoreSql.layer
  ).pipe(Layer.provideMerge(Layer.merge(WebhookSignal.layer, ReplaySignal.layer))),
  services: Layer.mergeAll(
    Webhooks.layer,
    WebhookDeliveries.layer,
    WebhookSending.layer,
    WebhookReplaying.layer
  ),
  handlers: Layer.merge(WebhooksHandlers.layer, WebhookDeliveriesHandlers.layer),
  consumers: Effect.all([WebhookConsumer.make]),
  chores: Effect.all([
    Effect.map(WebhookSending, ({ clean }) => ({
      name: "remove old deliveries of webhooks",
      every: Duration.hours(1),
      run: clean
    }))
  ]),
  workers: Effect.all([
    Effect.map(WebhookSending, ({ drain, follow }) => ({ name: "deliver to webhooks", run: follow, drain })),
    Effect.map(WebhookReplaying, ({ drain, follow }) => ({
      name: "deliver to webhooks again",
      run: follow,
      drain
    }))
  ])
} satisfies Area
