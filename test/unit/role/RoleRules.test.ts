import { Result } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { builtIn, type Role, RoleTimestamp, rolesMax } from "../../../src/domain/role/Role.ts"
import { adminRole, editorRole, guestRole, memberRole } from "../../../src/domain/role/RoleExamples.ts"
import {
  decideAssignment,
  decideChange,
  decideCreation,
  decideOrder,
  decideRemoval,
  heldThroughout
} from "../../../src/domain/role/RoleRules.ts"
import type { AccountActor } from "../../../src/domain/shared/Actor.ts"
import { AccountId, RoleId } from "../../../src/domain/shared/Id.ts"
import { Permission } from "../../../src/domain/shared/Permission.ts"

const roleWith = (id: string, permissions: ReadonlyArray<Permission>, more: Partial<Role> = {}): Role => ({
  ...editorRole,
  id: RoleId.make(id),
  createdAt: RoleTimestamp.make(editorRole.createdAt),
  updatedAt: RoleTimestamp.make(editorRole.updatedAt),
  permissions,
  ...more
})

const asBuiltIn = ({ id, permissions }: typeof adminRole | typeof memberRole | typeof guestRole) =>
  roleWith(id, permissions, { default: true })

const [admin, member, guest] = [asBuiltIn(adminRole), asBuiltIn(memberRole), asBuiltIn(guestRole)]

const custom = (n: number, ...permissions: ReadonlyArray<Permission>) =>
  roleWith(`cust${String(n).padStart(16, "0")}`, permissions)

const me = AccountId.make("00000000000000000100")
const other = AccountId.make("00000000000000000110")

const holding = (...permissions: ReadonlyArray<Permission>): AccountActor => ({
  _tag: "Account",
  accountId: me,
  permissions: new Set(permissions),
  suspended: false,
  credential: "cookie"
})

const manager = holding("MANAGE_ROLES")
const administrator = holding("ADMINISTRATOR")

/** The tag of the failure, or nothing. */
const refusal = (result: Result.Result<unknown, { readonly _tag: string }>) =>
  Result.match(result, { onSuccess: () => undefined, onFailure: ({ _tag }) => _tag })

const anyPermissions = fc.subarray([...Permission.literals])

describe("what a caller may do in its turn", () => {
  it.each<
    readonly [
      before: ReadonlyArray<Permission>,
      now: ReadonlyArray<Permission>,
      turn: ReadonlyArray<Permission>
    ]
  >([
    [["MANAGE_ROLES"], ["MANAGE_ROLES"], ["MANAGE_ROLES"]],
    [["MANAGE_ROLES", "CREATE_POST"], ["CREATE_POST"], ["CREATE_POST"]],
    [["MANAGE_ROLES"], [], []],
    [["ADMINISTRATOR"], ["MANAGE_ROLES"], ["MANAGE_ROLES"]],
    [["ADMINISTRATOR"], ["ADMINISTRATOR"], ["ADMINISTRATOR"]],
    // A credential may carry less than its account holds.
    [["MANAGE_ROLES"], ["ADMINISTRATOR"], ["MANAGE_ROLES"]],
    [["MANAGE_ROLES"], ["MANAGE_ROLES", "VIEW_ACCOUNTS"], ["MANAGE_ROLES"]]
  ])("with %j at the request and %j now is %j", (before, now, turn) => {
    expect([...heldThroughout(holding(...before), new Set(now))]).toEqual(turn)
  })
})

describe("a caller", () => {
  const given = (
    held: ReadonlyArray<Permission>,
    before: ReadonlyArray<Permission>,
    after: ReadonlyArray<Permission>
  ) =>
    held.includes("ADMINISTRATOR") ||
    (held.includes("MANAGE_ROLES") &&
      !before.includes("ADMINISTRATOR") &&
      after.every((one) => held.includes(one) || before.includes(one)))

  it("gives what it holds and nothing else, however it does so", () => {
    fc.assert(
      fc.property(anyPermissions, anyPermissions, anyPermissions, (held, before, after) => {
        const actor = holding(...held)
        const role = custom(1, ...before)
        const creation = decideCreation({ actor, roles: [] }, { name: "x", colour: "", permissions: after })
        expect(refusal(creation) === undefined).toBe(given(held, [], after))
        const change = decideChange(actor, role, { permissions: after })
        expect(refusal(change) === undefined).toBe(given(held, before, after))
        const state = { actor, roles: [role] }
        const assignment = decideAssignment(state, { account: other, roleId: role.id, gives: true })
        expect(refusal(assignment) === undefined).toBe(given(held, [], before) && given(held, before, before))
        const removal = decideAssignment(state, { account: other, roleId: role.id, gives: false })
        expect(refusal(removal) === undefined).toBe(given(held, before, before))
        expect(refusal(decideRemoval(actor, role)) === undefined).toBe(given(held, before, []))
      })
    )
  })

  it("gives all of a built-in role that it resets", () => {
    const emptied = { ...member, permissions: [], updatedAt: RoleTimestamp.make("2026-11-22T00:00:00.000Z") }
    expect(refusal(decideRemoval(manager, emptied))).toBe("Forbidden")
    const reset = decideRemoval(holding("MANAGE_ROLES", ...memberRole.permissions), emptied)
    expect(Result.getOrThrow(reset)).toEqual({
      name: "Member",
      colour: "green",
      permissions: memberRole.permissions,
      meta: {}
    })
    expect(refusal(decideRemoval(administrator, member))).toBe("RoleNotChanged")
  })
})

describe("a change", () => {
  it.each([
    ["the name of Admin", admin, { name: "x" }, administrator, undefined],
    [
      "the permissions of Admin",
      admin,
      { permissions: adminRole.permissions },
      administrator,
      "AdminPermissionsFixed"
    ],
    ["the name of Admin by a manager", admin, { name: "x" }, manager, "Forbidden"],
    ["Guest to fewer permissions", guest, { permissions: ["READ_PROFILE"] }, manager, undefined],
    ["Guest to no permissions", guest, { permissions: [] }, manager, undefined],
    ["Guest to write", guest, { permissions: ["CREATE_POST"] }, administrator, "GuestPermissionsLimited"],
    [
      "Guest to everything",
      guest,
      { permissions: ["ADMINISTRATOR"] },
      administrator,
      "GuestPermissionsLimited"
    ],
    ["Member to everything", member, { permissions: ["ADMINISTRATOR"] }, administrator, undefined]
  ] as const)("of %s", (_what, role, changes, actor, expected) => {
    expect(refusal(decideChange(actor, role, changes))).toBe(expected)
  })

  it("keeps what it does not name, and each permission once", () => {
    const role = custom(1, "CREATE_POST")
    const { name, colour, meta } = role
    expect(Result.getOrThrow(decideChange(manager, role, {}))).toEqual({
      name,
      colour,
      meta,
      permissions: ["CREATE_POST"]
    })
    const twice = decideChange(manager, role, { permissions: ["MANAGE_ROLES", "MANAGE_ROLES"] })
    expect(Result.getOrThrow(twice).permissions).toEqual(["MANAGE_ROLES"])
  })
})

describe("a new role", () => {
  it("finds room as long as there are fewer than there may be", () => {
    const roles = [admin, ...Array.from({ length: rolesMax }, (_, n) => custom(n)), member, guest]
    const input = { name: "x", colour: "", permissions: [] }
    expect(refusal(decideCreation({ actor: manager, roles }, input))).toBe("RolesFull")
    expect(refusal(decideCreation({ actor: manager, roles: roles.slice(2) }, input))).toBe(undefined)
  })
})

describe("an order", () => {
  const roles = [admin, custom(2), custom(1), member, guest]
  const ids = (...numbers: ReadonlyArray<number>) => numbers.map((n) => custom(n).id)

  it.each([
    [ids(1, 2), undefined],
    [ids(2, 1), undefined],
    [ids(1), "missing"],
    [[], "missing"],
    [ids(1, 2, 1), "duplicate"],
    [ids(1, 2, 3), "unknown"],
    [[builtIn.admin, ...ids(1, 2)], "built-in"],
    [[...ids(1, 2), builtIn.guest], "built-in"]
  ])("%j: %s", (order, rule) => {
    const decision = decideOrder({ actor: manager, roles }, order)
    expect(
      Result.match(decision, {
        onSuccess: () => undefined,
        onFailure: (problem) => (problem._tag === "RoleOrderInvalid" ? problem.metadata.rule : problem._tag)
      })
    ).toBe(rule)
  })
})

describe("an assignment", () => {
  const roles = [admin, custom(1), member, guest]

  it.each([
    ["Member", builtIn.member, other, administrator, "RoleNotAssignable"],
    ["Guest", builtIn.guest, me, administrator, "RoleNotAssignable"],
    ["Admin to oneself", builtIn.admin, me, administrator, "OwnAdminRole"],
    ["Admin to oneself, by a manager", builtIn.admin, me, manager, "OwnAdminRole"],
    ["Admin", builtIn.admin, other, administrator, undefined],
    ["Admin, by a manager", builtIn.admin, other, manager, "Forbidden"],
    ["a role to oneself", custom(1).id, me, manager, undefined],
    ["no role", custom(2).id, other, manager, undefined],
    ["a role, by a member", custom(1).id, other, holding("CREATE_POST"), "Forbidden"]
  ])("of %s", (_what, roleId, account, actor, expected) => {
    for (const gives of [true, false]) {
      expect(refusal(decideAssignment({ actor, roles }, { account, roleId, gives }))).toBe(expected)
    }
  })
})
