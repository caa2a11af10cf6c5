/** What the use cases of webhooks have in common. */
import { DateTime, Effect, Option, Schema } from "effect"
import { Timestamp } from "../field/Resource.ts"
import { WebhookId } from "../shared/Id.ts"
import { testType, type WebhookAttempt } from "./WebhookDelivery.ts"
import { WebhookNotFound } from "./WebhookRefusal.ts"
import type { Attempt } from "./WebhookRules.ts"

const isWebhookId = Schema.is(WebhookId)

/** The webhook with an id, by one of the ways in which the store finds it. */
export const getBy = Effect.fnUntraced(function* <A>(
  by: (id: WebhookId) => Effect.Effect<Option.Option<A>>,
  id: string
) {
  const found = isWebhookId(id) ? yield* by(id) : Option.none<A>()
  if (Option.isSome(found)) return found.value
  return yield* new WebhookNotFound({ metadata: { webhook_id: id } })
})

/** What events say of an address, whose path may be secret. */
export const hostOfAddress = (url: string): string => new URL(url).host

/** What a test says of itself. */
export const testData = (id: WebhookId) => ({ event: testType, webhook_id: id }) as const

/** An attempt as administrators see it. */
export const attemptOf = ({ answer, at, error, milliseconds, status }: Attempt): WebhookAttempt => ({
  at: Timestamp.make(DateTime.formatIso(at)),
  milliseconds,
  ...(status === undefined ? {} : { status }),
  ...(answer === undefined ? {} : { answer }),
  ...(error === undefined ? {} : { error })
})
