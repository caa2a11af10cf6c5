/** What a change of the description of the API breaks. docs/compatibility.md says what counts. Pure. */
import {
  isObject,
  type Json,
  type JsonObject,
  listAt,
  objectAt,
  textAt
} from "../../src/http/document/Json.ts"
import {
  type Break,
  type Components,
  type Direction,
  makeSchemaBreaks,
  type SchemaBreaks
} from "./Schemas.ts"

const methods = ["get", "put", "post", "patch", "delete", "head", "options"]

const problemMediaType = "application/problem+json"

/** The operations of a description by their method and address, whatever the names of parameters in it. */
const operationsOf = (document: JsonObject): ReadonlyMap<string, JsonObject> =>
  new Map(
    Object.entries(objectAt(document, "paths")).flatMap(([path, item]) =>
      methods.flatMap((method): ReadonlyArray<readonly [string, JsonObject]> => {
        const operation = objectAt(item, method)
        const key = `${method.toUpperCase()} ${path.replace(/\{\w+\}/g, "{}")}`
        return Object.keys(operation).length === 0 ? [] : [[key, operation]]
      })
    )
  )

const componentsOf = (document: JsonObject) => objectAt(objectAt(document, "components"), "schemas")

const broken = (at: string, what: string, announced = false): Break => ({ at, what, announced })

const namesOf = (requirement: Json): string =>
  Object.keys(isObject(requirement) ? requirement : {}).join(" and ") || "guests"

/** The permissions any of which is enough. */
const permissionsOf = (operation: JsonObject): ReadonlyArray<string> =>
  ["x-permission", "x-permission-alternative"].flatMap((key) => textAt(operation, key) ?? [])

const accessBreaks = (base: JsonObject, next: JsonObject, at: string): ReadonlyArray<Break> => {
  const taken = listAt(next, "security").map(namesOf)
  const lost = listAt(base, "security")
    .map(namesOf)
    .filter((names) => !taken.includes(names))
  const [enough, needed] = [permissionsOf(base), permissionsOf(next)]
  const tooLittle = needed.length === 0 ? [] : enough.filter((permission) => !needed.includes(permission))
  const also = textAt(next, "x-permission-also")
  return [
    ...lost.map((names) => broken(at, `takes ${names} no more`)),
    ...(enough.length === 0 && needed.length > 0 ? [broken(at, `requires ${needed.join(" or ")}`)] : []),
    ...tooLittle.map((permission) => broken(at, `is not allowed by ${permission} any more`)),
    ...(also === undefined || also === textAt(base, "x-permission-also")
      ? []
      : [broken(at, `requires ${also}, too`)])
  ]
}

/** Parameters by what they are known by: those of the path by their place in it. */
const parametersOf = (operation: JsonObject): ReadonlyMap<string, JsonObject> => {
  let places = 0
  return new Map(
    listAt(operation, "parameters")
      .filter(isObject)
      .map((parameter) => {
        const place = textAt(parameter, "in") ?? ""
        const name = textAt(parameter, "name") ?? ""
        if (place === "path") return [`path ${++places}`, parameter]
        return [`${place} ${place === "header" ? name.toLowerCase() : name}`, parameter]
      })
  )
}

const parameterBreaks = (
  base: JsonObject,
  next: JsonObject,
  at: string,
  schemaBreaks: SchemaBreaks
): ReadonlyArray<Break> => {
  const [before, after] = [parametersOf(base), parametersOf(next)]
  const demanded = [...after].filter(
    ([mark, { required }]) => required === true && before.get(mark)?.required !== true
  )
  return [
    ...demanded.map(([mark]) => broken(`${at} ${mark}`, "has to be sent")),
    ...[...before].flatMap(([mark, parameter]) => {
      const other = after.get(mark)
      return other === undefined
        ? [broken(`${at} ${mark}`, "is taken no more", parameter.deprecated === true)]
        : schemaBreaks(parameter.schema, other.schema, "request", `${at} ${mark}`)
    })
  ]
}

/** Content of any type but that of problems. */
const contentBreaks = (
  base: JsonObject,
  next: JsonObject,
  direction: Direction,
  at: string,
  schemaBreaks: SchemaBreaks
): ReadonlyArray<Break> =>
  Object.entries(objectAt(base, "content"))
    .filter(([type]) => type !== problemMediaType)
    .flatMap(([type, media]) => {
      const other = objectAt(next, "content")[type]
      return other === undefined
        ? [broken(at, `is ${type} no more`)]
        : schemaBreaks(objectAt(media, "schema"), objectAt(other, "schema"), direction, at)
    })

const bodyBreaks = (
  base: JsonObject,
  next: JsonObject,
  at: string,
  schemaBreaks: SchemaBreaks
): ReadonlyArray<Break> => {
  const [body, other] = [objectAt(base, "requestBody"), objectAt(next, "requestBody")]
  const [most, now] = [base["x-max-body"], next["x-max-body"]]
  return [
    ...(other.required === true && body.required !== true ? [broken(at, "has to be sent")] : []),
    ...(typeof most === "number" && typeof now === "number" && now < most
      ? [broken(at, `has ${now} bytes at most instead of ${most}`)]
      : []),
    ...contentBreaks(body, other, "request", at, schemaBreaks)
  ]
}

const headerBreaks = (
  base: JsonObject,
  next: JsonObject,
  at: string,
  schemaBreaks: SchemaBreaks
): ReadonlyArray<Break> =>
  Object.entries(objectAt(base, "headers")).flatMap(([name, header]) => {
    const other = objectAt(next, "headers")[name]
    const place = `${at} header ${name}`
    if (!isObject(other) || !isObject(header)) return [broken(place, "is sent no more")]
    const isLost = header.required === true && other.required !== true
    return [
      ...(isLost ? [broken(place, "may be absent")] : []),
      ...schemaBreaks(header.schema, other.schema, "answer", place)
    ]
  })

/** The problems of a response: references to their schemas by their types, and to that of any problem. */
const problemsOf = (response: JsonObject, schemas: JsonObject): ReadonlyMap<string, string> => {
  const schema = objectAt(objectAt(objectAt(response, "content"), problemMediaType), "schema")
  return new Map(
    [schema, ...listAt(schema, "oneOf")].flatMap((choice): ReadonlyArray<readonly [string, string]> => {
      const ref = textAt(choice, "$ref")
      const type = objectAt(objectAt(schemas[ref?.split("/").at(-1) ?? ""], "properties"), "type").const
      return ref === undefined ? [] : [[typeof type === "string" ? type : "problems", ref]]
    })
  )
}

/** Problems that are answered as well break nothing: every operation declares that there may be others. */
const problemBreaks = (
  base: JsonObject,
  next: JsonObject,
  at: string,
  components: Components,
  schemaBreaks: SchemaBreaks
): ReadonlyArray<Break> => {
  const now = problemsOf(next, components.next)
  return [...problemsOf(base, components.base)].flatMap(([type, ref]) => {
    const other = now.get(type)
    return other === undefined
      ? [broken(at, `answers ${type} no more`)]
      : schemaBreaks({ $ref: ref }, { $ref: other }, "answer", at)
  })
}

const responseBreaks = (
  base: JsonObject,
  next: JsonObject,
  at: string,
  components: Components,
  schemaBreaks: SchemaBreaks
): ReadonlyArray<Break> => {
  const [before, after] = [objectAt(base, "responses"), objectAt(next, "responses")]
  const added = Object.keys(after).filter((status) => status < "400" && !(status in before))
  return [
    ...added.map((status) => broken(at, `may answer ${status}`)),
    ...Object.keys(before).flatMap((status) => {
      const [response, other] = [objectAt(before, status), objectAt(after, status)]
      const place = `${at} ${status}`
      if (!(status in after)) return [broken(place, "is answered no more")]
      return [
        ...headerBreaks(response, other, place, schemaBreaks),
        ...contentBreaks(response, other, "answer", place, schemaBreaks),
        ...problemBreaks(response, other, place, components, schemaBreaks)
      ]
    })
  ]
}

/** What of a description breaks clients that were written for an earlier one. */
export const breaksBetween = (base: JsonObject, next: JsonObject): ReadonlyArray<Break> => {
  const components = { base: componentsOf(base), next: componentsOf(next) }
  const schemaBreaks = makeSchemaBreaks(components)
  const operations = operationsOf(next)
  return [...operationsOf(base)].flatMap(([key, before]) => {
    const at = textAt(before, "operationId") ?? key
    const after = operations.get(key)
    if (after === undefined) return [broken(at, `${key} is there no more`, before.deprecated === true)]
    const name = textAt(after, "operationId") ?? key
    return [
      ...(name === at ? [] : [broken(at, `has the operationId ${name}`)]),
      ...accessBreaks(before, after, at),
      ...parameterBreaks(before, after, at, schemaBreaks),
      ...bodyBreaks(before, after, `${at} body`, schemaBreaks),
      ...responseBreaks(before, after, at, components, schemaBreaks)
    ]
  })
}
