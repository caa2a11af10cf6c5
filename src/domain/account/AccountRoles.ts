/** Who holds which roles, and which of them an account shows as its badge. */
import { Context, Effect, Layer, Option } from "effect"
import { EventLog } from "../event/EventLog.ts"
import { builtIn } from "../role/Role.ts"
import { makeRoleChanges } from "../role/RoleChanges.ts"
import { RoleAlreadyHeld, RoleUnknown } from "../role/RoleRefusal.ts"
import { decideAssignment, type RolesState } from "../role/RoleRules.ts"
import { RoleStore } from "../role/RoleStore.ts"
import { parseRoleId } from "../role/Roles.ts"
import { CurrentAccount, checkPermission } from "../shared/Actor.ts"
import type { AccountId, RoleId } from "../shared/Id.ts"
import { Transaction } from "../storage/Transaction.ts"
import { type Account, AccountNotFound } from "./Account.ts"
import { AccountStore } from "./AccountStore.ts"
import { makeAdminRole } from "./AdminRole.ts"

const notFound = (account: string) => new AccountNotFound({ metadata: { account } })

const make = Effect.gen(function* () {
  const store = yield* RoleStore
  const accounts = yield* AccountStore
  const events = yield* EventLog
  const transaction = yield* Transaction
  const asRoleChange = yield* makeRoleChanges
  const adminRole = yield* makeAdminRole

  const findTarget = Effect.fnUntraced(function* (handle: string) {
    const found = yield* accounts.findIdByHandleOrId(handle)
    return Option.isNone(found) ? yield* notFound(handle) : found.value
  })

  /** The account as it is once a change of it has been kept. */
  const changed = Effect.fnUntraced(function* (id: AccountId) {
    const found: Option.Option<Account> = yield* accounts.find(id)
    return Option.isNone(found) ? yield* notFound(id) : found.value
  })

  const take = (account: AccountId, role: RoleId) =>
    role === builtIn.admin ? adminRole.take(account) : store.unassign(account, role)

  const give = (account: AccountId, role: RoleId) =>
    role === builtIn.admin ? adminRole.give(account) : store.assign(account, role)

  /** Gives an account a role. */
  const add = Effect.fn("AccountRoles.add")(function* (handle: string, role: string) {
    const account = yield* findTarget(handle)
    const roleId = yield* parseRoleId(role)
    const adding = Effect.fnUntraced(function* (state: RolesState) {
      const role = yield* Effect.fromResult(decideAssignment(state, { account, roleId, gives: true }))
      if (role === undefined) return yield* new RoleUnknown({ metadata: { role_id: roleId } })
      const given = yield* give(account, roleId)
      if (!given) return yield* new RoleAlreadyHeld({ metadata: { role_id: roleId } })
      yield* events.append(
        state.actor.accountId,
        { _tag: "RoleAssigned", id: roleId, account_id: account },
        { _tag: "AccountUpdated", id: account }
      )
    })
    yield* asRoleChange(adding)
    return yield* changed(account)
  })

  /** Takes a role from an account. One that the account does not hold is taken already. */
  const remove = Effect.fn("AccountRoles.remove")(function* (handle: string, role: string) {
    const account = yield* findTarget(handle)
    const roleId = yield* parseRoleId(role)
    const removal = Effect.fnUntraced(function* (state: RolesState) {
      yield* Effect.fromResult(decideAssignment(state, { account, roleId, gives: false }))
      const taken = yield* take(account, roleId)
      if (!taken) return
      yield* events.append(
        state.actor.accountId,
        { _tag: "RoleUnassigned", id: roleId, account_id: account },
        { _tag: "AccountUpdated", id: account }
      )
    })
    yield* asRoleChange(removal)
    return yield* changed(account)
  })

  const changeBadge = Effect.fnUntraced(function* (handle: string, roleId: RoleId | undefined) {
    const actor = yield* CurrentAccount
    const account = yield* findTarget(handle)
    if (account !== actor.accountId) yield* checkPermission(actor, "MANAGE_ROLES")
    const writing = Effect.gen(function* () {
      if (!(yield* store.setBadge(account, roleId))) return
      yield* events.append(actor.accountId, { _tag: "AccountUpdated", id: account })
    })
    yield* transaction(writing)
    return yield* changed(account)
  })

  /** Makes a role the badge of an account. One that is not assigned to it takes the badge away. */
  const setBadge = Effect.fn("AccountRoles.setBadge")(function* (handle: string, role: string) {
    return yield* changeBadge(handle, yield* parseRoleId(role))
  })

  /** Takes the badge away, whichever role it is. */
  const removeBadge = Effect.fn("AccountRoles.removeBadge")(function* (handle: string, role: string) {
    yield* parseRoleId(role)
    return yield* changeBadge(handle, undefined)
  })

  return { add, remove, setBadge, removeBadge } as const
})

export class AccountRoles extends Context.Service<AccountRoles, Effect.Success<typeof make>>()(
  "forum/domain/AccountRoles"
) {
  static readonly layer = Layer.effect(AccountRoles, make)
}
