import { describe, expect, it } from "vitest"
import { Permission } from "../../../src/domain/shared/Permission.ts"
import { readScopes, scopes } from "../../../src/domain/vocabulary/Scope.ts"

describe("scopes", () => {
  it("are the four standard ones and then every permission", () => {
    expect(scopes).toEqual(["openid", "profile", "email", "offline_access", ...Permission.literals])
  })

  it.each([
    ["", []],
    ["openid", ["openid"]],
    ["openid CREATE_POST", ["openid", "CREATE_POST"]],
    [scopes.join(" "), scopes]
  ])("are read from %j", (text, expected) => {
    expect(readScopes(text)).toEqual(expected)
  })

  it.each([
    "nonsense",
    "openid nonsense",
    "OPENID",
    "create_post",
    " openid",
    "openid ",
    "openid  email",
    "openid\temail",
    "openid openid",
    "toString",
    "__proto__"
  ])("are not read from %j", (text) => {
    expect(readScopes(text)).toBeUndefined()
  })
})
