import { assert, describe, it } from "@effect/vitest"
import { decideRemoval, type StoredMethod } from "../../../src/domain/authentication/AuthMethodRules.ts"
import { type AuthService, servicesIn } from "../../../src/domain/authentication/AuthProvider.ts"
import { Timestamp } from "../../../src/domain/field/Resource.ts"

const method = (id: string, service: AuthService): StoredMethod => ({
  id,
  service,
  createdAt: Timestamp.make("1970-01-01T00:00:00.000Z"),
  name: id,
  identifier: id
})

const [password, passkey, other, code] = [
  method("password", "password"),
  method("passkey", "webauthn"),
  method("other", "webauthn"),
  method("code", "email_verify")
]

describe("the ways to sign in that are offered", () => {
  it.each([
    ["handle", ["password", "webauthn"]],
    ["phone", ["password", "webauthn", "phone_verify"]],
    ["email", ["password", "webauthn", "email_verify"]]
  ] as const)("in the mode %s", (mode, services) => {
    assert.deepStrictEqual([...servicesIn(mode)], [...services])
  })
})

describe("giving up a way to sign in", () => {
  const all = servicesIn("email")
  const withoutMail = servicesIn("handle")

  it.each([
    ["one of two", [password, passkey], all, "password", "Remove"],
    ["one of two of a kind", [passkey, other], all, "other", "Remove"],
    ["the last one", [password], all, "password", "Last"],
    ["one beside codes", [password, code], all, "password", "Remove"],
    ["one beside codes that are not offered", [password, code], withoutMail, "password", "Last"],
    ["codes that are not offered", [password, code], withoutMail, "code", "Remove"],
    ["the last one, which is not offered", [code], withoutMail, "code", "Last"],
    ["another's", [password, passkey], all, "other", "Unknown"],
    ["one of none", [], all, "password", "Unknown"]
  ] as const)("%s", (_, methods, offered, id, expected) => {
    assert.strictEqual(decideRemoval(methods, offered, id)._tag, expected)
  })
})
