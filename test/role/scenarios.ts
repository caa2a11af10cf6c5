import { Effect } from "effect"
import { RoleNotFound } from "../../src/domain/role/Role.ts"
import { Cast, guest, nobody } from "../support/people.ts"
import { member } from "../support/roles.ts"
import type { Scenarios } from "../support/scenarios.ts"

export const scenarios: Scenarios = Effect.gen(function* () {
  const { odin } = yield* Cast
  return [
    { operation: "RoleList", call: odin.get("/roles"), expects: 200, statements: 1 },
    { operation: "RoleList", when: "by a guest", call: guest.get("/roles"), expects: 200, statements: 1 },
    { operation: "RoleGet", call: odin.get(`/roles/${member.id}`), expects: 200, statements: 1 },
    { operation: "RoleGet", when: "unknown", call: guest.get(`/roles/${nobody}`), expects: RoleNotFound }
  ]
})
