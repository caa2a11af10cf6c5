/** What people may do with accounts. */
import { Context, DateTime, Effect, Layer, Option } from "effect"
import { EventLog } from "../event/EventLog.ts"
import { InstanceSettings } from "../settings/InstanceSettings.ts"
import { CurrentAccount, CurrentActor, Forbidden, holds, Unauthenticated } from "../shared/Actor.ts"
import type { AccountId } from "../shared/Id.ts"
import type { Reading } from "../shared/RichText.ts"
import { Sanitiser } from "../shared/Sanitiser.ts"
import { Transaction } from "../shared/Transaction.ts"
import { refuseComplex } from "../thread/PostText.ts"
import {
  type Account,
  type AccountChanges,
  AccountNotFound,
  AdministratorHidden,
  ProfileTextTooLong,
  profileMarkupMax,
  SignatureTooLong
} from "./Account.ts"
import { isAdministrator } from "./AccountRules.ts"
import { AccountStore, type ProfileChanges } from "./AccountStore.ts"
import { checkHandle, normaliseHandle } from "./Handle.ts"

const lengthOf = (text: string) => Array.from(text).length

/** The sanitised text of a field can be longer than what was sent. */
const checkMarkupLength = (field: keyof typeof profileMarkupMax, { document }: Reading) => {
  const [maximum, length] = [profileMarkupMax[field], lengthOf(document)]
  return length > maximum
    ? Effect.fail(new ProfileTextTooLong({ metadata: { field, maximum, length } }))
    : Effect.void
}

/** Characters of plain text count. */
const checkSignature = ({ analysis }: Reading, maximum: number) => {
  const length = lengthOf(analysis.plaintext)
  return length > maximum ? Effect.fail(new SignatureTooLong({ metadata: { maximum, length } })) : Effect.void
}

const make = Effect.gen(function* () {
  const store = yield* AccountStore
  const events = yield* EventLog
  const transaction = yield* Transaction
  const sanitiser = yield* Sanitiser
  const settings = yield* InstanceSettings

  const read = (field: keyof typeof profileMarkupMax, html: string) =>
    sanitiser.read(html).pipe(
      Effect.catchTag("TooComplex", refuseComplex),
      Effect.tap((reading) => checkMarkupLength(field, reading))
    )

  const get = Effect.fnUntraced(function* (id: AccountId) {
    const found = yield* store.find(id)
    if (Option.isNone(found)) return yield* new AccountNotFound({ metadata: { account: id } })
    return found.value
  })

  /** An account that vanished after the request was identified has no session either. */
  const getOwn = (id: AccountId) => Effect.mapError(get(id), () => new Unauthenticated())

  /** The caller's own account. */
  const own = Effect.fn("Accounts.own")(function* () {
    const { accountId } = yield* CurrentAccount
    return yield* getOwn(accountId)
  })

  /** The caller's account if there is a caller. */
  const findOwn = Effect.fn("Accounts.findOwn")(function* () {
    const actor = yield* CurrentActor
    return actor._tag === "Guest" ? Option.none<Account>() : yield* store.find(actor.accountId)
  })

  /**
   * Another's account: one's own always, any with ADMINISTRATOR, with
   * VIEW_ACCOUNTS those that are not administrators.
   */
  const view = Effect.fn("Accounts.view")(function* (id: AccountId) {
    const actor = yield* CurrentAccount
    const account = yield* get(id)
    if (account.id === actor.accountId || actor.permissions.has("ADMINISTRATOR")) return account
    if (!holds(actor, "VIEW_ACCOUNTS")) {
      return yield* new Forbidden({ metadata: { permission: "VIEW_ACCOUNTS" } })
    }
    if (isAdministrator(account)) return yield* new AdministratorHidden()
    return account
  })

  /** Handles that were given before a rule existed stay, also when a client sends them again. */
  const checkNewHandle = (id: AccountId, handle: string) =>
    Effect.catchTag(checkHandle(handle), "HandleInvalid", (problem) =>
      Effect.flatMap(getOwn(id), (own) => (own.handle === handle ? Effect.void : Effect.fail(problem)))
    )

  const decideChanges = Effect.fnUntraced(function* (id: AccountId, input: AccountChanges) {
    const { bio, handle, signature, ...rest } = input
    const changes: { -readonly [K in keyof ProfileChanges]: ProfileChanges[K] } = { ...rest }
    if (handle !== undefined) {
      changes.handle = normaliseHandle(handle)
      yield* checkNewHandle(id, changes.handle)
    }
    if (bio !== undefined) changes.bio = (yield* read("bio", bio)).document
    if (signature !== undefined) {
      const reading = yield* read("signature", signature)
      yield* checkSignature(reading, (yield* settings.moderation).signature_length_max)
      changes.signature = reading.document
    }
    return changes
  })

  const updateOwn = Effect.fn("Accounts.updateOwn")(function* (input: AccountChanges) {
    const { accountId } = yield* CurrentAccount
    const changes = yield* decideChanges(accountId, input)
    const at = yield* DateTime.now
    yield* transaction(
      Effect.andThen(
        store.update(accountId, changes, at),
        events.append(accountId, { _tag: "AccountUpdated", id: accountId })
      )
    )
    return yield* getOwn(accountId)
  })

  return { own, findOwn, view, updateOwn } as const
})

export class Accounts extends Context.Service<Accounts, Effect.Success<typeof make>>()(
  "forum/domain/Accounts"
) {
  static readonly layer = Layer.effect(Accounts, make).pipe(Layer.provide(InstanceSettings.layer))
}
