/** What holds for every string of every request: its bounds, and what no answer or storage may suffer from. */
import { assert, describe, layer, it as plainly } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { Answer } from "../support/answers.ts"
import { announce } from "../support/calendar.ts"
import { category, open, reply } from "../support/discussion.ts"
import * as People from "../support/people.ts"
import { Cast, drainEvents, json, type Person } from "../support/people.ts"
import { assertInvalid, isInvalid, issuesOf } from "../support/problems.ts"
import { send } from "../support/raw.ts"
import { bodyWith, placeOf, type TextField, textFields } from "../support/texts.ts"

/** Those that a schema checks: an operation that takes any body checks none. */
const checkedFields = textFields.filter(({ in: place, operation }) => place !== "body" || operation.hasBody)

/** What the parameters of paths name, so that bodies reach the storage. */
type Named = ReadonlyMap<string, string>

const prepare = Effect.gen(function* () {
  const { freya, odin } = yield* Cast
  const place = yield* category(odin, "Texts")
  const thread = yield* open(odin, "Texts")
  const answer = yield* reply(odin, thread.id, "mine")
  yield* reply(freya, thread.id, "yours")
  yield* odin.post("/links", { url: "https://texts.test/" })
  yield* drainEvents
  const { json: list } = yield* odin.get("/notifications")
  const event = yield* announce(odin, place.id, "Texts")
  const { json: collection } = yield* odin.post("/collections", { name: "Texts" })
  const { json: node } = yield* odin.post("/nodes", { name: "Texts" })
  const { json: version } = yield* odin.post(`/nodes/${node.id}/versions`, {})
  const named: Named = new Map([
    ["thread_mark", thread.id],
    ["post_id", answer.id],
    ["notification_id", list.notifications[0].id],
    ["account_id", freya.id],
    ["account_handle", "freya"],
    ["category_slug", place.slug],
    ["event_mark", event.id],
    ["collection_mark", collection.id],
    ["link_slug", "texts-test"],
    ["role_id", "00000000000000000010"],
    ["node_slug", node.id],
    ["version_id", version.id],
    ["name", "not-found"],
    ["format", "atom"]
  ])
  return { caller: odin, named }
})

/** Sends a text in one field; `encoded` is how it stands in an address. */
const sendIn = (
  field: TextField,
  { caller, named }: { readonly caller: Person; readonly named: Named },
  text: string,
  encoded = encodeURIComponent(text.toWellFormed())
) => {
  const { method, pathWith, requiredQuery } = field.operation
  const known = (parameter: string) => named.get(parameter) ?? "unused"
  const path = pathWith(known)
  const [name] = field.path
  const { headers } = caller
  if (field.in === "path") {
    const withText = pathWith((parameter) => (parameter === name ? encoded : known(parameter)))
    return send({ method, path: withText, headers })
  }
  const others = requiredQuery.filter((one) => one !== name).map((one) => `&${one}=x`)
  if (field.in === "query") {
    return send({ method, path: `${path}?${name}=${encoded}${others.join("")}`, headers })
  }
  const body = JSON.stringify(bodyWith(field, text))
  return send({ method, path, headers: { ...headers, ...json }, body })
}

const isNamed = (field: TextField, answer: Answer) =>
  isInvalid(answer) && issuesOf(answer).some((issue) => `${issue.in} ${issue.path}` === placeOf(field))

const about = (field: TextField, answer: Answer) =>
  `${field.operation.id}, ${placeOf(field)}: ${answer.status} ${answer.text.slice(0, 500)}`

// A longer one would not fit into an address.
const longestParameter = 1000

const limitOf = ({ in: place, schema }: TextField): number | undefined => {
  const { format, maxLength } = schema
  // An instant of any length is no other text.
  if (typeof maxLength !== "number" || format === "date-time") return undefined
  return place === "body" || maxLength <= longestParameter ? maxLength : undefined
}

/** Whether a text has to have more than a length to be accepted. */
const hasForm = ({ schema }: TextField) =>
  schema.format === "iso8601-interval" ||
  (typeof schema.pattern === "string" &&
    schema.format === undefined &&
    !new RegExp(schema.pattern, "u").test("xx\u{10348}"))

/** A text of this many characters, one of which takes two UTF-16 units; addresses of pages have ASCII characters only. */
const textOf = (length: number, { schema }: TextField) => {
  if (schema.format === "uri") return "https://example.org/".padEnd(length, "x")
  const end = schema.format === "email" ? "\u{10348} <x@example.org>" : "\u{10348}"
  return end.padStart(length + 1, "x")
}

describe("every string of a request", () => {
  plainly("has a bound that the description shows", () => {
    assert.isAbove(checkedFields.length, 50)
    const unbounded = checkedFields.filter(
      ({ schema }) => !("maxLength" in schema || "enum" in schema || schema.format === "xid")
    )
    assert.deepStrictEqual(
      unbounded.map((field) => `${field.operation.id}: ${placeOf(field)}`),
      []
    )
  })
})

layer(People.layer)("every string of a request", (it) => {
  it.effect("is refused by name if it cannot be stored", () =>
    Effect.gen(function* () {
      const prepared = yield* prepare
      for (const field of checkedFields) {
        const texts = field.in === "body" ? ["a\0b", "\0", "\ud800", "x\udc00\ud800"] : ["a\0b", "\0"]
        for (const text of texts) assertInvalid(yield* sendIn(field, prepared, text), placeOf(field))
      }
    })
  )
})

layer(People.layer)("every string of a request", (it) => {
  it.effect("may have as many characters as the description says, and no more", () =>
    Effect.gen(function* () {
      const prepared = yield* prepare
      let limited = 0
      for (const field of checkedFields) {
        const limit = limitOf(field)
        if (limit === undefined) continue
        limited++
        const fits = yield* sendIn(field, prepared, textOf(limit, field))
        assert.strictEqual(isNamed(field, fits), hasForm(field), about(field, fits))
        const tooLong = yield* sendIn(field, prepared, textOf(limit + 1, field))
        assert.isTrue(isNamed(field, tooLong), about(field, tooLong))
      }
      assert.isAbove(limited, 30)
    })
  )
})

/** Control characters, directions, joiners and fillers: most of it nobody sees. */
const unseen =
  "\u0001\u001b[31m\u007f\u0085\u009b\u202e\u2066\u200f\u061c\u200b\u2060\ufeff\u00ad\u3164\u115f\u034f"

/** Each is sent in every field. */
const hostile: ReadonlyArray<string> = [
  "",
  unseen,
  `gpj.${unseen}exe`,
  "cafe\u0301 \u1100\u1161 \u212b",
  `z${"\u0301\u0316".repeat(500)}`,
  "\ufdfa".repeat(30),
  "\uffff\u{10ffff}\ufffe 👩\u200d👩\u200d👧\ufe0f\ufe0f",
  "\\u0000%00%ff{}[]'\"`$1;--",
  "9".repeat(400)
]

/** Escapes in addresses that no encoder makes. */
const badEscapes = ["%", "%zz", "%ff%c0%80", "%ed%a0%80", "%u0000", "%25%30%30"]

layer(People.layer)("a hostile text in any field", (it) => {
  it.effect("is answered as declared, and what is stored is well-formed and in normal form", () =>
    Effect.gen(function* () {
      const prepared = yield* prepare
      const sql = yield* SqlClient.SqlClient
      for (const field of textFields) {
        const texts = hostile.map((text) => [text, encodeURIComponent(text)] as const)
        const escapes = field.in === "body" ? [] : badEscapes.map((escape) => ["", escape] as const)
        for (const [text, encoded] of [...texts, ...escapes]) {
          const answer = yield* sendIn(field, prepared, text, encoded)
          // Nothing makes suggestions here.
          assert.isTrue(answer.status < 500 || answer.status === 501, about(field, answer))
        }
      }
      yield* drainEvents
      const columns = yield* sql<{ readonly table_name: string; readonly column_name: string }>`
        select table_name, column_name from information_schema.columns
        where table_schema = 'public' and data_type = 'text' order by 1, 2`
      assert.isAbove(columns.length, 40)
      for (const { column_name, table_name } of columns) {
        const column = sql(column_name)
        const found = yield* sql`select ${column} from ${sql(table_name)}
          where ${column} is not nfc normalized or ${column} ~ '[\u0001-\u0008\u000b-\u001f\u007f-\u009f]' limit 3`
        assert.deepStrictEqual(found, [], `${table_name}.${column_name}`)
      }
    })
  )
})
