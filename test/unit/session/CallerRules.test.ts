import { describe, expect, it } from "vitest"
import { scopesThatSuffice, withinToken } from "../../../src/domain/session/CallerRules.ts"
import type { AccountActor, Actor } from "../../../src/domain/shared/Actor.ts"
import { AccountId } from "../../../src/domain/shared/Id.ts"
import type { Permission } from "../../../src/domain/shared/Permission.ts"
import type { Scope } from "../../../src/domain/vocabulary/Scope.ts"

const holding = (...permissions: ReadonlyArray<Permission>): AccountActor => ({
  _tag: "Account",
  accountId: AccountId.make("00000000000000000000"),
  permissions: new Set(permissions),
  suspended: false,
  credential: "token"
})

const member = holding("CREATE_POST", "READ_PROFILE")
const administrator = holding("ADMINISTRATOR", "CREATE_POST")
const guest: Actor = { _tag: "Guest", permissions: new Set(["READ_PROFILE"]) }

describe("a caller with an access token", () => {
  it.each<readonly [string, Actor, ReadonlyArray<Scope>, ReadonlyArray<Permission>]>([
    ["what both have", member, ["openid", "CREATE_POST", "MANAGE_ROLES"], ["CREATE_POST"]],
    ["nothing without scopes", member, [], []],
    ["nothing by standard scopes", administrator, ["openid", "profile"], []],
    ["what the scopes of an administrator say", administrator, ["MANAGE_ROLES"], ["MANAGE_ROLES"]],
    ["everything by ADMINISTRATOR", administrator, ["ADMINISTRATOR"], ["ADMINISTRATOR"]],
    ["nothing by ADMINISTRATOR that is not held", member, ["ADMINISTRATOR"], []],
    ["what guests may do, if nobody is known by it", guest, ["MANAGE_ROLES"], ["READ_PROFILE"]]
  ])("may do %s", (_what, caller, scopes, permissions) => {
    expect([...withinToken(caller, scopes).permissions]).toEqual(permissions)
  })

  it("is the account, with what the token says, and its suspension", () => {
    const { permissions: _, ...known } = { ...member, suspended: true }
    const caller = withinToken({ ...member, suspended: true }, ["openid"])
    const { permissions: held } = member
    expect(caller).toEqual({ ...known, permissions: new Set(), scopes: new Set(["openid"]), held })
  })

  it("may do all that the account may where another credential counts, or there is no token", () => {
    for (const credential of ["cookie", "key"] as const) {
      const caller: Actor = { ...member, credential }
      expect(withinToken(caller, ["openid"])).toBe(caller)
      expect(withinToken(caller, undefined)).toBe(caller)
    }
  })
})

describe("the scopes that would suffice", () => {
  const read = ["openid", "READ_PROFILE"] as const

  it.each<readonly [string, Actor, Permission, ReadonlyArray<string> | undefined]>([
    [
      "one more, where the account holds it",
      withinToken(member, read),
      "CREATE_POST",
      [...read, "CREATE_POST"]
    ],
    ["one more, where it is implied", withinToken(administrator, []), "MANAGE_ROLES", ["MANAGE_ROLES"]],
    ["none, where the account does not hold it", withinToken(member, read), "MANAGE_ROLES", undefined],
    ["none, where they suffice already", withinToken(member, read), "READ_PROFILE", undefined],
    ["none without a token", member, "CREATE_POST", undefined],
    ["none for guests", guest, "CREATE_POST", undefined]
  ])("are %s", (_what, caller, permission, scopes) => {
    expect(scopesThatSuffice(caller, permission)).toEqual(scopes)
  })
})
