/** How an operation is described that fails in the form of OAuth, beside its problems. */
import { assert, it } from "@effect/vitest"
import { Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { AccessKeyNotFound } from "../../src/domain/accesskey/AccessKey.ts"
import { OAuthError, OAuthErrorCode, OAuthUnauthorized } from "../../src/domain/shared/OAuthError.ts"
import { everyone } from "../../src/http/contract/AccessPolicies.ts"
import { CommonProblems } from "../../src/http/contract/CommonProblems.ts"
import { describeIssues, refusedWith } from "../../src/http/contract/OAuthRefusal.ts"
import { operation } from "../../src/http/contract/Operation.ts"
import { documentOf } from "../../src/http/document/Document.ts"
import { objectAt } from "../../src/http/document/Json.ts"

const declaring = { cost: "quick", access: everyone, summary: "Try", description: "Tries." } as const

const group = HttpApiGroup.make("things").add(
  HttpApiEndpoint.get("one", "/one", { error: [OAuthError, AccessKeyNotFound] }).pipe(
    operation({ id: "One", ...declaring })
  ),
  HttpApiEndpoint.post("two", "/two", {
    payload: Schema.Struct({ name: Schema.String }),
    error: OAuthError
  }).pipe(operation({ id: "Two", ...declaring })),
  HttpApiEndpoint.get("three", "/three", { error: [OAuthError, OAuthUnauthorized] }).pipe(
    operation({ id: "Three", ...declaring })
  ),
  HttpApiEndpoint.post("four", "/four", {
    payload: Schema.Struct({ name: Schema.String }),
    error: OAuthError
  }).pipe(operation({ id: "Four", ...declaring, refusesAs: refusedWith(() => "invalid_request") })),
  HttpApiEndpoint.get("five", "/five/:id", { params: { id: Schema.String }, error: OAuthError }).pipe(
    operation({ id: "Five", ...declaring, refusesAs: refusedWith(() => "invalid_request") })
  )
)

const document = documentOf(HttpApi.make("api").add(group).middleware(CommonProblems), {
  publicUrl: new URL("http://forum.test"),
  version: "0"
})

const responsesOf = (path: string, method: string) =>
  objectAt(objectAt(objectAt(document.paths, path), method), "responses")

const form = { schema: { $ref: "#/components/schemas/OAuthError" } }

it("is described as such, with all codes, for the one status", () => {
  const schemas = objectAt(document.components, "schemas")
  const properties = objectAt(schemas.OAuthError, "properties")
  assert.deepStrictEqual(Object.keys(properties), ["error", "error_description"])
  assert.deepStrictEqual(objectAt(schemas, "OAuthErrorCode").enum, [...OAuthErrorCode.literals])
  const one = responsesOf("/one", "get")
  assert.deepStrictEqual(objectAt(objectAt(one, "400"), "content"), { "application/json": form })
  assert.notProperty(objectAt(objectAt(one, "404"), "content"), "application/json")
})

it("stands beside the problems of its status, which have another content type", () => {
  const content = objectAt(objectAt(responsesOf("/two", "post"), "400"), "content")
  assert.deepStrictEqual(content, {
    "application/problem+json": { schema: { $ref: "#/components/schemas/InvalidRequest" } },
    "application/json": form
  })
})

it("stands for invalid requests where an operation says so", () => {
  const four = responsesOf("/four", "post")
  assert.deepStrictEqual(objectAt(objectAt(four, "400"), "content"), { "application/json": form })
  assert.notProperty(four, "415")
  // An address that cannot be read reaches no operation.
  const five = objectAt(objectAt(responsesOf("/five/{id}", "get"), "400"), "content")
  assert.deepStrictEqual(Object.keys(five), ["application/problem+json", "application/json"])
  assert.property(four, "413")
})

it("describes what is wrong with a request in the characters that it may have", () => {
  const at = (path: string, message: string) => ({ in: "body", path, message }) as const
  assert.strictEqual(
    describeIssues([at("", "cannot be read"), at("name", 'Expected "a\\b", got naïve 👩')]),
    "body: cannot be read | body name: Expected 'a/b', got na?ve ?"
  )
  assert.strictEqual(describeIssues(Array.from({ length: 50 }, () => at("a", "b"))).split(" | ").length, 3)
})

it("has one form for both statuses, and a challenge where who asks has to prove it", () => {
  const three = responsesOf("/three", "get")
  for (const status of ["400", "401"]) {
    assert.deepStrictEqual(objectAt(objectAt(three, status), "content"), { "application/json": form })
  }
  const headersOf = (status: string) => Object.keys(objectAt(objectAt(three, status), "headers"))
  assert.deepStrictEqual(headersOf("400"), ["Cache-Control", "Pragma"])
  assert.deepStrictEqual(headersOf("401"), ["Cache-Control", "Pragma", "WWW-Authenticate"])
  const schemas = objectAt(document.components, "schemas")
  assert.deepStrictEqual(
    Object.keys(schemas).filter((name) => name.startsWith("OAuth")),
    ["OAuthError", "OAuthErrorCode"]
  )
})

it.each(['a "quoted" word', "a \\ b", "naïve", "two\nlines", ""])("has no description such as %j", (text) => {
  assert.throws(() => new OAuthError({ error: "invalid_request", error_description: text }))
})
