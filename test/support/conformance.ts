/** Checks every answer in the tests against the description of the API: status, content type, headers and body. */
import { Ajv2020, type ErrorObject, type ValidateFunction } from "ajv/dist/2020.js"
import addFormats from "ajv-formats"
import { ForumApi } from "../../src/http/Api.ts"
import { undeclaredCaching } from "../../src/http/contract/Headers.ts"
import { unrouted } from "../../src/http/contract/RequestProblems.ts"
import { documentOf } from "../../src/http/document/Document.ts"
import {
  isObject,
  type Json,
  type JsonObject,
  listAt,
  mapValues,
  objectAt,
  textAt
} from "../../src/http/document/Json.ts"
import type { Answer } from "./answers.ts"
import { recordAnswer } from "./declared-answers.ts"

/** The description as the service in the tests serves it. */
export const document: JsonObject = documentOf(ForumApi, {
  publicUrl: new URL("http://forum.test"),
  version: "1.2.3"
})

/** What stands for a value that does not exist, which has no key. */
const something: Json = {
  not: { anyOf: [{ type: "null" }, { type: "string", maxLength: 0 }, { type: "object", maxProperties: 0 }] }
}

/** Whether a mismatch is that an optional value is there and empty. */
export const saysEmpty = (mismatch: string): boolean => mismatch.endsWith(" must NOT be valid {}")

const schemas: JsonObject = objectAt(objectAt(document, "components"), "schemas")

const isInPart = (schema: JsonObject): boolean =>
  JSON.stringify(objectAt(schema, "properties").misc ?? "").includes("`omitted`")

const isSubset = (some: ReadonlyArray<string>, others: ReadonlyArray<string>) =>
  some.every((one) => others.includes(one))

/**
 * The fields that something has always and lacks only where it is shown in part: those that are required where the same
 * is shown whole. They may be empty.
 */
const alwaysHad = (part: JsonObject): ReadonlyArray<string> => {
  const required = listAt(part, "required").map(String)
  const keys = Object.keys(objectAt(part, "properties"))
  const whole = Object.values(schemas).filter(
    (schema): schema is JsonObject =>
      isObject(schema) &&
      "misc" in objectAt(schema, "properties") &&
      !isInPart(schema) &&
      isSubset(required, listAt(schema, "required").map(String)) &&
      isSubset(listAt(schema, "required").map(String), keys)
  )
  return [...new Set(whole.flatMap((schema) => listAt(schema, "required").map(String)))].filter(
    (key) => !required.includes(key)
  )
}

/** What `misc.omitted` names is not there, and what is not there although everything of the kind has it is named. */
const omissionsOf = (part: JsonObject): JsonObject => {
  const required = listAt(part, "required").map(String)
  const optional = Object.keys(objectAt(part, "properties")).filter((key) => !required.includes(key))
  const had = alwaysHad(part)
  const naming = (key: string): Json => ({
    properties: { misc: { properties: { omitted: { contains: { const: key } } }, required: ["omitted"] } },
    required: ["misc"]
  })
  const omitted = { type: "array", minItems: 1, uniqueItems: true, items: { enum: optional } }
  return {
    properties: { misc: { properties: { omitted }, additionalProperties: false } },
    allOf: optional.map((key) => ({
      if: naming(key),
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      then: { properties: { [key]: false } },
      ...(had.includes(key) ? { else: { required: [key] } } : {})
    }))
  }
}

const withoutEmpty = (schema: JsonObject): Json => {
  const mayBeEmpty = [...listAt(schema, "required"), ...(isInPart(schema) ? alwaysHad(schema) : [])]
  return mapValues(objectAt(schema, "properties"), (inner, key) => {
    if (isObject(inner) && textAt(inner, "description")?.startsWith("Reserved") === true) {
      return { allOf: [inner, { maxProperties: 0 }] }
    }
    return mayBeEmpty.includes(key) ? inner : { allOf: [inner, something] }
  })
}

/** The description allows unknown fields and empty optional ones; in the tests an answer may have none. */
const strict = (value: Json, isPart = false): Json => {
  if (Array.isArray(value)) return value.map((item) => strict(item))
  if (!isObject(value)) return value
  const mapped = mapValues(value, (item, key) =>
    key === "allOf" && Array.isArray(item) ? item.map((part) => strict(part, true)) : strict(item)
  )
  const isOfProperties = value.type === "object" && "properties" in value
  const inner = isOfProperties
    ? {
        ...mapped,
        properties: withoutEmpty(mapped),
        ...(isInPart(mapped) ? { allOf: [...listAt(mapped, "allOf"), omissionsOf(mapped)] } : {})
      }
    : mapped
  const closes = !isPart && ("allOf" in value || (value.type === "object" && "properties" in value))
  return closes ? { ...inner, unevaluatedProperties: false } : inner
}

const makeAjv = (read: (schema: Json) => Json) => {
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  addFormats.default(ajv)
  ajv.addFormat("xid", true)
  ajv.addFormat("iso8601-interval", true)
  ajv.addFormat("password", true)
  return ajv.addSchema({ $id: "forum", components: { schemas: mapValues(schemas, read) } })
}

const lazily = <A>(make: () => A): (() => A) => {
  let made: { readonly value: A } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

/** Why a value is not what a schema of the document describes, where those of its components are read like this. */
const makeMismatches = (read: (schema: Json) => Json) => {
  const ajv = lazily(() => makeAjv(read))
  const compiled = new Map<string, ValidateFunction>()
  const compile = (schema: JsonObject) => {
    const key = JSON.stringify(schema)
    const validate = compiled.get(key) ?? ajv().compile(JSON.parse(key.replaceAll('"#/', '"forum#/')))
    compiled.set(key, validate)
    return validate
  }
  const known = new WeakMap<JsonObject, ValidateFunction>()
  return (schema: JsonObject, value: unknown): ReadonlyArray<string> => {
    const validate = known.get(schema) ?? compile(schema)
    known.set(schema, validate)
    if (validate(value)) return []
    return (validate.errors ?? []).map(
      ({ instancePath, message, params }: ErrorObject) =>
        `${instancePath || "/"} ${message} ${JSON.stringify(params)}`
    )
  }
}

/** Why a value is not what a schema of the document describes for an answer. */
export const mismatches = makeMismatches((schema) => strict(schema))

/** Why a value is not what a schema of the document describes, and no more: it may have unknown and empty fields. */
export const plainMismatches = makeMismatches((schema) => schema)

interface Operation {
  readonly id: string
  readonly matches: RegExp
  /** How many of its segments may be anything. */
  readonly parameters: number
  readonly definition: JsonObject
}

const operations = lazily(() => {
  const byMethod = new Map<string, Array<Operation>>()
  for (const [path, item] of Object.entries(objectAt(document, "paths"))) {
    if (!isObject(item)) continue
    for (const [method, definition] of Object.entries(item)) {
      if (!isObject(definition)) continue
      const operation = {
        id: textAt(definition, "operationId") ?? "",
        matches: new RegExp(
          `^/api${path
            .replace(/[.]/g, "\\.")
            .replace(/(?<=\/)\{\w+\}(?=\/|$)/g, "[^/]+")
            .replace(/\{\w+\}/g, "[^/]*")}/?$`
        ),
        parameters: path.split("/").filter((segment) => /^\{\w+\}$/.test(segment)).length,
        definition
      }
      byMethod.set(method, [...(byMethod.get(method) ?? []), operation])
    }
  }
  return byMethod
})

/** The operation that a request is for, if any. */
export const operationFor = (method: string, path: string): Operation | undefined => {
  const asked = method === "HEAD" ? "get" : method.toLowerCase()
  const plain = path.split("?", 1)[0] ?? ""
  const all = [...operations().values()].flat().filter(({ matches }) => matches.test(plain))
  // The path with fewer segments that may be anything is meant, whatever methods others take, as in the router.
  const fewest = Math.min(...all.map(({ parameters }) => parameters))
  return operations()
    .get(asked)
    ?.find((operation) => operation.parameters === fewest && all.includes(operation))
}

/** The description of one operation. */
export const descriptionOf = (id: string): JsonObject =>
  [...operations().values()].flat().find((operation) => operation.id === id)?.definition ?? {}

const mediaType = (contentType: string | undefined) => (contentType ?? "").replace(/;\s*charset=.*$/i, "")

const problemType = "application/problem+json"

/** Frontends find out by this header that there is no body; answers with the other statuses never have one. */
const checkEmpty = ({ headers, status }: Answer): ReadonlyArray<string> =>
  status === 204 || status === 304 || headers["content-length"] === "0"
    ? []
    : ["is empty, and has no Content-Length of 0"]

const checkBody = (response: JsonObject, answer: Answer): ReadonlyArray<string> => {
  const content = objectAt(response, "content")
  const types = Object.keys(content)
  const type = mediaType(answer.headers["content-type"])
  // Bytes of any kind, of which there may be none.
  if ("application/octet-stream" in content && type !== problemType) return []
  if (answer.text === "") {
    return types.length === 0 ? checkEmpty(answer) : [`is empty, and should be ${types.join(" or ")}`]
  }
  const media = content[type]
  if (media === undefined)
    return [`is ${type || "of no type"}, and should be ${types.join(" or ") || "empty"}`]
  return /json/.test(type) ? mismatches(objectAt(media, "schema"), JSON.parse(answer.text)) : []
}

const checkHeaders = (response: JsonObject, answer: Answer): ReadonlyArray<string> =>
  Object.entries(objectAt(response, "headers"))
    .filter(
      ([name, header]) =>
        isObject(header) && header.required === true && !(name.toLowerCase() in answer.headers)
    )
    .map(([name]) => `has no ${name}`)

/** An answer may be kept as far as its operation declares it, and not at all otherwise. */
const checkCaching = (response: JsonObject, { headers }: Answer): ReadonlyArray<string> => {
  const caching = headers["cache-control"]
  if ("Cache-Control" in objectAt(response, "headers") || caching === undeclaredCaching) return []
  return [`has the undeclared Cache-Control ${caching}`]
}

/** The problems of requests that reach no operation. */
const unroutedNames = unrouted.map(({ problemType }) => problemType.name)

const isUnrouted = (answer: Answer, operation: Operation | undefined) => {
  const name = String(answer.json?.type).replace("/api/problems/", "")
  return (
    answer.status >= 400 &&
    [...unroutedNames, ...(operation ? [] : ["cross-site-request", "rate-limit-exceeded"])].includes(name)
  )
}

const schemaNames = lazily(() => new Set(Object.keys(objectAt(objectAt(document, "components"), "schemas"))))

/**
 * The messages of an invalid request are for people, who have not read the names of our schemas. What is quoted is what
 * they may write, which some schemas have the names of.
 */
const checkMessages = ({ json, status }: Answer): ReadonlyArray<string> => {
  if (status < 400 || json?.type !== "/api/problems/invalid-request") return []
  const issues: ReadonlyArray<{ readonly message: string }> = json.metadata.issues
  return issues
    .filter(({ message }) =>
      message
        .replaceAll(/"[^"]*"/g, "")
        .split(/\W+/)
        .some((word) => schemaNames().has(word))
    )
    .map(({ message }) => `names a schema: ${message}`)
}

const anyProblem: JsonObject = { $ref: "#/components/schemas/APIError" }

const checkOperation = (operation: Operation, method: string, answer: Answer): ReadonlyArray<string> => {
  const response = objectAt(operation.definition, "responses")[answer.status]
  if (!isObject(response)) return ["has a status that is not declared"]
  const about = method === "HEAD" ? [] : [...checkBody(response, answer), ...checkMessages(answer)]
  return [...checkHeaders(response, answer), ...checkCaching(response, answer), ...about]
}

/** Documents of discovery are described by the standards that say where they are. */
const isDescribed = (path: string) => path.startsWith("/api/") && !path.startsWith("/api/.well-known/")

/** What an answer has that the description does not promise. */
export const faultsOf = (method: string, path: string, answer: Answer): ReadonlyArray<string> => {
  if (method === "OPTIONS" || !isDescribed(path)) return []
  const operation = operationFor(method, path)
  if (isUnrouted(answer, operation)) {
    const response = { content: { [problemType]: { schema: anyProblem } } }
    return [...checkCaching(response, answer), ...checkBody(response, answer)]
  }
  if (operation !== undefined) return checkOperation(operation, method, answer)
  return method === "HEAD" ? [] : ["is from an operation that is not described"]
}

/** Fails unless the answer is one that the description promises. */
export const checkConformance = (method: string, path: string, answer: Answer): void => {
  const faults = faultsOf(method, path, answer)
  const id = operationFor(method, path)?.id
  if (id !== undefined && method !== "OPTIONS" && method !== "HEAD") recordAnswer(id, answer)
  if (faults.length === 0) return
  throw new Error(
    `The answer ${answer.status} of ${id ?? "no operation"} (${method} ${path}) is not as described:\n  ${faults.join("\n  ")}\n${answer.text.slice(0, 2000)}`
  )
}
