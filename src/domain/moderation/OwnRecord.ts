/** What staff keep on accounts is not for those whom it is about, whatever else they may do as staff. */
import { Effect } from "effect"
import { CurrentAccount, checkPermission, type Forbidden } from "../shared/Actor.ts"
import type { AccountId } from "../shared/Id.ts"

/** Fails where the account is the caller's own, unless an administrator asks, from whom nothing can be kept. */
export const checkNotOwn = (account: AccountId): Effect.Effect<void, Forbidden, CurrentAccount> =>
  Effect.flatMap(CurrentAccount, (actor) =>
    account === actor.accountId ? checkPermission(actor, "ADMINISTRATOR") : Effect.void
  )
