/** What a change of the description breaks, by examples of each kind, both ways. */
import { assert, describe, it } from "@effect/vitest"
import type { Json, JsonObject } from "../../../src/http/document/Json.ts"
import { breaksBetween } from "../../../tools/compatibility/Operations.ts"

const id = { name: "id", in: "path", required: true, schema: { type: "string" } }
const sort = { name: "sort", in: "query", required: false, schema: { type: "string", enum: ["new", "old"] } }

const operation = {
  operationId: "Rename",
  security: [{ browser: [] }, { access_key: [] }],
  "x-permission": "MANAGE_POSTS",
  "x-max-body": 1000,
  parameters: [id, sort],
  requestBody: { content: { "application/json": { schema: { type: "object" } } } },
  responses: {
    "200": {
      headers: { ETag: { required: true, schema: { type: "string" } } },
      content: { "application/json": { schema: { type: "object" } } }
    },
    "404": { content: { "application/problem+json": { schema: { $ref: "#/components/schemas/NotFound" } } } }
  }
} satisfies JsonObject

const problem = (type: string, metadata: JsonObject = {}): JsonObject => ({
  type: "object",
  properties: { type: { type: "string", const: type }, metadata: { type: "object", properties: metadata } },
  required: ["type", "metadata"]
})

const schemas = {
  NotFound: problem("/api/problems/not-found", { id: { type: "string" } }),
  Other: problem("/o")
}

const described = (changed: JsonObject, components: JsonObject = {}, path = "/things/{id}"): JsonObject => ({
  paths: { [path]: { patch: { ...operation, ...changed } } },
  components: { schemas: { ...schemas, ...components } }
})

const textsOf = (base: JsonObject, next: JsonObject) =>
  breaksBetween(base, next).map(({ at, what }) => `${at}: ${what}`)

const inRequest = (schema: Json, components: JsonObject = {}) =>
  described({ requestBody: { content: { "application/json": { schema } } } }, components)

const inAnswer = (schema: Json, components: JsonObject = {}) =>
  described({ responses: { "200": { content: { "application/json": { schema } } } } }, components)

const object = (properties: JsonObject, ...required: ReadonlyArray<string>): JsonObject => ({
  type: "object",
  properties,
  required
})

const text = { type: "string" }
const ref = (name: string): JsonObject => ({ $ref: `#/components/schemas/${name}` })

/** What changes: what of it breaks who sends it, and who reads it; then the same the other way round. */
const ofSchemas: ReadonlyArray<
  readonly [
    name: string,
    base: Json,
    next: Json,
    sent: ReadonlyArray<string>,
    read: ReadonlyArray<string>,
    back: { readonly sent: ReadonlyArray<string>; readonly read: ReadonlyArray<string> }
  ]
> = [
  [
    "a field more",
    object({}),
    object({ a: text }),
    [],
    [],
    { sent: [".a: is taken no more"], read: [".a: is answered no more"] }
  ],
  [
    "a required field more",
    object({}),
    object({ a: text }, "a"),
    [".a: has to be sent"],
    [],
    { sent: [".a: is taken no more"], read: [".a: is answered no more"] }
  ],
  [
    "a field that becomes required",
    object({ a: text }),
    object({ a: text }, "a"),
    [".a: has to be sent"],
    [],
    { sent: [], read: [".a: may be absent"] }
  ],
  [
    "another type",
    object({ a: text }),
    object({ a: { type: "number" } }),
    [".a: is number instead of string"],
    [".a: is number instead of string"],
    { sent: [".a: is string instead of number"], read: [".a: is string instead of number"] }
  ],
  [
    "numbers for whole numbers",
    { type: "integer" },
    { type: "number" },
    [],
    [": is number instead of integer"],
    { sent: [": is integer instead of number"], read: [] }
  ],
  [
    "a value more",
    { enum: ["a"] },
    { enum: ["a", "b"] },
    [],
    [': may be "b"'],
    { sent: [': takes "b" no more'], read: [] }
  ],
  [
    "any text instead of some",
    { type: "string", enum: ["a"] },
    text,
    [],
    [': may be other than "a"'],
    { sent: [': takes "a" only'], read: [] }
  ],
  [
    "another constant",
    { type: "string", const: "a" },
    { type: "string", const: "b" },
    [': takes "a" no more'],
    [': may be "b"'],
    { sent: [': takes "b" no more'], read: [': may be "a"'] }
  ],
  [
    "a shorter text",
    { type: "string", maxLength: 10 },
    { type: "string", maxLength: 9 },
    [": has maxLength 9 instead of 10"],
    [],
    { sent: [], read: [] }
  ],
  [
    "a first bound",
    text,
    { type: "string", minLength: 1 },
    [": has minLength 1 instead of none"],
    [],
    { sent: [], read: [] }
  ],
  ["a bound that holds nothing back", text, { type: "string", minLength: 0 }, [], [], { sent: [], read: [] }],
  [
    "a smaller number",
    { type: "integer", minimum: 0, maximum: 9 },
    { type: "integer", minimum: 1, maximum: 8 },
    [": has maximum 8 instead of 9", ": has minimum 1 instead of 0"],
    [],
    { sent: [], read: [] }
  ],
  [
    "no negative numbers",
    { type: "integer" },
    { type: "integer", minimum: 0 },
    [": has minimum 0 instead of none"],
    [],
    { sent: [], read: [] }
  ],
  [
    "fewer entries",
    { type: "array", items: text, maxItems: 5 },
    { type: "array", items: text, maxItems: 4 },
    [": has maxItems 4 instead of 5"],
    [],
    { sent: [], read: [] }
  ],
  [
    "other entries",
    { type: "array", items: text },
    { type: "array", items: { type: "boolean" } },
    ["[]: is boolean instead of string"],
    ["[]: is boolean instead of string"],
    { sent: ["[]: is string instead of boolean"], read: ["[]: is string instead of boolean"] }
  ],
  [
    "each entry once",
    { type: "array", items: text },
    { type: "array", items: text, uniqueItems: true },
    [": has uniqueItems true instead of none"],
    [],
    { sent: [], read: [": has uniqueItems none instead of true"] }
  ],
  [
    "a form",
    text,
    { type: "string", format: "uri" },
    [': has format "uri" instead of none'],
    [],
    { sent: [], read: [': has format none instead of "uri"'] }
  ],
  [
    "another form",
    { type: "string", pattern: "^a" },
    { type: "string", pattern: "^b" },
    [': has pattern "^b" instead of "^a"'],
    [': has pattern "^b" instead of "^a"'],
    { sent: [': has pattern "^a" instead of "^b"'], read: [': has pattern "^a" instead of "^b"'] }
  ],
  [
    "null as well",
    text,
    { anyOf: [text, { type: "null" }] },
    [],
    [": may be null"],
    { sent: [": takes no more null"], read: [] }
  ],
  [
    "null as well, as a list of types",
    { type: "string", maxLength: 9 },
    { type: ["string", "null"], maxLength: 9 },
    [],
    [": may be null"],
    { sent: [": takes no more null"], read: [] }
  ],
  [
    "another kind of object",
    { oneOf: [object({ kind: { const: "a" } }, "kind")] },
    { oneOf: [object({ kind: { const: "a" } }, "kind"), object({ kind: { const: "b" } }, "kind")] },
    [],
    [': may be kind="b"'],
    { sent: [': takes no more kind="b"'], read: [] }
  ],
  [
    "a change inside one of two kinds",
    { oneOf: [object({ kind: { const: "a" } }, "kind"), object({ kind: { const: "b" }, x: text }, "kind")] },
    { oneOf: [object({ kind: { const: "a" } }, "kind"), object({ kind: { const: "b" } }, "kind")] },
    [".x: is taken no more"],
    [".x: is answered no more"],
    { sent: [], read: [] }
  ],
  [
    "closed maps",
    { type: "object", additionalProperties: true },
    { type: "object", additionalProperties: text },
    [".*: takes less"],
    [],
    { sent: [], read: [".*: may be anything"] }
  ],
  [
    "maps of other values",
    { type: "object", additionalProperties: text },
    { type: "object", additionalProperties: { type: "number" } },
    [".*: is number instead of string"],
    [".*: is number instead of string"],
    { sent: [".*: is string instead of number"], read: [".*: is string instead of number"] }
  ],
  [
    "maps of other names",
    { type: "object", additionalProperties: true, propertyNames: { maxLength: 9 } },
    { type: "object", additionalProperties: true, propertyNames: { maxLength: 8 } },
    [" names: has maxLength 8 instead of 9"],
    [],
    { sent: [], read: [] }
  ],
  [
    "nothing in a list",
    { type: "array", items: text },
    { type: "array", items: { not: {} } },
    ["[]: takes no more string"],
    [],
    { sent: [], read: ["[]: may be string"] }
  ],
  [
    "fewer than anything",
    {},
    text,
    [": is string instead of anything"],
    [],
    { sent: [], read: [": is anything instead of string"] }
  ],
  [
    "rules in parts",
    { type: "string", maxLength: 9 },
    { type: "string", maxLength: 9, allOf: [{ maxLength: 5 }, { maxLength: 7 }] },
    [": has maxLength 5 instead of 9"],
    [],
    { sent: [], read: [] }
  ],
  [
    "fields in parts",
    { allOf: [object({ a: text }, "a"), object({ b: text })] },
    { allOf: [object({ a: text }, "a"), object({ b: text }, "b")] },
    [".b: has to be sent"],
    [],
    { sent: [], read: [".b: may be absent"] }
  ],
  [
    "words",
    { type: "string", description: "a", examples: ["a"] },
    { type: "string", title: "b" },
    [],
    [],
    { sent: [], read: [] }
  ]
]

describe("a change of what is sent and read", () => {
  const placed = (place: string, texts: ReadonlyArray<string>) => texts.map((one) => `Rename ${place}${one}`)

  it.each(ofSchemas)("%s", (_, base, next, sent, read, back) => {
    assert.deepStrictEqual(textsOf(inRequest(base), inRequest(next)), placed("body", sent))
    assert.deepStrictEqual(textsOf(inAnswer(base), inAnswer(next)), placed("200", read))
    assert.deepStrictEqual(textsOf(inRequest(next), inRequest(base)), placed("body", back.sent))
    assert.deepStrictEqual(textsOf(inAnswer(next), inAnswer(base)), placed("200", back.read))
  })

  it("of a named schema is told of once in each direction, wherever it is used", () => {
    const both = (thing: JsonObject) =>
      described(
        {
          requestBody: {
            content: { "application/json": { schema: object({ a: ref("Thing"), b: ref("Thing") }) } }
          },
          responses: { "200": { content: { "application/json": { schema: ref("Thing") } } } }
        },
        { Thing: thing }
      )
    assert.deepStrictEqual(textsOf(both(object({ a: text })), both(object({}))), [
      "Thing (request).a: is taken no more",
      "Thing (answer).a: is answered no more"
    ])
  })

  it("of a schema that contains itself ends", () => {
    const tree = (more: JsonObject) => ({
      Tree: object({ children: { type: "array", items: ref("Tree") }, ...more })
    })
    const [base, next] = [tree({ a: text }), tree({})]
    assert.deepStrictEqual(textsOf(inAnswer(ref("Tree"), base), inAnswer(ref("Tree"), next)), [
      "Tree (answer).a: is answered no more"
    ])
    const [nullable, other] = [
      { anyOf: [ref("Tree"), { type: "null" }] },
      { anyOf: [ref("Tree"), { type: "null" }] }
    ]
    assert.lengthOf(textsOf(inAnswer(nullable, base), inAnswer(other, next)), 1)
  })

  it("of an enumeration that grows breaks nobody who reads it, and who sends it as any other", () => {
    const [few, more] = [{ enum: ["a"] }, { enum: ["a", "b"] }]
    const [one, both] = [
      { oneOf: [object({ kind: { const: "a" } }, "kind")] },
      { oneOf: [object({ kind: { const: "a" } }, "kind"), object({ kind: { const: "b" } }, "kind")] }
    ]
    const used = (place: typeof inAnswer, name: string, schema: Json) => place(ref(name), { [name]: schema })
    assert.deepStrictEqual(textsOf(used(inAnswer, "Permission", few), used(inAnswer, "Permission", more)), [])
    assert.deepStrictEqual(textsOf(used(inAnswer, "Change", one), used(inAnswer, "Change", both)), [])
    assert.lengthOf(textsOf(used(inAnswer, "Other", few), used(inAnswer, "Other", more)), 1)
    assert.lengthOf(textsOf(used(inAnswer, "Another", one), used(inAnswer, "Another", both)), 1)
    assert.deepStrictEqual(textsOf(used(inRequest, "Permission", more), used(inRequest, "Permission", few)), [
      'Permission (request): takes "b" no more'
    ])
  })

  it("that only gives a schema another name breaks nothing", () => {
    const [base, next] = [{ One: object({ a: text }) }, { Two: object({ a: text }) }]
    assert.deepStrictEqual(textsOf(inAnswer(ref("One"), base), inAnswer(ref("Two"), next)), [])
    assert.deepStrictEqual(textsOf(inRequest(ref("One"), base), inRequest(object({ a: text }))), [])
  })

  it("that nothing here understands is no reason to find nothing", () => {
    assert.throws(() => textsOf(inAnswer({ not: text }), inAnswer(text)), /excludes/)
    assert.throws(() => textsOf(inAnswer({ if: text }), inAnswer(text)), /The keyword if/)
    assert.throws(() => textsOf(inAnswer(ref("Nothing")), inAnswer(text)), /no schema Nothing/)
  })
})

const json = (schema: Json) => ({ content: { "application/json": { schema } } })
const ok = operation.responses["200"]

describe("a change of an operation", () => {
  const changes: ReadonlyArray<
    readonly [name: string, next: JsonObject, breaks: ReadonlyArray<string>, back: ReadonlyArray<string>]
  > = [
    [
      "another name",
      { operationId: "Retitle" },
      [": has the operationId Retitle"],
      ["Retitle: has the operationId Rename"]
    ],
    ["a credential less", { security: [{ browser: [] }] }, [": takes access_key no more"], []],
    ["guests as well", { security: [{}, ...operation.security] }, [], [": takes guests no more"]],
    ["no permission", { "x-permission": null }, [], [": requires MANAGE_POSTS"]],
    [
      "another permission",
      { "x-permission": "MANAGE_ROLES" },
      [": is not allowed by MANAGE_POSTS any more"],
      [": is not allowed by MANAGE_ROLES any more"]
    ],
    [
      "one more that does as well",
      { "x-permission-alternative": "MANAGE_ROLES" },
      [],
      [": is not allowed by MANAGE_ROLES any more"]
    ],
    [
      "one more that is needed",
      { "x-permission-also": "MANAGE_ROLES" },
      [": requires MANAGE_ROLES, too"],
      []
    ],
    ["smaller bodies", { "x-max-body": 999 }, [" body: has 999 bytes at most instead of 1000"], []],
    ["other costs", { "x-cost": "heavy", "x-rate-limit-cost": 9 }, [], []],
    ["a parameter less", { parameters: [id] }, [" query sort: is taken no more"], []],
    [
      "a parameter that is needed",
      { parameters: [id, sort, { name: "by", in: "query", required: true, schema: text }] },
      [" query by: has to be sent"],
      [" query by: is taken no more"]
    ],
    [
      "a parameter that becomes needed",
      { parameters: [id, { ...sort, required: true }] },
      [" query sort: has to be sent"],
      []
    ],
    [
      "fewer values of a parameter",
      { parameters: [id, { ...sort, schema: { type: "string", enum: ["new"] } }] },
      [' query sort: takes "old" no more'],
      []
    ],
    ["another name in the path", { parameters: [{ ...id, name: "thing" }, sort] }, [], []],
    [
      "a body that is needed",
      { requestBody: { ...operation.requestBody, required: true } },
      [" body: has to be sent"],
      []
    ],
    [
      "a body of another type",
      { requestBody: { content: { "text/plain": { schema: text } } } },
      [" body: is application/json no more"],
      [" body: is text/plain no more"]
    ],
    [
      "another status",
      { responses: { ...operation.responses, "202": json(text) } },
      [": may answer 202"],
      [" 202: is answered no more"]
    ],
    ["no such answer", { responses: { "200": ok } }, [" 404: is answered no more"], []],
    [
      "an answer of another type",
      { responses: { ...operation.responses, "200": { ...ok, content: { "text/csv": { schema: text } } } } },
      [" 200: is application/json no more"],
      [" 200: is text/csv no more"]
    ],
    [
      "no header",
      { responses: { ...operation.responses, "200": { ...ok, headers: {} } } },
      [" 200 header ETag: is sent no more"],
      []
    ],
    [
      "a header at times",
      { responses: { ...operation.responses, "200": { ...ok, headers: { ETag: { schema: text } } } } },
      [" 200 header ETag: may be absent"],
      []
    ],
    [
      "one more problem",
      {
        responses: {
          ...operation.responses,
          "404": {
            content: { "application/problem+json": { schema: { oneOf: [ref("NotFound"), ref("Other")] } } }
          },
          "409": { content: { "application/problem+json": { schema: ref("Other") } } }
        }
      },
      [],
      [" 404: answers /o no more", " 409: is answered no more"]
    ]
  ]

  it.each(changes)("to %s", (_, next, breaks, back) => {
    const withName = (texts: ReadonlyArray<string>) =>
      texts.map((one) => (one.startsWith(" ") || one.startsWith(":") ? `Rename${one}` : one))
    assert.deepStrictEqual(textsOf(described({}), described(next)), withName(breaks))
    assert.deepStrictEqual(textsOf(described(next), described({})), withName(back))
  })

  it("to another method or address is its end, unless the names of parameters alone differ", () => {
    const gone = ["Rename: PATCH /things/{} is there no more"]
    assert.deepStrictEqual(textsOf(described({}), described({}, {}, "/stuff/{id}")), gone)
    assert.deepStrictEqual(textsOf(described({}), { paths: {} }), gone)
    assert.deepStrictEqual(textsOf({ paths: {} }, described({})), [])
    assert.deepStrictEqual(textsOf(described({}), described({}, {}, "/things/{thing}")), [])
  })

  it("to the case of a header's name breaks nothing, and to that of a parameter's does", () => {
    const named = (name: string, place: string) =>
      described({ parameters: [id, { name, in: place, schema: text }] })
    assert.deepStrictEqual(textsOf(named("X-Once", "header"), named("x-once", "header")), [])
    assert.deepStrictEqual(textsOf(named("Once", "query"), named("once", "query")), [
      "Rename query Once: is taken no more"
    ])
  })

  it("of the metadata of its problems is found", () => {
    assert.deepStrictEqual(
      textsOf(described({}), described({}, { NotFound: problem("/api/problems/not-found") })),
      ["NotFound (answer).metadata.id: is answered no more"]
    )
  })

  it("is announced where what ends was called deprecated", () => {
    const deprecated = described({
      deprecated: true,
      parameters: [id, { ...sort, deprecated: true }],
      ...{ responses: { "200": json(object({ a: { ...text, deprecated: true }, b: text })) } }
    })
    const without = described({ parameters: [id], responses: { "200": json(object({})) } })
    const announced = (next: JsonObject) =>
      breaksBetween(deprecated, next).flatMap(({ announced, at }) => (announced ? [at] : []))
    assert.deepStrictEqual(announced(without), ["Rename query sort", "Rename 200.a"])
    assert.deepStrictEqual(announced({ paths: {} }), ["Rename"])
    assert.isTrue(breaksBetween(described({}), { paths: {} }).every(({ announced }) => !announced))
  })
})
