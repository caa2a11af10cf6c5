import { Effect } from "effect"
import { CurrentAccount } from "../shared/Actor.ts"
import { Transaction, WriteQueue } from "../storage/Transaction.ts"
import { heldThroughout, type RolesState } from "./RoleRules.ts"
import { RoleStore } from "./RoleStore.ts"

/** The queue in which all requests that change or assign roles wait for each other, whichever roles they change. */
const rolesQueue = "roles"

/**
 * Runs a change of roles, or of who holds them, in its turn. It is decided by what the caller may do then: another
 * change may have taken a permission from the caller since the request came in.
 */
export const makeRoleChanges = Effect.gen(function* () {
  const store = yield* RoleStore
  const transaction = yield* Transaction
  const queue = yield* WriteQueue

  return <A, E, R>(change: (state: RolesState) => Effect.Effect<A, E, R>) =>
    Effect.flatMap(CurrentAccount, (actor) =>
      queue(
        rolesQueue,
        transaction(
          Effect.flatMap(store.lock(actor.accountId), ({ permissions, roles }) =>
            change({ actor: { ...actor, permissions: heldThroughout(actor, permissions) }, roles })
          )
        )
      )
    )
})
