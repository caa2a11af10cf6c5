/** The lists and numbers of the API, as its description has them. */
import { isObject, type Json, listAt, objectAt, textAt } from "../../../src/http/document/Json.ts"
import { document } from "../conformance.ts"

const schemas = objectAt(objectAt(document, "components"), "schemas")

/** The numbers of a page are one: they are compared together. */
const pageFields = ["page_size", "results", "total_pages", "current_page", "next_page"]

const isPage = (schema: Json): boolean =>
  isObject(schema) && pageFields.every((field) => field in objectAt(schema, "properties"))

const isNumber = (schema: Json): boolean =>
  isObject(schema) && [schema.type].flat().some((type) => type === "integer" || type === "number")

/** Adds the lists and numbers within a schema, each by the component that has it and the path within that. */
const addWithin = (
  schema: Json | undefined,
  at: string,
  found: Set<string>,
  within: ReadonlyArray<string>
): void => {
  if (!isObject(schema)) return
  const component = textAt(schema, "$ref")?.split("/").at(-1)
  if (component !== undefined) {
    if (!within.includes(component)) addWithin(schemas[component], component, found, [...within, component])
    return
  }
  for (const choice of ["anyOf", "oneOf", "allOf"].flatMap((key) => listAt(schema, key))) {
    addWithin(choice, at, found, within)
  }
  if (isNumber(schema)) found.add(at)
  if (schema.items !== undefined) {
    found.add(`${at}[]`)
    addWithin(schema.items, `${at}[]`, found, within)
  }
  if (isPage(schema)) found.add(`${at}.pages`)
  for (const [name, inner] of Object.entries(objectAt(schema, "properties"))) {
    if (!(isPage(schema) && pageFields.includes(name))) addWithin(inner, `${at}.${name}`, found, within)
  }
  addWithin(schema.additionalProperties, `${at}.*`, found, within)
}

const successesOf = (operation: Json): ReadonlyArray<Json> =>
  Object.entries(objectAt(isObject(operation) ? operation : {}, "responses")).flatMap(([status, response]) =>
    status.startsWith("2") && isObject(response)
      ? Object.values(objectAt(response, "content")).flatMap((content) =>
          isObject(content) ? (content.schema ?? []) : []
        )
      : []
  )

const all = Object.values(objectAt(document, "paths")).flatMap((item) =>
  isObject(item) ? Object.entries(item) : []
)

const withinAnswersOf = (operation: Json, found: Set<string>) => {
  const id = isObject(operation) ? (textAt(operation, "operationId") ?? "") : ""
  for (const schema of successesOf(operation)) addWithin(schema, id, found, [])
  return { id, has: found.size > 0 }
}

/** All of them in answers, as `Component.field` or `Component.field[]`; `Component.pages` are the numbers of its pages. */
export const numbersAndLists = (): ReadonlySet<string> => {
  const found = new Set<string>()
  for (const [, operation] of all) withinAnswersOf(operation, found)
  return found
}

/** The operations that read something with a list or a number. */
export const readsWithNumbers = (): ReadonlyArray<string> =>
  all.flatMap(([method, operation]) => {
    const { has, id } = withinAnswersOf(operation, new Set())
    return method === "get" && has ? [id] : []
  })
