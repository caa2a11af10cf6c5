import { Result } from "effect"
import { describe, expect, it } from "vitest"
import { decideSignInAuthority } from "../../../src/domain/account/AccountRules.ts"
import type { Permission } from "../../../src/domain/shared/Permission.ts"

const missing = (caller: ReadonlyArray<Permission>, account: ReadonlyArray<Permission>) => {
  const decision = decideSignInAuthority({ permissions: new Set(caller) }, account)
  return Result.isFailure(decision) ? decision.failure.metadata.permission : undefined
}

describe("decideSignInAuthority", () => {
  it.each<[ReadonlyArray<Permission>, ReadonlyArray<Permission>, Permission | undefined]>([
    [["MANAGE_ACCOUNTS"], [], undefined],
    [["MANAGE_ACCOUNTS", "CREATE_POST"], ["CREATE_POST"], undefined],
    [["MANAGE_ACCOUNTS"], ["MANAGE_ACCOUNTS"], undefined],
    [["MANAGE_ACCOUNTS"], ["CREATE_POST"], "CREATE_POST"],
    [["MANAGE_ACCOUNTS"], ["MANAGE_ACCOUNTS", "MANAGE_ROLES"], "MANAGE_ROLES"],
    [["MANAGE_ACCOUNTS"], ["ADMINISTRATOR"], "ADMINISTRATOR"],
    [["MANAGE_ACCOUNTS", "MANAGE_ROLES", "MANAGE_SETTINGS"], ["ADMINISTRATOR"], "ADMINISTRATOR"],
    [["ADMINISTRATOR"], ["MANAGE_ROLES", "MANAGE_SETTINGS"], undefined],
    [["ADMINISTRATOR"], ["ADMINISTRATOR", "MANAGE_ROLES"], undefined]
  ])("of a caller with %j over an account with %j lacks %s", (caller, account, permission) => {
    expect(missing(caller, account)).toBe(permission)
  })
})
