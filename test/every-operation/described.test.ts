/** Every operation, parameter and named schema says what it is: clients are written from the description alone. */
import { assert, describe, it } from "@effect/vitest"
import { isObject, type JsonObject, listAt, objectAt, textAt } from "../../src/http/document/Json.ts"
import { descriptionOf, document } from "../support/conformance.ts"
import { operations } from "../support/operations.ts"

const schemas = objectAt(objectAt(document, "components"), "schemas")

const lacks = (thing: JsonObject, key: string) => (textAt(thing, key) ?? "").trim() === ""

describe("the description", () => {
  it.each(["summary", "description"])("has a %s of every operation", (key) => {
    assert.deepStrictEqual(
      operations.map(({ id }) => id).filter((id) => lacks(descriptionOf(id), key)),
      []
    )
  })

  it("says what every parameter is", () => {
    const without = operations.flatMap(({ id }) =>
      listAt(descriptionOf(id), "parameters")
        .filter(isObject)
        .filter((parameter) => lacks(parameter, "description"))
        .map((parameter) => `${id} ${textAt(parameter, "name")}`)
    )
    assert.deepStrictEqual(without, [])
  })

  it("says what every named schema is", () => {
    assert.deepStrictEqual(
      Object.keys(schemas).filter((name) => lacks(objectAt(schemas, name), "description")),
      []
    )
  })
})
