/** What staff do with accounts: list them, make them, change them. */
import { Context, DateTime, Effect, Layer, Option } from "effect"
import { EventLog } from "../event/EventLog.ts"
import { builtIn } from "../role/Role.ts"
import { makeRoleChanges } from "../role/RoleChanges.ts"
import type { RolesState } from "../role/RoleRules.ts"
import { InstanceSettings } from "../settings/InstanceSettings.ts"
import { type AccountActor, CurrentAccount, checkPermission } from "../shared/Actor.ts"
import { AccountId, EmailAddressId } from "../shared/Id.ts"
import { Ids } from "../shared/Ids.ts"
import { listEnvelope } from "../shared/ListPlace.ts"
import { Transaction } from "../storage/Transaction.ts"
import { type Account, AccountNotFound } from "./Account.ts"
import { makeAccountEdits } from "./AccountEdits.ts"
import type { AccountListResult } from "./AccountList.ts"
import { pageSize } from "./AccountListing.ts"
import { type AccountListFilter, AccountListStore } from "./AccountListStore.ts"
import { checkStaffTarget } from "./AccountRules.ts"
import { AccountStore, type ProfileChanges } from "./AccountStore.ts"
import { makeAdminRole } from "./AdminRole.ts"
import { EmailAddressStore } from "./EmailAddressStore.ts"
import { normaliseHandle } from "./Handle.ts"
import type { ManagedChanges, ManagedNewAccount } from "./ManagedAccount.ts"

const withStatus = (changes: ProfileChanges, status: Account["verified_status"] | undefined) =>
  status === undefined ? changes : { ...changes, verifiedStatus: status }

const make = Effect.gen(function* () {
  const store = yield* AccountStore
  const lists = yield* AccountListStore
  const emails = yield* EmailAddressStore
  const events = yield* EventLog
  const ids = yield* Ids
  const transaction = yield* Transaction
  const edits = yield* makeAccountEdits
  const adminRole = yield* makeAdminRole
  const asRoleChange = yield* makeRoleChanges

  const list = Effect.fn("AccountAdministration.list")(function* (filter: AccountListFilter) {
    const { accounts, ...extent } = yield* lists.list(filter)
    return {
      ...listEnvelope({ ...extent, place: filter.place, size: pageSize, results: accounts.length }),
      accounts
    } satisfies AccountListResult
  })

  const get = Effect.fnUntraced(function* (id: AccountId) {
    const found = yield* store.find(id)
    if (Option.isNone(found)) return yield* new AccountNotFound({ metadata: { account: id } })
    return found.value
  })

  /** An account that the caller may change. Only administrators change accounts of administrators. */
  const getManaged = Effect.fnUntraced(function* (actor: AccountActor, id: AccountId) {
    const account = yield* get(id)
    yield* checkStaffTarget(actor, account)
    return account
  })

  /** Writes that make an administrator wait for others that change who is one, and for whether the caller still is. */
  const asAdministrator = <A, E, R>(writes: Effect.Effect<A, E, R>) =>
    asRoleChange(({ actor }) => Effect.andThen(checkPermission(actor, "ADMINISTRATOR"), writes))

  /** An account that nobody can sign in to until it is given a way to; whoever may register. Nothing of it stays if its email address belongs to another one. */
  const create = Effect.fn("AccountAdministration.create")(function* (input: ManagedNewAccount) {
    const actor = yield* CurrentAccount
    const { admin = false, email_address: address, handle, verified_status, ...profile } = input
    if (admin) yield* checkPermission(actor, "ADMINISTRATOR")
    const { handle: _, ...changes } = yield* edits.decide({ ...profile, handle }, Effect.undefined)
    const id = AccountId.make(yield* ids.next)
    const emailId = EmailAddressId.make(yield* ids.next)
    const at = yield* DateTime.now
    const writes = Effect.gen(function* () {
      yield* store.insert({ id, handle: normaliseHandle(handle), at, invitationId: undefined })
      if (admin) yield* adminRole.give(id)
      yield* store.update(id, withStatus(changes, verified_status), at)
      if (address !== undefined) {
        yield* emails.insert({ id: emailId, accountId: id, address, verified: false }, at)
      }
      yield* events.append(
        actor.accountId,
        { _tag: "AccountCreated", id },
        ...(admin ? [{ _tag: "RoleAssigned" as const, id: builtIn.admin, account_id: id }] : [])
      )
    }).pipe(
      // It has no invitation, and no other address.
      Effect.catchTags({ InvitationGone: Effect.die, TooManyEmailAddresses: Effect.die })
    )
    yield* admin ? asAdministrator(writes) : transaction(writes)
    // Accounts stay.
    return yield* Effect.catchTag(get(id), "AccountNotFound", Effect.die)
  })

  /** Changes an account. It is decided once nobody else changes who is an administrator, as that may have changed. */
  const update = Effect.fn("AccountAdministration.update")(function* (id: AccountId, input: ManagedChanges) {
    const actor = yield* CurrentAccount
    const { admin, verified_status, ...profile } = input
    const needed = admin === undefined ? "MANAGE_ACCOUNTS" : "ADMINISTRATOR"
    yield* checkPermission(actor, needed)
    const { handle } = yield* getManaged(actor, id)
    const changes = withStatus(yield* edits.decide(profile, Effect.succeed(handle)), verified_status)
    const change = Effect.fnUntraced(function* (state: RolesState) {
      yield* checkPermission(state.actor, needed)
      const account = yield* getManaged(state.actor, id)
      const assignments = yield* adminRole.set(state, account, admin)
      if (Object.keys(changes).length === 0 && assignments.length === 0) return
      yield* store.update(id, changes, yield* DateTime.now)
      yield* events.append(actor.accountId, { _tag: "AccountUpdated", id }, ...assignments)
    })
    yield* asRoleChange(change)
    return yield* get(id)
  })

  return { list, create, update } as const
})

export class AccountAdministration extends Context.Service<
  AccountAdministration,
  Effect.Success<typeof make>
>()("forum/domain/AccountAdministration") {
  static readonly layer = Layer.effect(AccountAdministration, make).pipe(
    Layer.provide(InstanceSettings.layer)
  )
}
