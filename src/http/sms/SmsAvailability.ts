import { Effect, Layer } from "effect"
import { SmsOutbox } from "../../domain/sms/SmsOutbox.ts"
import { SmsDisabled } from "../../domain/sms/SmsRefusal.ts"
import { SmsOperation } from "../contract/SmsOperation.ts"

/** Lets operations that need text messages run where those are sent. */
export const layer = Layer.effect(
  SmsOperation,
  Effect.map(SmsOutbox, ({ enabled }) =>
    SmsOperation.of((handler) => (enabled ? handler : Effect.fail(new SmsDisabled())))
  )
)
