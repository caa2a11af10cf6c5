/** What does not exist has no key in an answer, with one exception; null is for requests, which clear something by it. */
import { assert, describe, it } from "@effect/vitest"
import { isObject, type Json, listAt, objectAt, textAt } from "../../src/http/document/Json.ts"
import { document } from "../support/conformance.ts"

const components = objectAt(objectAt(document, "components"), "schemas")

const isNull = (schema: Json | undefined) =>
  isObject(schema) &&
  (schema.type === "null" ||
    schema.const === null ||
    [...listAt(schema, "type"), ...listAt(schema, "enum")].some((one) => one === "null" || one === null))

/** Where values of a schema may be null, whatever metadata of clients hold. Each component is looked at once. */
const nullsIn = (schema: Json | undefined, path: string, seen: Set<string>): ReadonlyArray<string> => {
  const name = textAt(schema, "$ref")?.split("/").at(-1)
  if (name !== undefined) {
    if (seen.has(name)) return []
    seen.add(name)
    return nullsIn(components[name], name, seen)
  }
  const parts = ["allOf", "anyOf", "oneOf"].flatMap((key) => listAt(schema, key))
  return [
    ...(isNull(schema) ? [path] : []),
    ...parts.flatMap((part) => nullsIn(part, path, seen)),
    ...(isObject(schema) && schema.items !== undefined ? nullsIn(schema.items, `${path}[]`, seen) : []),
    ...Object.entries(objectAt(schema, "properties")).flatMap(([key, inner]) =>
      nullsIn(inner, `${path}.${key}`, seen)
    )
  ]
}

describe("the schema of a value", () => {
  it.each([
    [{ type: "null" }, ["x"]],
    [{ type: ["string", "null"] }, ["x"]],
    [{ enum: ["a", null] }, ["x"]],
    [{ const: null }, ["x"]],
    [{ properties: { a: { items: { anyOf: [{ type: "string" }, { type: "null" }] } } } }, ["x.a[]"]],
    [{ type: "object", properties: { a: { type: "string" } } }, []]
  ])("%j may be null at %j", (schema, expected) => {
    assert.deepStrictEqual(nullsIn(schema, "x", new Set()), expected)
  })
})

describe("an answer", () => {
  it("has no null, whatever is absent, except where clients need the key", () => {
    const seen = new Set<string>()
    const nulls = Object.entries(objectAt(document, "paths")).flatMap(([path, item]) =>
      Object.values(isObject(item) ? item : {}).flatMap((operation) =>
        Object.values(objectAt(operation, "responses")).flatMap((response) =>
          Object.values(objectAt(response, "content")).flatMap((media) =>
            nullsIn(objectAt(media, "schema"), path, seen)
          )
        )
      )
    )
    assert.deepStrictEqual(nulls, ["EventReference.location", "Event.location"])
    assert.isAbove(seen.size, 50)
  })
})
