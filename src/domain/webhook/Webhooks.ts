/** What administrators do with webhooks. */
import { Context, DateTime, Effect, Layer, Redacted } from "effect"
import { EventLog } from "../event/EventLog.ts"
import { NetworksOpened } from "../outbound/NetworksOpened.ts"
import { CurrentAccount } from "../shared/Actor.ts"
import { WebhookId } from "../shared/Id.ts"
import { Ids } from "../shared/Ids.ts"
import { type ListPlace, listEnvelope } from "../shared/ListPlace.ts"
import { Transaction } from "../storage/Transaction.ts"
import {
  type NewWebhook,
  pageSize,
  type WebhookChange,
  type WebhookIssued,
  type WebhookListResult
} from "./Webhook.ts"
import { secretsMax, TooManyWebhookSecrets, WebhookAddressRefused } from "./WebhookRefusal.ts"
import { decideAddress, signsOnFor, wantedOf } from "./WebhookRules.ts"
import { makeWebhookSecrets } from "./WebhookSecrets.ts"
import { WebhookStore, type WebhookUpdate } from "./WebhookStore.ts"
import { getBy, hostOfAddress } from "./WebhookViews.ts"

const make = Effect.gen(function* () {
  const store = yield* WebhookStore
  const events = yield* EventLog
  const transaction = yield* Transaction
  const ids = yield* Ids
  const secrets = yield* makeWebhookSecrets
  const opened = yield* NetworksOpened

  /** The address in the form in which it is stored. */
  const checkAddress = (text: string) => {
    const decision = decideAddress(text, opened)
    return typeof decision === "string"
      ? Effect.fail(new WebhookAddressRefused({ metadata: { reason: decision } }))
      : Effect.succeed(decision.href)
  }

  const list = Effect.fn("Webhooks.list")(function* (place: ListPlace) {
    const { webhooks, ...extent } = yield* store.list(place)
    const envelope = listEnvelope({ ...extent, place, size: pageSize, results: webhooks.length })
    return { ...envelope, webhooks } satisfies WebhookListResult
  })

  const get = Effect.fn("Webhooks.get")(function* (id: string) {
    return yield* getBy(store.find, id)
  })

  const create = Effect.fn("Webhooks.create")(function* (input: NewWebhook) {
    const { accountId } = yield* CurrentAccount
    const url = yield* checkAddress(input.url)
    const id = WebhookId.make(yield* ids.next)
    const at = yield* DateTime.now
    const { sealed, secret } = yield* secrets.issue(id)
    const webhook = {
      id,
      accountId,
      at,
      url,
      name: input.name,
      events: wantedOf(input.events),
      active: input.active ?? true
    }
    const creation = Effect.gen(function* () {
      yield* store.insert(webhook)
      yield* store.addSecret(id, sealed, at, at)
      yield* events.append(accountId, { _tag: "WebhookCreated", id, host: hostOfAddress(url) })
    })
    yield* transaction(creation)
    const shown = yield* getBy(store.find, id).pipe(Effect.orDie)
    return { ...shown, secret: Redacted.value(secret) } satisfies WebhookIssued
  })

  const update = Effect.fn("Webhooks.update")(function* (id: string, change: WebhookChange) {
    const { accountId } = yield* CurrentAccount
    const url = change.url === undefined ? undefined : yield* checkAddress(change.url)
    const changes: WebhookUpdate = {
      ...(url === undefined ? {} : { url }),
      ...(change.name === undefined ? {} : { name: change.name === "" ? undefined : change.name }),
      ...(change.events === undefined ? {} : { events: wantedOf(change.events) }),
      ...(change.active === undefined ? {} : { active: change.active })
    }
    const changed = Object.keys(changes).toSorted()
    const changing = Effect.gen(function* () {
      const found = yield* getBy(store.findForUpdate, id)
      if (changed.length === 0) return
      yield* store.update(found.id, changes, yield* DateTime.now)
      const host = hostOfAddress(url ?? found.url)
      yield* events.append(accountId, { _tag: "WebhookUpdated", id: found.id, host, changed })
    })
    yield* transaction(changing)
    return yield* getBy(store.find, id)
  })

  const remove = Effect.fn("Webhooks.remove")(function* (id: string) {
    const { accountId } = yield* CurrentAccount
    const removal = Effect.gen(function* () {
      const found = yield* getBy(store.findForUpdate, id)
      yield* store.delete(found.id)
      yield* events.append(accountId, {
        _tag: "WebhookDeleted",
        id: found.id,
        host: hostOfAddress(found.url)
      })
    })
    yield* transaction(removal)
  })

  /** A further secret. Those before it sign for another day. */
  const replaceSecret = Effect.fn("Webhooks.replaceSecret")(function* (id: string) {
    const { accountId } = yield* CurrentAccount
    const replacement = Effect.gen(function* () {
      const found = yield* getBy(store.findForUpdate, id)
      const { sealed, secret } = yield* secrets.issue(found.id)
      const at = yield* DateTime.now
      const isAdded = yield* store.addSecret(found.id, sealed, at, DateTime.addDuration(at, signsOnFor))
      if (!isAdded) return yield* new TooManyWebhookSecrets({ metadata: { maximum: secretsMax } })
      const host = hostOfAddress(found.url)
      yield* events.append(accountId, { _tag: "WebhookSecretReplaced", id: found.id, host })
      return secret
    })
    return { secret: Redacted.value(yield* transaction(replacement)) }
  })

  return { list, get, create, update, remove, replaceSecret } as const
})

export class Webhooks extends Context.Service<Webhooks, Effect.Success<typeof make>>()(
  "forum/domain/Webhooks"
) {
  static readonly layer = Layer.effect(Webhooks, make)
}
