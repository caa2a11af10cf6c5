/** Random requests to every operation that the description has. */
import fc from "fast-check"
import {
  isObject,
  type Json,
  type JsonObject,
  listAt,
  objectAt,
  textAt
} from "../../../src/http/document/Json.ts"
import { document } from "../conformance.ts"
import { reference } from "./known.ts"
import { anyText, damaged, oddValue, valueOf } from "./values.ts"

export interface RandomRequest<Caller extends string> {
  readonly caller: Caller
  readonly operation: string
  readonly method: string
  /** Percent-encoded, but for references. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  readonly chunked: boolean
}

const encoded = (text: string) =>
  text
    .split(/(@known \S* \d+@)/)
    .map((part, n) => (n % 2 === 1 ? part : encodeURIComponent(part.toWellFormed())))
    .join("")

const undecodable = fc.constantFrom(
  "%zz",
  "a%00b",
  "%ff",
  "%",
  "%c0%af",
  "..",
  "%2e%2e",
  "%2f",
  "a%2fb",
  "a;x=1",
  "%ed%a0%80",
  ":",
  "*"
)

// The whole head of a request may have 16 KiB, and a character takes up to nine bytes of an address.
const maxSegment = 600
const maxQuery = 4_000

const segment = (name: string): fc.Arbitrary<string> =>
  fc.oneof(
    { arbitrary: reference(name), weight: 24 },
    { arbitrary: reference(name).map((mark) => `${mark}-and-more`), weight: 1 },
    {
      arbitrary: anyText.map((text) => encoded(text.slice(0, maxSegment))).filter((text) => text !== ""),
      weight: 3
    },
    { arbitrary: undecodable, weight: 1 }
  )

const pathOf = (template: string): fc.Arbitrary<string> => {
  const parts = template.split("/").map((part) => {
    const name = /^\{(\w+)\}$/.exec(part)?.[1]
    return name === undefined ? fc.constant(part) : segment(name)
  })
  return fc.tuple(...parts).map((segments) => segments.join("/"))
}

const parameterText = (value: Json): string => (typeof value === "string" ? value : JSON.stringify(value))

/** Values of one query parameter; lists repeat their key. */
const parameter = (
  name: string,
  schema: JsonObject
): fc.Arbitrary<ReadonlyArray<readonly [string, string]>> => {
  const values = fc.oneof(
    { arbitrary: valueOf(schema, name), weight: 10 },
    {
      arbitrary: fc.constantFrom<Json>(
        ...["", "0", "-1", "2", "1e3", "9".repeat(14), "9".repeat(15), "9".repeat(300), "a\0", "a?b\0"]
      ),
      weight: 4
    },
    { arbitrary: fc.oneof(anyText, oddValue), weight: 2 }
  )
  const named = fc.oneof(
    { arbitrary: fc.constant(name), weight: 12 },
    fc.constantFrom(`${name}[]`, `${name}[a]`, ` ${name}`)
  )
  return fc
    .tuple(named, values)
    .map(([key, value]) =>
      Array.isArray(value)
        ? value.slice(0, 50).map((one) => [key, parameterText(one)])
        : [[key, parameterText(value)]]
    )
}

const queryOf = (parameters: ReadonlyArray<JsonObject>): fc.Arbitrary<string> => {
  const known = parameters.map((one) => parameter(textAt(one, "name") ?? "", objectAt(one, "schema")))
  const unknown = fc.tuple(anyText, anyText).map((pair) => [pair])
  const some = fc.tuple(
    ...known.map((one) => fc.oneof(one, { arbitrary: fc.constant([]), weight: 2 })),
    fc.oneof({ arbitrary: fc.constant([]), weight: 6 }, unknown, ...known)
  )
  return some.map((lists) => {
    const pairs = lists
      .flat()
      .map(([key, value]) => `${encoded(key)}=${encoded(value)}`.replaceAll("%3F", "?"))
    const query = pairs.filter((_, n) => pairs.slice(0, n + 1).join("&").length < maxQuery).join("&")
    return query === "" ? "" : `?${query}`
  })
}

const json = "application/json"

const otherTypes = fc.constantFrom(
  ...[
    "application/json; charset=utf-8",
    "Application/JSON",
    "application/json; charset=utf-16",
    "text/plain"
  ],
  ...[
    "application/jsonx",
    "multipart/form-data; boundary=x",
    "application/x-www-form-urlencoded",
    "",
    "/",
    "a".repeat(2_000)
  ]
)

const brokenJson = (text: string) =>
  fc.constantFrom(
    ...[
      "",
      "{",
      "null",
      "[]",
      '"x"',
      "1e999",
      "\ufeff{}",
      "{}{}",
      `${text},`,
      text.slice(0, -1),
      text.slice(1),
      `${text}\0`
    ],
    ...[`\n\t ${text} `, text.replace("{", '{"title":1,"body":[],'), `{"a":${"[".repeat(5_000)}`, "\ud800"]
  )

interface Sent {
  readonly body?: string
  readonly type?: string
}

const bodyOf = (schema: JsonObject): fc.Arbitrary<Sent> => {
  const values = valueOf(schema, "body")
  const fitting = values.map((value): Sent => ({ body: JSON.stringify(value), type: json }))
  return fc.oneof(
    { arbitrary: fitting, weight: 16 },
    {
      arbitrary: damaged(values).map((value): Sent => ({ body: JSON.stringify(value), type: json })),
      weight: 6
    },
    {
      arbitrary: fitting.chain(({ body = "" }) => brokenJson(body)).map((body) => ({ body, type: json })),
      weight: 2
    },
    { arbitrary: fc.record({ body: fitting.map(({ body = "" }) => body), type: otherTypes }), weight: 2 },
    { arbitrary: fc.constant({}), weight: 1 }
  )
}

const oddHeaders: fc.Arbitrary<Readonly<Record<string, string>>> = fc.record(
  {
    "if-none-match": fc.constantFrom("*", '"x"', 'W/"x"', '"a", "b"', '"', "x".repeat(3_000)),
    accept: fc.constantFrom(
      "text/html",
      "*/*",
      "application/xml",
      ";q",
      "text/html;q=0.1, application/json",
      ""
    ),
    authorization: fc.constantFrom("Bearer x", "Bearer ", "Basic eDp4", `Bearer ${"x".repeat(3_000)}`),
    traceparent: fc.constantFrom(
      `00-${"0".repeat(32)}-${"0".repeat(16)}-00`,
      `00-${"a".repeat(32)}-${"b".repeat(16)}-01`,
      "x"
    ),
    "content-encoding": fc.constantFrom("gzip", "identity"),
    origin: fc.constantFrom("null", "https://evil.test", "https://app.forum.test"),
    "sec-fetch-site": fc.constantFrom("same-origin", "cross-site", "none"),
    "x-forwarded-for": fc.constantFrom("1.2.3.4", "x, y", ""),
    range: fc.constant("bytes=0-1")
  },
  { requiredKeys: [] }
)

const headersOf = (sent: fc.Arbitrary<Sent>) =>
  fc
    .tuple(sent, fc.oneof({ arbitrary: fc.constant({}), weight: 9 }, oddHeaders))
    .map(([{ body, type }, odd]) => ({
      headers: { ...odd, ...(type === undefined ? {} : { "content-type": type }) },
      ...(body === undefined ? {} : { body })
    }))

const requestsTo = <Caller extends string>(
  caller: fc.Arbitrary<Caller>,
  path: string,
  method: string,
  definition: JsonObject
): fc.Arbitrary<RandomRequest<Caller>> => {
  const content = objectAt(objectAt(objectAt(definition, "requestBody"), "content"), json)
  const sent = "schema" in content ? bodyOf(objectAt(content, "schema")) : fc.constant({})
  const inQuery = listAt(definition, "parameters")
    .filter(isObject)
    .filter((one) => one.in === "query")
  return fc
    .record({
      caller,
      path: pathOf(path),
      query: queryOf(inQuery),
      rest: headersOf(sent),
      chunked: fc.integer({ min: 0, max: 9 }).map((n) => n === 0)
    })
    .map(({ caller, chunked, path, query, rest }) => ({
      caller,
      operation: textAt(definition, "operationId") ?? "",
      method: method.toUpperCase(),
      path: `/api${path}${query}`,
      ...rest,
      chunked
    }))
}

/** Calls of some operations are all alike, and what is deleted can be referred to no longer: there are fewer of them. */
const weightOf = (method: string, definition: JsonObject) => {
  if (method === "delete") return 2
  const parameters = listAt(definition, "parameters").length
  return parameters === 0 && !("requestBody" in definition) ? 1 : 6 + parameters
}

/** Requests to all operations by these callers. */
export const requestsBy = <Caller extends string>(
  caller: fc.Arbitrary<Caller>
): fc.Arbitrary<RandomRequest<Caller>> =>
  fc.oneof(
    ...Object.entries(objectAt(document, "paths")).flatMap(([path, item]) =>
      Object.entries(isObject(item) ? item : {}).flatMap(([method, definition]) =>
        isObject(definition)
          ? [
              {
                arbitrary: requestsTo(caller, path, method, definition),
                weight: weightOf(method, definition)
              }
            ]
          : []
      )
    )
  )
