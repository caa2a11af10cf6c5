import { Effect } from "effect"
import { AccountNotFound } from "../../src/domain/account/Account.ts"
import { RoleNotFound } from "../../src/domain/role/Role.ts"
import {
  AdminPermissionsFixed,
  GuestPermissionsLimited,
  LastAdministrator,
  OwnAdminRole,
  RoleAlreadyHeld,
  RoleNameTaken,
  RoleNotAssignable,
  RoleNotChanged,
  RoleOrderInvalid,
  RoleUnknown
} from "../../src/domain/role/RoleRefusal.ts"
import { Forbidden } from "../../src/domain/shared/Actor.ts"
import { ok } from "../support/answers.ts"
import { Cast, grant, guest, nobody, signUp } from "../support/people.ts"
import { admin, guestRole, member } from "../support/roles.ts"
import type { Scenarios } from "../support/scenarios.ts"

export const scenarios: Scenarios = Effect.gen(function* () {
  const { freya, loki, odin, tyr } = yield* Cast
  const vali = yield* signUp("vali")
  const bearsAll = yield* grant(vali, "ADMINISTRATOR")
  const ofTyr = ok(yield* tyr.get("/accounts")).roles[0].id
  const fields = { name: "Editor", colour: "", permissions: ["MANAGE_POSTS"] }
  const { id: one } = ok(yield* odin.post("/roles", { ...fields, name: "One" }))
  const { id: two } = ok(yield* odin.post("/roles", { ...fields, name: "Two" }))
  const { id: doomed } = ok(yield* odin.post("/roles", { ...fields, name: "Doomed" }))
  const order = [one, two, doomed, ofTyr, bearsAll]
  const path = `/accounts/freya/roles/${one}`
  return [
    { operation: "RoleList", call: odin.get("/roles"), expects: 200, statements: 1 },
    { operation: "RoleList", when: "by a guest", call: guest.get("/roles"), expects: 200, statements: 1 },
    { operation: "RoleGet", call: odin.get(`/roles/${member.id}`), expects: 200, statements: 1 },
    { operation: "RoleGet", when: "unknown", call: guest.get(`/roles/${nobody}`), expects: RoleNotFound },
    {
      operation: "RoleUpdateOrder",
      call: odin.patch("/roles/order", { role_ids: order }),
      expects: 200,
      statements: 7
    },
    {
      operation: "RoleUpdateOrder",
      when: "without one",
      call: odin.patch("/roles/order", { role_ids: order.slice(1) }),
      expects: RoleOrderInvalid,
      statements: 4
    },
    {
      operation: "RoleUpdate",
      call: odin.patch(`/roles/${two}`, { colour: "red", meta: { a: [1] } }),
      expects: 200,
      statements: 6
    },
    {
      operation: "RoleUpdate",
      when: "without a change",
      call: odin.patch(`/roles/${two}`, {}),
      expects: 200,
      statements: 4
    },
    {
      operation: "RoleUpdate",
      when: "unknown",
      call: odin.patch(`/roles/${nobody}`, {}),
      expects: RoleNotFound
    },
    {
      operation: "RoleUpdate",
      when: "to a name that is taken",
      call: odin.patch(`/roles/${two}`, { name: "One" }),
      expects: RoleNameTaken
    },
    {
      operation: "RoleUpdate",
      when: "of what administrators may do",
      call: odin.patch(`/roles/${admin.id}`, { permissions: ["ADMINISTRATOR"] }),
      expects: AdminPermissionsFixed
    },
    {
      operation: "RoleUpdate",
      when: "that lets guests write",
      call: odin.patch(`/roles/${guestRole.id}`, { permissions: ["CREATE_POST"] }),
      expects: GuestPermissionsLimited
    },
    { operation: "AccountAddRole", call: odin.put(path), expects: 200, statements: 10 },
    { operation: "AccountAddRole", when: "again", call: odin.put(path), expects: RoleAlreadyHeld },
    {
      operation: "AccountAddRole",
      when: "to nobody",
      call: odin.put(`/accounts/nobody/roles/${one}`),
      expects: AccountNotFound
    },
    {
      operation: "AccountAddRole",
      when: "of no role",
      call: odin.put(`/accounts/freya/roles/${nobody}`),
      expects: RoleUnknown
    },
    {
      operation: "AccountAddRole",
      when: "with an id of another form",
      call: odin.put("/accounts/freya/roles/editor"),
      expects: RoleNotFound
    },
    {
      operation: "AccountAddRole",
      when: "that everyone holds",
      call: odin.put(`/accounts/freya/roles/${member.id}`),
      expects: RoleNotAssignable
    },
    {
      operation: "AccountAddRole",
      when: "of administrators to oneself",
      call: odin.put(`/accounts/odin/roles/${admin.id}`),
      expects: OwnAdminRole
    },
    {
      operation: "AccountAddRole",
      when: "without the permission",
      call: tyr.put(`/accounts/tyr/roles/${one}`),
      expects: Forbidden
    },
    {
      operation: "AccountAddRole",
      when: "of administrators",
      call: odin.put(`/accounts/loki/roles/${admin.id}`),
      expects: 200,
      statements: 10
    },
    {
      operation: "AccountRemoveRole",
      when: "of administrators",
      call: odin.delete(`/accounts/loki/roles/${admin.id}`),
      expects: 200,
      statements: 11
    },
    {
      operation: "AccountRemoveRole",
      when: "of the last administrator",
      call: vali.delete(`/accounts/odin/roles/${admin.id}`),
      expects: LastAdministrator
    },
    { operation: "AccountRoleSetBadge", call: freya.put(`${path}/badge`), expects: 200, statements: 9 },
    {
      operation: "AccountRoleSetBadge",
      when: "by another",
      call: loki.put(`${path}/badge`),
      expects: Forbidden
    },
    { operation: "AccountRoleRemoveBadge", call: odin.delete(`${path}/badge`), expects: 200, statements: 9 },
    {
      operation: "AccountRoleRemoveBadge",
      when: "without a badge",
      call: freya.delete(`${path}/badge`),
      expects: 200,
      statements: 8
    },
    { operation: "AccountRemoveRole", call: odin.delete(path), expects: 200, statements: 10 },
    { operation: "AccountRemoveRole", when: "again", call: odin.delete(path), expects: 200, statements: 9 },
    { operation: "RoleDelete", call: odin.delete(`/roles/${doomed}`), expects: 200, statements: 7 },
    { operation: "RoleDelete", when: "again", call: odin.delete(`/roles/${doomed}`), expects: RoleNotFound },
    {
      operation: "RoleDelete",
      when: "that is built in and unchanged",
      call: odin.delete(`/roles/${member.id}`),
      expects: RoleNotChanged
    },
    { operation: "RoleCreate", call: odin.post("/roles", fields), expects: 200, statements: 6 },
    {
      operation: "RoleCreate",
      when: "with a name that is taken",
      call: odin.post("/roles", fields),
      expects: RoleNameTaken
    }
  ]
})
