import { assert, describe, it } from "@effect/vitest"
import { Option } from "effect"
import { Cookies, HttpServerRequest, HttpServerResponse } from "effect/http"
import { findReturn, longestValue, returnCookie, withoutReturn } from "../../../src/http/page/ReturnCookie.ts"
import { deployment } from "../../support/TestApp.ts"

const secure = { ...deployment, publicUrl: new URL("https://forum.test") }

const setBy = (address: string, where = deployment) =>
  Cookies.toSetCookieHeaders(returnCookie(where, address)(HttpServerResponse.empty()).cookies)

const found = (cookie: string) =>
  Option.getOrUndefined(
    findReturn(HttpServerRequest.fromWeb(new Request("http://forum.test/login", { headers: { cookie } })))
  )

/** What a browser that was told to keep this address comes back with. */
const keptOf = (address: string) => found(`a=b; ${setBy(address)[0]?.split(";", 1)[0]}; c=d`)

describe("where the browser goes back to", () => {
  it("is kept for ten minutes, from scripts and other sites", () => {
    assert.deepStrictEqual(setBy("/oauth/consent?user_code=AAAA-BBBB"), [
      "forum-return=%2Foauth%2Fconsent%3Fuser_code%3DAAAA-BBBB; Max-Age=600; Path=/; HttpOnly; SameSite=Lax"
    ])
    assert.match(setBy("/", secure)[0] ?? "", /; Secure/)
    const [cleared] = Cookies.toSetCookieHeaders(withoutReturn(secure)(HttpServerResponse.empty()).cookies)
    assert.match(cleared ?? "", /^forum-return=; Max-Age=0; Path=\/; HttpOnly; Secure; SameSite=Lax/)
  })

  it("is any path of the service with its query, unchanged", () => {
    for (const address of [
      "/",
      "/api/oauth/authorize?client_id=foc_a&redirect_uri=https%3A%2F%2Fapp.example%2F&state=a%22%3B%2C;,'\"|",
      "/oauth/authorize/consent?request_id=aaa",
      "/a//b",
      "/a?next=//evil.example"
    ]) {
      assert.strictEqual(keptOf(address), address)
    }
  })

  const elsewhere = [
    "https://evil.example/",
    "//evil.example",
    "///evil.example",
    "/\\evil.example",
    "\\\\evil.example",
    "/%09/evil.example\\..",
    "/\t/evil.example",
    "/\n/evil.example",
    " /a",
    "/a b",
    "javascript:alert(1)",
    "evil.example",
    "@evil.example",
    "/ä",
    "/\u202ea",
    ""
  ]

  it("is nothing that a browser could read as another host or script", () => {
    for (const address of elsewhere) {
      assert.deepStrictEqual(setBy(address), [], JSON.stringify(address))
      // What something else has set is not followed either.
      assert.isUndefined(found(`forum-return=${encodeURIComponent(address)}`), JSON.stringify(address))
    }
    assert.isUndefined(found("forum-return=%ZZ"))
    assert.isUndefined(found("other-forum-return=/a"))
  })

  it("is the first of several that can be followed", () => {
    assert.strictEqual(
      found("forum-return=//evil.example; forum-return=%2Fhere; forum-return=/there"),
      "/here"
    )
  })

  it("is kept as long as browsers keep cookies of its length", () => {
    const longest = `/${"a".repeat(longestValue - 3)}`
    assert.strictEqual(keptOf(longest), longest)
    assert.isBelow(setBy(longest, secure)[0]?.length ?? 0, 4096)
    assert.deepStrictEqual(setBy(`${longest}a`), [])
    assert.isUndefined(found(`forum-return=${longest}aaa`))
  })
})
