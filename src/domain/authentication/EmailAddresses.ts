/** What people do with the email addresses of their accounts, and staff with those of others. */
import { Context, DateTime, Effect, Layer, Option } from "effect"
import { EmailAddressNotFound, EmailAddressTaken } from "../account/Email.ts"
import { EmailAddressStore, type StoredEmailAddress } from "../account/EmailAddressStore.ts"
import { makeSignInChanges } from "../account/SignInAuthority.ts"
import { EventLog } from "../event/EventLog.ts"
import { InstanceSettings } from "../settings/InstanceSettings.ts"
import { CurrentAccount, Unauthenticated } from "../shared/Actor.ts"
import type { ClientNetwork } from "../shared/Client.ts"
import { type AccountId, EmailAddressId } from "../shared/Id.ts"
import { Ids } from "../shared/Ids.ts"
import { Transaction } from "../storage/Transaction.ts"
import { AttemptLimit } from "./AttemptLimit.ts"
import { EmailCodes } from "./EmailCodes.ts"

const shown = ({ address, id, verified }: StoredEmailAddress) => ({ id, email_address: address, verified })

const make = Effect.gen(function* () {
  const store = yield* EmailAddressStore
  const codes = yield* EmailCodes
  const ids = yield* Ids
  const events = yield* EventLog
  const transaction = yield* Transaction
  const asSignInChange = yield* makeSignInChanges

  const insert = Effect.fnUntraced(function* (accountId: AccountId, address: string) {
    const at = yield* DateTime.now
    const id = EmailAddressId.make(yield* ids.next)
    const added = { id, accountId, address, verified: false }
    yield* store.insert(added, at)
    yield* store.updateVerification(accountId, at)
    yield* events.append(
      accountId,
      { _tag: "EmailAddressAdded", account_id: accountId, email_address_id: id },
      { _tag: "AccountUpdated", id: accountId }
    )
    return added
  })

  /** Adds an address to the caller's account and sends it a code. One that is there already is sent one, too. */
  const add = Effect.fn("EmailAddresses.add")(function* (address: string, network: ClientNetwork) {
    const { accountId } = yield* CurrentAccount
    return yield* transaction(
      Effect.gen(function* () {
        const owner = yield* store.findOwnerForUpdate(accountId)
        if (Option.isNone(owner)) return yield* new Unauthenticated()
        const known = Option.getOrUndefined(yield* store.findByAddress(address))
        if (known !== undefined && known.accountId !== accountId) {
          return yield* new EmailAddressTaken({ metadata: { email_address: address } })
        }
        const stored = known ?? (yield* insert(accountId, address))
        // Whoever has a session is no stranger, wherever they are.
        yield* codes.send(stored, owner.value, { network, isKnown: true })
        return shown(stored)
      })
    )
  })

  /** Removes an address of the caller's account. One that it does not have is none. */
  const remove = Effect.fn("EmailAddresses.remove")(function* (id: EmailAddressId) {
    const { accountId } = yield* CurrentAccount
    yield* transaction(
      Effect.gen(function* () {
        yield* store.findOwnerForUpdate(accountId)
        if (!(yield* store.remove(accountId, id))) return
        yield* store.updateVerification(accountId, yield* DateTime.now)
        yield* events.append(
          accountId,
          { _tag: "EmailAddressRemoved", account_id: accountId, email_address_id: id },
          { _tag: "AccountUpdated", id: accountId }
        )
      })
    )
  })

  /** Says for staff whether an address counts as confirmed. */
  const setVerified = Effect.fn("EmailAddresses.setVerified")(function* (
    target: AccountId,
    mark: string,
    verified: boolean
  ) {
    const { accountId: staff } = yield* CurrentAccount
    return yield* asSignInChange(target, ({ id: accountId }) =>
      Effect.gen(function* () {
        yield* store.findOwnerForUpdate(accountId)
        const found = yield* store.findOf(accountId, mark)
        if (Option.isNone(found)) {
          return yield* new EmailAddressNotFound({ metadata: { email_address: mark } })
        }
        const { id } = found.value
        yield* store.setVerified(id, verified)
        yield* store.updateVerification(accountId, yield* DateTime.now)
        yield* events.append(
          staff,
          { _tag: "EmailAddressVerified", account_id: accountId, email_address_id: id, verified },
          { _tag: "AccountUpdated", id: accountId }
        )
        return shown({ ...found.value, verified })
      })
    )
  })

  return { add, remove, setVerified } as const
})

export class EmailAddresses extends Context.Service<EmailAddresses, Effect.Success<typeof make>>()(
  "forum/domain/EmailAddresses"
) {
  static readonly layer = Layer.effect(EmailAddresses, make).pipe(
    Layer.provide(Layer.mergeAll(EmailCodes.layer, InstanceSettings.layer, AttemptLimit.layer))
  )
}
