/** Shows what each repair of the derived document is for. Once Effect derives it right, its test fails and the repair can go. */
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { type Json, type JsonObject, listAt, objectAt, textAt } from "../../src/http/document/Json.ts"
import * as Repairs from "../../src/http/document/Repairs.ts"

const Tag = Schema.String.annotate({ title: "ETag", description: "The entity tag" })

const Inner = Schema.Struct({ yes: Schema.Boolean }).annotate({ identifier: "Inner" })

// Its data look like parts of a schema.
const example = {
  size: 1,
  inner: { yes: true },
  twice: "az",
  short: "a",
  any: { minimum: Number.MIN_SAFE_INTEGER, additionalProperties: false, allOf: [{ type: "string" }] }
}

const Thing = Schema.Struct({
  size: Schema.Int,
  inner: Inner.annotateKey({ description: "What is in it" }),
  twice: Schema.String.check(Schema.isPattern(/^a/u), Schema.isPattern(/z$/u)),
  short: Schema.String.check(Schema.isMaxLength(5)).annotateKey({ description: "Few characters" }),
  any: Schema.Record(Schema.String, Schema.Json)
}).annotate({ identifier: "Thing", examples: [example] })

const endpoint = HttpApiEndpoint.get("read", "/things/:id", {
  params: { id: Schema.String.annotate({ description: "Which one" }) },
  query: {
    flag: Schema.optionalKey(Schema.Boolean.annotate({ description: "A flag" })),
    count: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 50 }))),
    counts: Schema.optionalKey(Schema.Array(Schema.Int)),
    words: Schema.optionalKey(Schema.Array(Schema.String))
  },
  headers: { "if-none-match": Tag.annotate({ title: "If-None-Match" }) },
  success: HttpApiSchema.WithHeaders(Thing, { etag: Tag })
}).annotateMerge(OpenApi.annotations({ identifier: "Read" }))

const api = HttpApi.make("api").add(HttpApiGroup.make("things").add(endpoint))

// Effect types the document by its parts; here it is JSON like any other.
const derived = OpenApi.fromApi(api) as unknown as JsonObject

const endpoints = new Map([["Read", endpoint]])

const operationIn = (document: JsonObject) => objectAt(objectAt(document.paths, "/things/{id}"), "get")
const parametersIn = (document: JsonObject) =>
  Object.fromEntries(
    listAt(operationIn(document), "parameters").map((parameter) => [
      objectAt({ parameter }, "parameter").name,
      parameter
    ])
  ) as JsonObject
const schemaIn = (document: JsonObject, parameter: string) =>
  objectAt(parametersIn(document)[parameter], "schema")
const propertyIn = (document: JsonObject, name: string) =>
  objectAt(objectAt(objectAt(objectAt(document.components, "schemas"), "Thing"), "properties"), name)
const headersIn = (document: JsonObject) =>
  objectAt(objectAt(objectAt(operationIn(document), "responses"), "200"), "headers")

/** Asserts that a repair changes what Effect derives to what it should derive. */
const assertRepairs = (
  repair: (document: JsonObject) => JsonObject,
  part: (document: JsonObject) => Json,
  expected: Json
) => {
  assert.notDeepEqual(part(derived), expected, "Effect derives this by now: delete the repair")
  assert.deepStrictEqual(part(repair(derived)), expected)
}

describe("the document that Effect derives", () => {
  it("describes numbers and booleans in a query as text", () => {
    const types = (document: JsonObject) => ({
      flag: schemaIn(document, "flag").type ?? null,
      count: schemaIn(document, "count").type ?? null,
      counts: objectAt(schemaIn(document, "counts"), "items").type ?? null,
      words: objectAt(schemaIn(document, "words"), "items").type ?? null
    })
    const repair = Repairs.withTypedParameters(endpoints)
    assertRepairs(repair, types, { flag: "boolean", count: "integer", counts: "integer", words: "string" })
    assert.include(schemaIn(repair(derived), "flag"), { description: "A flag" })
    assert.include(JSON.stringify(schemaIn(repair(derived), "count")), '"maximum":50')
  })

  it("lists what belongs beside a schema under allOf", () => {
    assertRepairs(Repairs.withMergedRules, (document) => propertyIn(document, "inner"), {
      $ref: "#/components/schemas/Inner",
      description: "What is in it"
    })
    assertRepairs(Repairs.withMergedRules, (document) => propertyIn(document, "short"), {
      type: "string",
      maxLength: 5,
      description: "Few characters"
    })
  })

  it("keeps rules that do not fit into one schema", () => {
    const repairedProperty = propertyIn(Repairs.withMergedRules(derived), "twice")
    const patterns = [repairedProperty, ...listAt(repairedProperty, "allOf")].map((schema) =>
      textAt(schema, "pattern")
    )
    assert.deepStrictEqual(patterns.toSorted(), ["^a", "z$"])
  })

  it("bounds integers by what a number can hold", () => {
    assertRepairs(Repairs.withoutSafeIntegerBounds, (document) => propertyIn(document, "size"), {
      type: "integer"
    })
  })

  it("closes objects, and does not say which are open", () => {
    const openness = (document: JsonObject) => ({
      closed: objectAt(objectAt(document.components, "schemas"), "Thing").additionalProperties ?? null,
      open: propertyIn(document, "any").additionalProperties ?? null
    })
    assertRepairs(Repairs.withOpenObjects, openness, { closed: null, open: true })
  })

  it("leaves descriptions and names of parameters and headers in their schemas", () => {
    const parts = (document: JsonObject) => ({
      id: parametersIn(document).id ?? null,
      "If-None-Match": parametersIn(document)["If-None-Match"] ?? null
    })
    assertRepairs(Repairs.withDescribedParts, parts, {
      id: { name: "id", in: "path", required: true, description: "Which one", schema: { type: "string" } },
      "If-None-Match": {
        name: "If-None-Match",
        in: "header",
        required: true,
        description: "The entity tag",
        schema: { type: "string" }
      }
    })
    assertRepairs(Repairs.withDescribedParts, headersIn, {
      ETag: { required: true, description: "The entity tag", schema: { type: "string" } }
    })
  })

  it("keeps its examples through all repairs", () => {
    const thing = objectAt(objectAt(Repairs.repaired(endpoints)(derived).components, "schemas"), "Thing")
    assert.deepStrictEqual(listAt(thing, "examples"), [example])
  })
})
