import { Effect } from "effect"
import { AccessKeyNotFound } from "../../src/domain/accesskey/AccessKey.ts"
import { CookieRequired, Forbidden } from "../../src/domain/shared/Actor.ts"
import { createKey, permission, withKey } from "../support/keys.ts"
import { Cast, grant, nobody } from "../support/people.ts"
import type { Scenarios } from "../support/scenarios.ts"

export const scenarios: Scenarios = Effect.gen(function* () {
  const { freya, loki, odin } = yield* Cast
  yield* grant(freya, permission)
  const [one, two] = [yield* createKey(freya), yield* createKey(freya)]
  const program = yield* withKey(freya)
  const body = { name: "Backup", expires_at: "2027-01-01T00:00:00Z" }
  const path = `/auth/access-keys/${one.id}`
  return [
    { operation: "AccessKeyList", call: freya.get("/auth/access-keys"), expects: 200, statements: 2 },
    {
      operation: "AccessKeyList",
      when: "by a key",
      call: program.get("/auth/access-keys"),
      expects: 200,
      statements: 2
    },
    {
      operation: "AccessKeyList",
      when: "without the permission",
      call: loki.get("/auth/access-keys"),
      expects: Forbidden
    },
    { operation: "AdminAccessKeyList", call: odin.get("/admin/access-keys"), expects: 200, statements: 4 },
    {
      operation: "AdminAccessKeyList",
      when: "by a member",
      call: freya.get("/admin/access-keys"),
      expects: Forbidden
    },
    {
      operation: "AccessKeyCreate",
      when: "by a key",
      call: program.post("/auth/access-keys", body),
      expects: CookieRequired
    },
    { operation: "AccessKeyDelete", call: freya.delete(path), expects: 204, statements: 5 },
    { operation: "AccessKeyDelete", when: "again", call: freya.delete(path), expects: 204, statements: 4 },
    {
      operation: "AccessKeyDelete",
      when: "unknown",
      call: freya.delete(`/auth/access-keys/${nobody}`),
      expects: AccessKeyNotFound
    },
    {
      operation: "AdminAccessKeyDelete",
      call: odin.delete(`/admin/access-keys/${two.id}`),
      expects: 204,
      statements: 5
    },
    {
      operation: "AdminAccessKeyDelete",
      when: "unknown",
      call: odin.delete(`/admin/access-keys/${nobody}`),
      expects: AccessKeyNotFound
    },
    { operation: "AccessKeyCreate", call: freya.post("/auth/access-keys", body), expects: 200, statements: 5 }
  ]
})
