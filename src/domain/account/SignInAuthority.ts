/** Who may touch how somebody else signs in. */
import { Effect, Option } from "effect"
import { makeRoleChanges } from "../role/RoleChanges.ts"
import { checkPermission } from "../shared/Actor.ts"
import type { AccountId } from "../shared/Id.ts"
import { type Account, AccountNotFound } from "./Account.ts"
import { decideSignInAuthority } from "./AccountRules.ts"
import { AccountStore } from "./AccountStore.ts"

const permissionsOf = ({ roles }: Account) => new Set(roles.flatMap(({ permissions }) => permissions))

/**
 * Runs writes that touch how an account signs in, in one transaction. Whether the caller may is decided under the lock
 * of roles: before it was taken the caller may have lost a permission, or the account got one.
 */
export const makeSignInChanges = Effect.gen(function* () {
  const accounts = yield* AccountStore
  const asRoleChange = yield* makeRoleChanges

  return <A, E, R>(id: AccountId, write: (account: Account) => Effect.Effect<A, E, R>) =>
    asRoleChange(
      Effect.fnUntraced(function* ({ actor }) {
        yield* checkPermission(actor, "MANAGE_ACCOUNTS")
        const found = yield* accounts.find(id)
        if (Option.isNone(found)) return yield* new AccountNotFound({ metadata: { account: id } })
        yield* Effect.fromResult(decideSignInAuthority(actor, permissionsOf(found.value)))
        return yield* write(found.value)
      })
    )
})
