/** Callers, for tests of rules. */
import type { Actor } from "../../src/domain/shared/Actor.ts"
import type { AccountId } from "../../src/domain/shared/Id.ts"
import type { Permission } from "../../src/domain/shared/Permission.ts"

/** Somebody with these permissions, who is not suspended. */
export const account = (accountId: AccountId, ...permissions: ReadonlyArray<Permission>): Actor => ({
  _tag: "Account",
  accountId,
  permissions: new Set(permissions),
  suspended: false,
  credential: "cookie"
})
