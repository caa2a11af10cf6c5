/** Asking that an account is erased, by its owner or by staff, and taking that back. */
import { Context, DateTime, Effect, Layer, Option } from "effect"
import { type Account, AccountNotFound } from "../account/Account.ts"
import { AccountStore } from "../account/AccountStore.ts"
import { EmailAddressStore } from "../account/EmailAddressStore.ts"
import { makeOwnerChecks } from "../authentication/OwnerChecks.ts"
import { PasswordAuth } from "../authentication/PasswordAuth.ts"
import { EventLog } from "../event/EventLog.ts"
import { Timestamp } from "../field/Resource.ts"
import { Outbox } from "../mail/Outbox.ts"
import { makeRoleChanges } from "../role/RoleChanges.ts"
import { LastAdministrator } from "../role/RoleRefusal.ts"
import { InstanceSettings } from "../settings/InstanceSettings.ts"
import { CurrentAccount, checkPermission } from "../shared/Actor.ts"
import type { ClientNetwork } from "../shared/Client.ts"
import type { AccountId } from "../shared/Id.ts"
import { Transaction } from "../storage/Transaction.ts"
import {
  type AskedErasure,
  type Erasure,
  ErasureBegun,
  ErasureNotFound,
  ErasureOfSelf,
  nobody,
  type OrderedErasure,
  waiting
} from "./Erasure.ts"
import { ErasureStore, type NewErasure, type StoredErasure } from "./ErasureStore.ts"
import { erasureLetter } from "./ErasureText.ts"

const timestamp = (at: DateTime.Utc) => Timestamp.make(DateTime.formatIso(at))

const shown = ({ begunAt, dueAt, keepPosts, requestedAt }: StoredErasure): Erasure => ({
  requested_at: timestamp(requestedAt),
  erased_at: timestamp(dueAt),
  keep_posts: keepPosts,
  begun: begunAt !== undefined
})

/** Tells an account by mail that it is to be erased, at every address that it has confirmed. */
const makeLetters = Effect.gen(function* () {
  const outbox = yield* Outbox
  const addresses = yield* EmailAddressStore
  const settings = yield* InstanceSettings

  return Effect.fnUntraced(function* (
    { handle, id, name }: Account,
    dueAt: DateTime.Utc,
    network: ClientNetwork
  ) {
    if (!outbox.enabled) return
    const { title } = yield* settings.general
    const letter = erasureLetter(title, handle, DateTime.formatIsoDateUtc(dueAt))
    for (const { address, verified } of yield* addresses.listOf(id)) {
      if (!verified) continue
      // An address that is sent too much already is told by the notification.
      yield* outbox
        .enqueue({ address, name, ...letter }, { network, isKnown: true })
        .pipe(Effect.catchTag("MailLimitReached", () => Effect.void))
    }
  })
})

/** What is stored when an account is to be erased, or not any more. */
const makeRequests = Effect.gen(function* () {
  const store = yield* ErasureStore
  const accounts = yield* AccountStore
  const events = yield* EventLog
  const sendLetters = yield* makeLetters

  const getAccount = Effect.fnUntraced(function* (id: AccountId) {
    const found = id === nobody ? Option.none() : yield* accounts.find(id)
    return Option.isNone(found) ? yield* new AccountNotFound({ metadata: { account: id } }) : found.value
  })

  const get = Effect.fnUntraced(function* (id: AccountId) {
    const found = yield* store.find(id)
    return Option.isNone(found) ? yield* new ErasureNotFound() : shown(found.value)
  })

  /** As part of a transaction in which nobody else changes who is an administrator. */
  const ask = Effect.fnUntraced(function* (
    by: AccountId,
    account: Account,
    erasure: NewErasure,
    network: ClientNetwork
  ) {
    if (yield* store.isLastAdministrator(account.id)) return yield* new LastAdministrator()
    const stored = yield* store.request(erasure)
    if (stored.begunAt !== undefined) return yield* new ErasureBegun()
    const answer = shown(stored)
    yield* events.append(by, {
      _tag: "AccountErasureRequested",
      id: account.id,
      erased_at: answer.erased_at,
      keep_posts: answer.keep_posts
    })
    const isNew = DateTime.Equivalence(stored.requestedAt, erasure.at)
    if (isNew) yield* sendLetters(account, stored.dueAt, network)
    return answer
  })

  const takeBack = Effect.fnUntraced(function* (by: AccountId, id: AccountId) {
    if (yield* store.cancel(id)) {
      return yield* events.append(by, { _tag: "AccountErasureCancelled", id })
    }
    return yield* Option.isNone(yield* store.find(id)) ? new ErasureNotFound() : new ErasureBegun()
  })

  return { getAccount, get, ask, takeBack } as const
})

const make = Effect.gen(function* () {
  const owner = yield* makeOwnerChecks
  const transaction = yield* Transaction
  const asRoleChange = yield* makeRoleChanges
  const { ask, get, getAccount, takeBack } = yield* makeRequests

  /** Asks that the caller's account is erased in seven days. Until then everything is as before. */
  const request = Effect.fn("Erasures.request")(function* (
    { keep_posts: keepPosts, password }: AskedErasure,
    network: ClientNetwork
  ) {
    const { accountId } = yield* CurrentAccount
    yield* owner.check(password)
    const at = yield* DateTime.now
    const erasure = { accountId, at, dueAt: DateTime.addDuration(at, waiting), keepPosts }
    return yield* asRoleChange(() =>
      // The caller has an account.
      Effect.flatMap(Effect.catchTag(getAccount(accountId), "AccountNotFound", Effect.die), (account) =>
        ask(accountId, account, erasure, network)
      )
    )
  })

  const getOwn = Effect.fn("Erasures.getOwn")(function* () {
    return yield* get((yield* CurrentAccount).accountId)
  })

  const cancelOwn = Effect.fn("Erasures.cancelOwn")(function* () {
    const { accountId } = yield* CurrentAccount
    yield* transaction(takeBack(accountId, accountId))
  })

  /** Has another account erased, in seven days or at once. */
  const order = Effect.fn("Erasures.order")(function* (
    id: AccountId,
    { at_once = false, keep_posts: keepPosts }: OrderedErasure,
    network: ClientNetwork
  ) {
    const { accountId } = yield* CurrentAccount
    if (id === accountId) return yield* new ErasureOfSelf()
    const at = yield* DateTime.now
    const dueAt = at_once ? at : DateTime.addDuration(at, waiting)
    return yield* asRoleChange(({ actor }) =>
      checkPermission(actor, "ADMINISTRATOR").pipe(
        Effect.andThen(getAccount(id)),
        Effect.flatMap((account) => ask(accountId, account, { accountId: id, at, dueAt, keepPosts }, network))
      )
    )
  })

  const getOf = Effect.fn("Erasures.getOf")(get)

  const cancelOf = Effect.fn("Erasures.cancelOf")(function* (id: AccountId) {
    const { accountId } = yield* CurrentAccount
    yield* transaction(takeBack(accountId, id))
  })

  return { request, getOwn, cancelOwn, order, getOf, cancelOf } as const
})

export class Erasures extends Context.Service<Erasures, Effect.Success<typeof make>>()(
  "forum/domain/Erasures"
) {
  static readonly layer = Layer.effect(Erasures, make).pipe(
    Layer.provide(Layer.merge(InstanceSettings.layer, PasswordAuth.layer))
  )
}
