/** Every array that a request may have is limited, and counted before its elements are decoded. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import {
  isObject,
  type Json,
  type JsonObject,
  listAt,
  objectAt,
  textAt
} from "../../src/http/document/Json.ts"
import { descriptionOf, document } from "../support/conformance.ts"
import { type Operation, operations } from "../support/operations.ts"
import * as People from "../support/people.ts"
import { Cast, json, query } from "../support/people.ts"
import { assertInvalid, issuesOf } from "../support/problems.ts"
import { send } from "../support/raw.ts"

interface Limited {
  readonly path: ReadonlyArray<string>
  readonly maximum: unknown
}

const resolved = (schema: Json | undefined): JsonObject => {
  if (!isObject(schema)) return {}
  const name = textAt(schema, "$ref")?.replace("#/components/schemas/", "")
  return name === undefined ? schema : resolved(objectAt(objectAt(document, "components"), "schemas")[name])
}

/** The arrays in a schema, each with the path to it; `0` stands for any element. */
const arraysIn = (schema: Json | undefined, path: ReadonlyArray<string> = []): ReadonlyArray<Limited> => {
  const found = resolved(schema)
  const parts = ["allOf", "anyOf", "oneOf"].flatMap((key) => listAt(found, key))
  return [
    ...(found.type === "array" ? [{ path, maximum: found.maxItems }] : []),
    ...(found.items === undefined ? [] : arraysIn(found.items, [...path, "0"])),
    ...parts.flatMap((part) => arraysIn(part, path)),
    ...Object.entries(objectAt(found, "properties")).flatMap(([key, inner]) =>
      arraysIn(inner, [...path, key])
    )
  ]
}

const bodyArrays = ({ id }: Operation) => {
  const content = objectAt(objectAt(descriptionOf(id), "requestBody"), "content")
  return Object.values(content).flatMap((media) => arraysIn(objectAt(media, "schema")))
}

const queryArrays = ({ id }: Operation) =>
  listAt(descriptionOf(id), "parameters").flatMap((parameter) =>
    arraysIn(objectAt(parameter, "schema"), [textAt(parameter, "name") ?? ""])
  )

/** A body with so many elements at a path. */
const bodyAt = (path: ReadonlyArray<string>, count: number): Json => {
  const [key, ...rest] = path
  if (key === undefined) return Array.from({ length: count }, () => ({}))
  return key === "0" ? [bodyAt(rest, count)] : { [key]: bodyAt(rest, count) }
}

layer(People.layer)("an array in a request", (it) => {
  it("has a limit in the description", () => {
    const all = operations.flatMap((operation) =>
      [...bodyArrays(operation), ...queryArrays(operation)].map(({ maximum, path }) => ({
        place: `${operation.id} ${path.join(".")}`,
        maximum
      }))
    )
    assert.isAbove(all.length, 8)
    for (const { maximum, place } of all) assert.isTrue(Number.isInteger(maximum), place)
  })

  it.effect("beyond the limit is one issue, however many elements it has and whatever they are", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      for (const operation of operations) {
        const { method, path: address } = operation
        const call = { method, headers: { ...odin.headers, ...json } }
        for (const { maximum, path } of bodyArrays(operation)) {
          const over = { ...call, path: address, body: JSON.stringify(bodyAt(path, Number(maximum) + 1)) }
          const refused = yield* send(over)
          assertInvalid(refused, `body ${path.join(".")}`.trim())
          assert.strictEqual(issuesOf(refused)[0]?.message, `Expected at most ${maximum} elements`)
        }
        for (const { maximum, path } of queryArrays(operation)) {
          const [name = ""] = path
          const times = Array.from({ length: Number(maximum) + 1 }, () => "-")
          const refused = yield* send({ ...call, path: `${address}${query({ [name]: times })}` })
          assertInvalid(refused, `query ${name}`)
          assert.strictEqual(issuesOf(refused)[0]?.message, `Expected at most ${maximum} elements`)
        }
      }
    })
  )

  it.effect("is counted as a parser of JSON counts it", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const ones = (count: number) => JSON.stringify(Array.from({ length: count }, () => 1))
      // Each element would be an issue.
      const broken = JSON.stringify(Array.from({ length: 51 }, () => ({ '"': "\\" })))
      const links = (count: number) =>
        JSON.stringify(
          Array.from({ length: count }, (_, n) => ({ text: "[,,[", url: `https://a.test/${n}` }))
        )
      const counted: ReadonlyArray<readonly [body: string, fits: boolean]> = [
        [`{"links":${links(50)}}`, true],
        [`{"links":[]}`, true],
        [`{"links":${broken}}`, false],
        [`{ "links" : [ ${" ,".repeat(50)} ] }`, false],
        // The same name, written in another way.
        [`{"l\\u0069nks":${broken}}`, false],
        // What a parser takes is the last of two.
        [`{"links":[],"links":${broken}}`, false],
        [`{"bio":"\\\\\\"","links":${broken}}`, false],
        [`{"bio":"\\"links\\":[","meta":{"links":${ones(60)}},"links":${links(50)}}`, true],
        [`{"meta":{"a":[${ones(60)},${ones(60)}]},"unknown":${ones(60)}}`, true]
      ]
      for (const [body, fits] of counted) {
        const call = { method: "PATCH", path: "/api/accounts", headers: { ...freya.headers, ...json }, body }
        const answer = yield* send(call)
        if (fits) assert.strictEqual(answer.status, 200, `${body}: ${answer.text}`)
        else assertInvalid(answer, "body links")
      }
    })
  )

  it.effect("with as many elements as a body holds is refused for the array, not for its elements", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const body = `{"links":[${"{},".repeat(349_000)}{}]}`
      assertInvalid(yield* freya.patch("/accounts", JSON.parse(body)), "body links")
    })
  )

  it.effect("has at most fifty of its issues reported, and the others counted", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const broken = (count: number) => ({ links: Array.from({ length: count }, () => ({})) })
      const few = yield* freya.patch("/accounts", broken(25))
      assert.strictEqual(issuesOf(few).length, 50)
      assert.notProperty(few.json.metadata, "more")
      const many = yield* freya.patch("/accounts", broken(50))
      assert.strictEqual(issuesOf(many).length, 50)
      assert.strictEqual(many.json.metadata.more, 50)
      assert.deepStrictEqual(
        issuesOf(many)
          .slice(0, 3)
          .map(({ path }) => path),
        ["links.0.text", "links.0.url", "links.1.text"]
      )
    })
  )
})
