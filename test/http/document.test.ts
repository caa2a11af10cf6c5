import { assert, describe, it } from "@effect/vitest"
import { Validator } from "@seriousme/openapi-schema-validator"
import { Context, Option } from "effect"
import { HttpApi, type HttpApiEndpoint } from "effect/http-api"
import { takenBy } from "../../src/domain/shared/Access.ts"
import { ForumApi } from "../../src/http/Api.ts"
import { declaredAccess } from "../../src/http/contract/AccessPolicies.ts"
import { costs } from "../../src/http/contract/Cost.ts"
import { OperationTraits } from "../../src/http/contract/Operation.ts"
import { documentOf } from "../../src/http/document/Document.ts"
import {
  isObject,
  type Json,
  type JsonObject,
  listAt,
  objectAt,
  rewrite,
  textAt
} from "../../src/http/document/Json.ts"
import { failures } from "../../src/http/document/Problems.ts"
import { document, mismatches, operationFor, saysEmpty } from "../support/conformance.ts"

const schemas = objectAt(objectAt(document, "components"), "schemas")

const operations = Object.entries(objectAt(document, "paths")).flatMap(([path, item]) =>
  isObject(item)
    ? Object.entries(item).map(([method, operation]) => ({
        name: `${method.toUpperCase()} ${path}`,
        operation: isObject(operation) ? operation : {}
      }))
    : []
)

const operationNamed = (id: string): JsonObject =>
  operations.find(({ operation }) => operation.operationId === id)?.operation ?? {}

const parameterOf = (id: string, name: string): JsonObject =>
  listAt(operationNamed(id), "parameters")
    .filter(isObject)
    .find((parameter) => parameter.name === name) ?? {}

const propertyOf = (component: string, name: string): JsonObject =>
  objectAt(objectAt(schemas[component], "properties"), name)

/** The schema behind a reference, or itself. */
const resolved = (schema: JsonObject): Json =>
  schemas[textAt(schema, "$ref")?.split("/").at(-1) ?? ""] ?? schema

const objectsIn = (value: Json): ReadonlyArray<JsonObject> => {
  const found: Array<JsonObject> = []
  rewrite({ value }, (object) => {
    found.push(object)
    return object
  })
  return found
}

/** The components that an operation declares for the problems of a status. */
const problemsOf = (operation: JsonObject, status: string): ReadonlyArray<string> => {
  const content = objectAt(objectAt(objectAt(operation, "responses"), status), "content")
  const schema = objectAt(objectAt(content, "application/problem+json"), "schema")
  return [schema, ...listAt(schema, "oneOf")].flatMap((choice) => {
    const name = textAt(choice, "$ref")?.split("/").at(-1)
    return name === undefined ? [] : [name]
  })
}

const endpoints: Array<HttpApiEndpoint.Top> = []
HttpApi.reflect(ForumApi, { onGroup: () => {}, onEndpoint: ({ endpoint }) => endpoints.push(endpoint) })

const described = endpoints.map((endpoint) => {
  const path = endpoint.path.replace(/:\w+/g, "x")
  const id = operationFor(endpoint.method, path)?.id ?? ""
  return {
    id,
    operation: operationNamed(id),
    access: Option.getOrThrow(declaredAccess(endpoint.annotations)),
    changes: endpoint.method !== "GET",
    hasBody: endpoint.payload.size > 0,
    refusesAsOAuth: Context.get(endpoint.annotations, OperationTraits).refusesAs !== undefined
  }
})

describe("the description of the API", () => {
  it("is valid OpenAPI 3.1", async () => {
    const result = await new Validator().validate(JSON.parse(JSON.stringify(document)))
    assert.isTrue(result.valid, JSON.stringify(result.errors))
    assert.strictEqual(document.openapi, "3.1.0")
  })

  it("is the same whenever it is made, with its parts in order", () => {
    const deployment = { publicUrl: new URL("http://forum.test"), version: "1.2.3" }
    assert.strictEqual(JSON.stringify(documentOf(ForumApi, deployment)), JSON.stringify(document))
    for (const part of [objectAt(document, "paths"), schemas]) {
      assert.deepStrictEqual(Object.keys(part), Object.keys(part).toSorted())
    }
  })

  it("names the version, both ways to reach the API, and every tag", () => {
    assert.strictEqual(objectAt(document, "info").version, "1.2.3")
    assert.deepStrictEqual(
      listAt(document, "servers").map((server) => textAt(server, "url")),
      ["/api", "http://forum.test/api"]
    )
    for (const tag of listAt(document, "tags"))
      assert.isNotEmpty(textAt(tag, "description"), JSON.stringify(tag))
  })

  it("keeps the path of a public address that has one", () => {
    const deployment = { publicUrl: new URL("https://example.org/forum/"), version: "1" }
    assert.deepStrictEqual(
      listAt(documentOf(ForumApi, deployment), "servers").map((server) => textAt(server, "url")),
      ["/forum/api", "https://example.org/forum/api"]
    )
  })

  it("has every endpoint once, under the name that clients know", () => {
    assert.strictEqual(operations.length, endpoints.length)
    const ids = operations.map(({ operation }) => textAt(operation, "operationId") ?? "")
    assert.strictEqual(new Set(ids).size, ids.length)
    for (const id of ids) assert.match(id, /^[A-Z][A-Za-z]+$/)
    for (const { id } of described) assert.include(ids, id)
  })

  it("describes every operation, parameter and response", () => {
    for (const { name, operation } of operations) {
      for (const key of ["summary", "description"])
        assert.isNotEmpty(textAt(operation, key), `${name}: ${key}`)
      for (const parameter of listAt(operation, "parameters")) {
        assert.isNotEmpty(textAt(parameter, "description"), `${name}: ${textAt(parameter, "name")}`)
      }
      for (const [status, response] of Object.entries(objectAt(operation, "responses"))) {
        assert.isNotEmpty(textAt(response, "description"), `${name}: ${status}`)
      }
    }
  })

  it("refers to components that exist, and has no others", () => {
    const references = objectsIn(document).flatMap((object) => textAt(object, "$ref") ?? [])
    for (const reference of references) {
      assert.isDefined(schemas[reference.replace("#/components/schemas/", "")], reference)
    }
    for (const name of Object.keys(schemas)) {
      assert.include(references, `#/components/schemas/${name}`)
      assert.match(name, /^[A-Z][A-Za-z]+$/)
      assert.notMatch(name, /Encoded$/)
    }
  })

  it("allows unknown fields in requests and answers", () => {
    for (const object of objectsIn(document)) assert.notStrictEqual(object.additionalProperties, false)
  })

  it("types values as what they mean", () => {
    assert.strictEqual(propertyOf("Thread", "createdAt").format, "date-time")
    assert.strictEqual(propertyOf("Thread", "last_reply_at").format, "date-time")
    assert.include(propertyOf("Thread", "id"), { type: "string", format: "xid", pattern: "^[0-9a-v]{20}$" })
    assert.strictEqual(objectAt(schemas, "Metadata").type, "object")
    assert.deepStrictEqual(propertyOf("Thread", "meta").$ref, "#/components/schemas/Metadata")
    assert.deepStrictEqual(objectAt(parameterOf("ThreadList", "ignore_pinned"), "schema"), {
      type: "boolean"
    })
    assert.strictEqual(propertyOf("PaginatedReplyList", "results").minimum, 0)
    assert.isUndefined(propertyOf("PaginatedReplyList", "results").maximum)
    assert.include(propertyOf("CategoryInitialProps", "name"), { minLength: 1, maxLength: 200 })
    assert.include(propertyOf("ThreadInitialProps", "pinned"), { minimum: -2147483648, maximum: 2147483647 })
  })

  it("has an example of every body and answer, which is valid", () => {
    for (const { name, operation } of operations) {
      const answers = Object.entries(objectAt(operation, "responses")).filter(([status]) => status < "300")
      for (const part of [objectAt(operation, "requestBody"), ...answers.map(([, answer]) => answer)]) {
        for (const [type, media] of Object.entries(objectAt(part, "content"))) {
          const schema = objectAt(media, "schema")
          // Files and streams are not part of a description.
          if (schema.format === "binary" || ["text/calendar", "text/event-stream"].includes(type)) continue
          const [example] = listAt(resolved(schema), "examples")
          assert.isDefined(example, `${name}: ${type}`)
          // A request clears something by null, or has an empty value on purpose.
          const faults = mismatches(schema, example).filter(
            (fault) => part !== operation.requestBody || !saysEmpty(fault)
          )
          assert.deepStrictEqual(faults, [], `${name}: ${type}`)
        }
      }
    }
  })

  it("says which objects may have any fields, since generators take them for empty otherwise", () => {
    for (const object of objectsIn(document)) {
      if (object.type === "object" && !("properties" in object)) {
        assert.isDefined(object.additionalProperties, JSON.stringify(object))
      }
    }
    assert.strictEqual(objectAt(schemas, "Metadata").additionalProperties, true)
    assert.strictEqual(propertyOf("ThreadInitialProps", "meta").additionalProperties, true)
  })

  it("states the limits that a schema cannot express", () => {
    assert.match(textAt(propertyOf("AuthPair", "token"), "description") ?? "", /8 bytes/)
    // Two characters of four bytes each are eight bytes.
    assert.strictEqual(propertyOf("AuthPair", "token").minLength, 2)
    assert.match(textAt(propertyOf("ThreadInitialProps", "meta"), "description") ?? "", /65,536 characters/)
  })

  it("gives every problem one form, in one object, and declares any of them for each operation", () => {
    const required = ["type", "title", "status", "trace_id", "metadata"]
    const general = schemas.APIError
    // An entry of the audit log has a trace id, too.
    const problems = Object.values(schemas).filter((schema) => {
      const properties = objectAt(schema, "properties")
      return "trace_id" in properties && "title" in properties
    })
    assert.isAbove(problems.length, 30)
    for (const problem of problems) {
      assert.deepStrictEqual(listAt(problem, "required"), required)
      assert.notProperty(problem, "allOf")
      const type = objectAt(objectAt(problem, "properties"), "type")
      const status = objectAt(objectAt(problem, "properties"), "status")
      if (problem === general) continue
      assert.match(String(type.const), /^\/api\/problems\/[a-z-]+$/)
      assert.isAtLeast(Number(status.const), 400)
    }
    for (const { name, operation } of operations) {
      assert.deepStrictEqual(problemsOf(operation, "default"), ["APIError"], name)
    }
    const content = objectsIn(document).filter((object) => "application/problem+json" in object)
    assert.isNotEmpty(content)
    // Operations of OAuth have failures in its form as well.
    const others = content.flatMap((object) =>
      Object.entries(object).filter(([type]) => type !== "application/problem+json")
    )
    assert.isNotEmpty(others)
    for (const other of others) {
      const form = { schema: { $ref: "#/components/schemas/OAuthError" } }
      assert.deepStrictEqual(other, ["application/json", form])
    }
  })

  it("names the types of bytes, and for those of any type the one that generators know", () => {
    const typesOf = (id: string, status = "200") =>
      Object.keys(objectAt(objectAt(objectAt(operationNamed(id), "responses"), status), "content"))
    const bytes = "application/octet-stream"
    assert.deepStrictEqual(typesOf("AssetGet"), [bytes])
    assert.deepStrictEqual(typesOf("AssetGet", "206"), [bytes])
    assert.deepStrictEqual(typesOf("IconGet"), [bytes, "image/png"])
    assert.deepStrictEqual(typesOf("BannerGet"), [bytes, "image/png"])
    assert.deepStrictEqual(typesOf("AccountGetAvatar"), [
      bytes,
      "image/png",
      "image/jpeg",
      "image/gif",
      "image/webp"
    ])
    for (const id of ["FeedThreads", "FeedReplies", "FeedLibrary"]) {
      const feeds = ["application/atom+xml", "application/rss+xml", "application/feed+json"]
      assert.deepStrictEqual(typesOf(id), [bytes, ...feeds])
    }
    for (const id of ["FeedEvents", "FeedEvent", "FeedCalendar"]) {
      assert.deepStrictEqual(typesOf(id), ["text/calendar"])
    }
    assert.deepStrictEqual(typesOf("GetVersion"), ["text/plain"])
    const wild = operations.filter(({ operation }) => JSON.stringify(operation).includes("*/*"))
    assert.deepStrictEqual(wild, [])
  })

  /** Operations that take bodies of every content type. */
  const anyType = new Set(["AccountSetAvatar", "AssetUpload", "BannerUpload", "IconUpload"])

  it("declares for each operation the refusals that its access policy can give, and no others", () => {
    for (const { access, changes, hasBody, id, operation, refusesAsOAuth } of described) {
      const refused = problemsOf(operation, "403")
      const permission = "permission" in access ? access.permission : undefined
      const closed = access._tag !== "Public" && access._tag !== "Reader"
      assert.strictEqual(problemsOf(operation, "401").includes("Unauthenticated"), closed, id)
      assert.strictEqual(refused.includes("AccountSuspended"), access._tag !== "Public", id)
      const takes = takenBy(access)
      assert.strictEqual(refused.includes("CookieRequired"), takes === "cookie", id)
      assert.strictEqual(refused.includes("AccessTokenRequired"), takes === "token", id)
      assert.strictEqual(refused.includes("AccessTokenRefused"), takes === "cookie or key", id)
      assert.strictEqual(refused.includes("CrossSiteRequest"), changes, id)
      assert.strictEqual(operation["x-permission"], permission, id)
      const alternative = "alternative" in access ? access.alternative : undefined
      assert.strictEqual(operation["x-permission-alternative"], alternative, id)
      const also = "also" in access ? access.also : undefined
      assert.strictEqual(operation["x-permission-also"], also, id)
      if (permission !== undefined) assert.include(refused, "Forbidden", id)
      const takesBody = hasBody && id !== "SendBeacon"
      const responses = objectAt(operation, "responses")
      assert.strictEqual("413" in responses, takesBody, id)
      assert.strictEqual("415" in responses, takesBody && !anyType.has(id) && !refusesAsOAuth, id)
      assert.include(costs, operation["x-cost"], id)
      assert.strictEqual("x-max-body" in operation, hasBody, id)
      assert.strictEqual(problemsOf(operation, "503").includes("TooManyWriters"), changes, id)
      assert.isTrue(problemsOf(operation, "500").includes("InternalError"), id)
      assert.includeMembers(
        [...problemsOf(operation, "503")],
        ["StorageUnavailable", "DeadlineExceeded", "ServiceBusy", "ShuttingDown"],
        id
      )
    }
  })

  it("asks for the credentials that the access policy requires", () => {
    const schemes = objectAt(objectAt(document, "components"), "securitySchemes")
    assert.deepStrictEqual(Object.keys(schemes), ["browser", "access_key", "access_token"])
    const taken = {
      all: ["browser", "access_key", "access_token"],
      cookie: ["browser"],
      "cookie or key": ["browser", "access_key"],
      token: ["access_token"]
    }
    for (const { access, id, operation } of described) {
      const ways = listAt(operation, "security").map((way) => Object.keys(isObject(way) ? way : {}).join())
      const guests = access._tag === "Public" || access._tag === "Reader" ? [""] : []
      assert.deepStrictEqual(ways, [...guests, ...taken[takenBy(access) ?? "all"]], id)
    }
  })

  it("declares 400 only where a part of the request is decoded", () => {
    assert.notProperty(objectAt(operationNamed("GetVersion"), "responses"), "400")
    assert.notProperty(objectAt(operationNamed("CategoryList"), "responses"), "400")
    assert.deepStrictEqual(problemsOf(operationNamed("ThreadGet"), "400"), [
      "CursorMismatch",
      "InvalidRequest"
    ])
    assert.include(problemsOf(operationNamed("ThreadCreate"), "400"), "InvalidRequest")
  })

  it("declares the headers of answers", () => {
    const headersOf = (id: string, status: string) =>
      Object.keys(objectAt(objectAt(objectAt(operationNamed(id), "responses"), status), "headers"))
    assert.deepStrictEqual(headersOf("ThreadGet", "200"), ["Cache-Control", "ETag"])
    assert.deepStrictEqual(headersOf("ThreadGet", "304"), ["Cache-Control", "ETag"])
    assert.deepStrictEqual(headersOf("AuthPasswordSignup", "200"), ["Set-Cookie"])
    assert.deepStrictEqual(headersOf("AuthPasswordSignin", "429"), ["Retry-After"])
    assert.deepStrictEqual(headersOf("AccountGet", "401"), ["WWW-Authenticate"])
    assert.deepStrictEqual(headersOf("AccountGet", "403"), [])
    assert.deepStrictEqual(headersOf("GetInfo", "503"), ["Retry-After"])
    assert.include(headersOf("AuthProviderLogout", "302"), "Location")
    assert.include(headersOf("AuthProviderLogout", "302"), "Set-Cookie")
  })

  it("tells the problems of one status apart by their types", () => {
    const choices = objectsIn(document).filter((object) => "discriminator" in object)
    assert.isNotEmpty(choices)
    for (const choice of choices) {
      const { mapping, propertyName } = objectAt(choice, "discriminator")
      assert.strictEqual(propertyName, "type")
      const types = listAt(choice, "oneOf").map((schema) => {
        const properties = objectAt(isObject(schema) ? resolved(schema) : {}, "properties")
        return [objectAt(properties, "type").const, textAt(schema, "$ref")]
      })
      assert.deepStrictEqual(mapping, Object.fromEntries(types))
    }
  })

  it("requires a header of a status only if all problems of the status have it", () => {
    const limited = { name: "limited", type: "/limited", status: 429, title: "Limited", explanation: "" }
    const waiting = { ...limited, component: "Waiting", metadata: { retry_after: {} } }
    const other = { ...limited, component: "Other", metadata: {} }
    const requiredFor = (...problems: Parameters<typeof failures>[0]) =>
      objectAt(objectAt(objectAt(failures(problems), "429"), "headers"), "Retry-After").required
    assert.strictEqual(requiredFor(waiting), true)
    assert.strictEqual(requiredFor(waiting, other), false)
    assert.isUndefined(requiredFor(other))
  })

  it("describes text as text, which generators decode, and no body as text, which they leave out", () => {
    for (const { name, operation } of operations) {
      const types = Object.keys(objectAt(objectAt(operation, "requestBody"), "content"))
      assert.isFalse(
        types.some((type) => type.startsWith("text/")),
        name
      )
      for (const response of Object.values(objectAt(operation, "responses")))
        for (const [type, media] of Object.entries(objectAt(response, "content")))
          if (type.startsWith("text/")) {
            assert.strictEqual(objectAt(media, "schema").type, "string", `${name}: ${type}`)
            assert.notProperty(objectAt(media, "schema"), "format", `${name}: ${type}`)
          }
    }
  })

  it("says which kinds of authenticators a client may be asked for", () => {
    assert.deepStrictEqual(listAt(schemas.AuthenticatorAttachment, "enum"), ["platform", "cross-platform"])
    const criteria = schemas.AuthenticatorSelectionCriteria
    assert.property(objectAt(criteria, "properties"), "authenticatorAttachment")
    assert.notInclude(listAt(criteria, "required"), "authenticatorAttachment")
  })

  it("requires a body only where something in it is required", () => {
    const isRequired = (id: string) => objectAt(operationNamed(id), "requestBody").required
    assert.strictEqual(isRequired("ThreadCreate"), true)
    assert.strictEqual(isRequired("AccountUpdate"), false)
    assert.strictEqual(isRequired("SendBeacon"), false)
  })

  it("has no content where the answer has none", () => {
    for (const [id, status] of [
      ["ThreadGet", "304"],
      ["ThreadDelete", "200"],
      ["SendBeacon", "202"],
      ["AuthProviderLogout", "302"]
    ] as const) {
      assert.notProperty(objectAt(objectAt(operationNamed(id), "responses"), status), "content", id)
    }
  })
})
