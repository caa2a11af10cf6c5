import { Effect, Layer } from "effect"
import { MailDisabled, Outbox } from "../../domain/mail/Outbox.ts"
import { MailOperation } from "../contract/MailOperation.ts"

/** Lets operations that send mail run where mail is sent. */
export const layer = Layer.effect(
  MailOperation,
  Effect.map(Outbox, ({ enabled }) =>
    MailOperation.of((handler) => (enabled ? handler : Effect.fail(new MailDisabled())))
  )
)
