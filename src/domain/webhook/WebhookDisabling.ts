/** Disables webhooks that cannot be delivered to. */
import { type DateTime, Effect } from "effect"
import { EventLog } from "../event/EventLog.ts"
import type { AccountId, WebhookId } from "../shared/Id.ts"
import { type Disabling, WebhookStore } from "./WebhookStore.ts"
import { hostOfAddress } from "./WebhookViews.ts"

export const makeWebhookDisabling = Effect.gen(function* () {
  const store = yield* WebhookStore
  const events = yield* EventLog

  /** Disables a webhook as part of the running transaction, which has locked it. Its account is notified of that. */
  return Effect.fnUntraced(function* (
    webhook: { readonly id: WebhookId; readonly accountId: AccountId; readonly url: string },
    reason: Disabling,
    at: DateTime.Utc
  ) {
    const { accountId, id, url } = webhook
    yield* store.disable(id, reason, at)
    yield* events.append(undefined, {
      _tag: "WebhookDisabled",
      id,
      host: hostOfAddress(url),
      account_id: accountId,
      reason
    })
  })
})
