import { HttpApiMiddleware } from "effect/http-api"
import { SmsDisabled } from "../../domain/sms/SmsRefusal.ts"

/** Marks an operation that needs text messages: where none are sent it refuses every request, before parameters and body are read. */
export class SmsOperation extends HttpApiMiddleware.Service<SmsOperation>()("forum/http/SmsOperation", {
  error: [SmsDisabled] as const
}) {}
