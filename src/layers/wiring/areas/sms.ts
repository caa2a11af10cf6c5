import { Duration, Effect, Layer } from "effect"
import { SmsOutbox } from "../../../domain/sms/SmsOutbox.ts"
import { SmsSignal } from "../../../domain/sms/SmsQueueStore.ts"
import { SmsSending } from "../../../domain/sms/SmsSending.ts"
import * as SmsQueueStoreSql from "../../../persistence/sms/SmsQueueStoreSql.ts"
import { type Area, empty } from "./Area.ts"

export const sms = {
  ...empty,
  // Rules of other areas leave messages in the outbox as they leave rows in stores.
  stores: SmsOutbox.layer.pipe(
    Layer.provideMerge(SmsQueueStoreSql.layer),
    Layer.provideMerge(SmsSignal.layer)
  ),
  services: SmsSending.layer,
  chores: Effect.all([
    Effect.map(SmsSending, ({ clean }) => ({
      name: "forget old text messages",
      every: Duration.hours(1),
      run: clean
    }))
  ]),
  workers: Effect.all([
    Effect.map(SmsSending, ({ drain, follow }) => ({ name: "send text messages", run: follow, drain }))
  ])
} satisfies Area
