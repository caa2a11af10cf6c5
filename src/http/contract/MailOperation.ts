import { HttpApiMiddleware } from "effect/http-api"
import { MailDisabled } from "../../domain/mail/Outbox.ts"

/** Marks an operation that sends mail: where none is sent it refuses every request, before parameters and body are read. */
export class MailOperation extends HttpApiMiddleware.Service<MailOperation>()("forum/http/MailOperation", {
  error: [MailDisabled] as const
}) {}
