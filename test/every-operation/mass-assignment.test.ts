/**
 * Whatever else a body contains, an ordinary caller changes what its operation describes and nothing more. Every
 * body is sent with a key for each field of each answer and for each column of the database.
 */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import {
  isObject,
  type Json,
  type JsonObject,
  listAt,
  objectAt,
  textAt
} from "../../src/http/document/Json.ts"
import { ok } from "../support/answers.ts"
import { descriptionOf, document } from "../support/conformance.ts"
import { category, open, reply } from "../support/discussion.ts"
import { permission } from "../support/keys.ts"
import { type Operation, operations } from "../support/operations.ts"
import * as People from "../support/people.ts"
import { Cast, call, drainEvents, grant, password } from "../support/people.ts"

/** Values that nothing else in the tests has, so that they are found wherever they are stored. */
const marks = { text: "massassigned", instant: "2001-02-03T04:05:06.789Z", number: 424_242 }

const schemas = objectAt(objectAt(document, "components"), "schemas")

const resolved = (schema: Json | undefined): JsonObject => {
  const component = textAt(schema, "$ref")?.split("/").at(-1)
  if (component !== undefined) return resolved(schemas[component])
  return isObject(schema) ? schema : {}
}

/** What could be sent for a field of this schema; `id` is that of another account. */
const valueFor = (schema: JsonObject, id: string): Json => {
  const [first] = [...listAt(schema, "enum")].reverse()
  if (first !== undefined) return first
  switch (schema.type) {
    case "boolean":
      return true
    case "integer":
    case "number":
      return marks.number
    case "array": {
      const item = valueFor(resolved(schema.items), id)
      return [item]
    }
    case "object":
      return { [marks.text]: marks.text }
    default:
      if (schema.format === "xid") return id
      return schema.format === "date-time" ? marks.instant : marks.text
  }
}

/** The fields of all answers and requests, with a value for each. */
const fieldsOfSchemas = (id: string): JsonObject =>
  Object.fromEntries(
    Object.values(schemas).flatMap((schema) =>
      Object.entries(objectAt(schema, "properties")).map(([name, field]) => [
        name,
        valueFor(resolved(field), id)
      ])
    )
  )

const valueForColumn = (type: string, id: string): Json => {
  if (type === "boolean") return true
  if (type === "ARRAY") return ["ADMINISTRATOR"]
  if (type === "jsonb") return { [marks.text]: true }
  if (type.startsWith("timestamp")) return marks.instant
  return /int|numeric|double|real/.test(type) ? marks.number : id
}

/** The columns of all tables, with a value for each. */
const fieldsOfTables = (id: string) =>
  SqlClient.SqlClient.use((sql) =>
    Effect.map(
      sql<{ readonly name: string; readonly type: string }>`select column_name as name, data_type as type
        from information_schema.columns where table_schema = 'public'`,
      (columns): JsonObject =>
        Object.fromEntries(columns.map(({ name, type }) => [name, valueForColumn(type, id)]))
    )
  )

const declaredIn = (schema: JsonObject): ReadonlySet<string> => {
  const forms = [...listAt(schema, "anyOf"), ...listAt(schema, "oneOf")].map(resolved)
  return new Set([schema, ...forms].flatMap((form) => Object.keys(objectAt(form, "properties"))))
}

/** The body with these keys in each of its objects that does not declare them. Those with any fields are left alone. */
const withKeys = (body: Json, schema: JsonObject, keys: JsonObject): Json => {
  if (Array.isArray(body)) return body.map((item) => withKeys(item, resolved(schema.items), keys))
  if (!isObject(body) || schema.additionalProperties === true) return body
  const declared = declaredIn(schema)
  const own = Object.entries(body).map(([name, value]) => [
    name,
    withKeys(value, resolved(objectAt(schema, "properties")[name]), keys)
  ])
  const foreign = Object.entries(keys).filter(([name]) => !declared.has(name))
  return Object.fromEntries([...foreign, ...own])
}

const schemaOf = ({ id }: Operation): JsonObject => {
  const content = objectAt(objectAt(descriptionOf(id), "requestBody"), "content")
  return resolved(objectAt(content, "application/json").schema)
}

/** What decides what an account may do, and what the service alone writes. */
const privileged = SqlClient.SqlClient.use((sql) =>
  Effect.all([
    sql`select admin, kind, verified_status, suspended_at, created_at, invited_by, count(*) > 0 as "any"
      from accounts group by 1, 2, 3, 4, 5, 6 order by 1, 2, 3, 4, 5, 6`,
    sql`select count(*) from accounts where admin`,
    sql`select * from roles order by id`,
    sql`select * from account_roles order by account_id, role_id`,
    sql`select deleted_at, pinned, count(*) > 0 as "any" from threads group by 1, 2 order by 1, 2`,
    sql`select count(*) from access_keys where revoked_at is not null`
  ])
)

/** Every row of the database, as text. */
const contents = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const tables = yield* sql<{ readonly name: string }>`
    select tablename as name from pg_tables where schemaname = 'public'`
  const rows = yield* Effect.forEach(tables, ({ name }) =>
    Effect.map(sql<{ readonly t: string }>`select t::text from ${sql(name)} t`, (rows) =>
      rows.map(({ t }) => `${name} ${t}`)
    )
  )
  return rows.flat()
})

layer(People.layer)("keys that a body does not declare", (it) => {
  it.effect("are never applied, whatever they are called", () =>
    Effect.gen(function* () {
      const { freya, loki, odin, tyr } = yield* Cast
      yield* grant(freya, permission, "CREATE_INVITATION")
      const thread = yield* open(freya, "Mine")
      const answer = yield* reply(freya, thread.id, "mine")
      yield* reply(tyr, thread.id, "yours")
      yield* drainEvents
      const { json: list } = yield* freya.get("/notifications")
      const place = yield* category(odin, "Place")
      const { id: collection } = ok(yield* freya.post("/collections", { name: "Mine" }))
      ok(yield* freya.post("/links", { url: "https://mine.test/" }))
      const named: Readonly<Record<string, string>> = {
        thread_mark: thread.id,
        post_id: answer.id,
        collection_mark: collection,
        notification_id: list.notifications[0].id,
        account_handle: "tyr",
        account_id: tyr.id
      }
      const before = yield* privileged
      const ofLoki = (rows: ReadonlyArray<string>) => rows.filter((row) => row.includes(loki.id)).length
      const known = ofLoki(yield* contents)
      const succeeded = new Set<string>()
      const passes = [fieldsOfSchemas(loki.id), yield* fieldsOfTables(loki.id)]
      for (const [pass, keys] of passes.entries()) {
        /** What examples refer to and does not exist here, or exists once only. */
        const fitting: Readonly<Record<string, JsonObject>> = {
          AuthPasswordSignup: { identifier: `new-${pass}` },
          AuthEmailPasswordSignup: { email: `mail${pass}@asgard.example`, handle: `by-mail-${pass}` },
          AuthEmailSignup: { email: `code${pass}@asgard.example`, handle: `by-code-${pass}` },
          PhoneRequestCode: { identifier: `by-phone-${pass}` },
          AuthPasswordUpdate: { old: password, new: password },
          AccountEmailAdd: { email_address: `freya${pass}@asgard.example` },
          ThreadCreate: { category: place.id }
        }
        assert.isAbove(Object.keys(keys).length, 50)
        for (const operation of operations.filter(({ hasBody }) => hasBody)) {
          const { id, method, pathWith } = operation
          const schema = schemaOf(operation)
          const [example] = listAt(schema, "examples")
          const fields = { ...(isObject(example) ? example : {}), ...fitting[id] }
          const body = withKeys(fields, schema, keys)
          const path = pathWith((name) => named[name] ?? People.nobody)
          const sent = yield* call(method, path, { headers: freya.headers, body })
          // Nothing makes suggestions here.
          assert.isTrue(sent.status < 500 || sent.status === 501, `${id}: ${sent.text}`)
          if (sent.status < 300) succeeded.add(id)
          assert.deepStrictEqual(yield* privileged, before, id)
          const rows = yield* contents
          const found = rows.filter((row) => /massassigned|2001-02-03|424242/.test(row))
          assert.deepStrictEqual(found, [], id)
          assert.strictEqual(ofLoki(rows), known, id)
        }
      }
      assert.includeMembers(
        [...succeeded],
        [
          "AccessKeyCreate",
          "AccountEmailAdd",
          "AccountUpdate",
          "AuthEmailPasswordSignup",
          "AuthEmailSignup",
          "AuthPasswordSignup",
          "AuthPasswordUpdate",
          "CollectionCreate",
          "InvitationCreate",
          "ReplyCreate",
          "ThreadCreate"
        ]
      )
      assert.isAbove(succeeded.size, 10)
      assert.strictEqual(ok(yield* odin.get("/accounts")).admin, true)
    })
  )
})
