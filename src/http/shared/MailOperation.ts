import { Effect, Layer } from "effect"
import { HttpApiMiddleware } from "effect/http-api"
import { MailDisabled, Outbox } from "../../domain/mail/Outbox.ts"

/** Of an operation that sends mail: where none is sent it refuses every request, before parameters and body are read. */
export class MailOperation extends HttpApiMiddleware.Service<MailOperation>()("forum/http/MailOperation", {
  error: [MailDisabled] as const
}) {}

export const layer = Layer.effect(
  MailOperation,
  Effect.map(Outbox, ({ enabled }) =>
    MailOperation.of((handler) => (enabled ? handler : Effect.fail(new MailDisabled())))
  )
)
