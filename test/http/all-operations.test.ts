import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { isObject, objectAt } from "../../src/http/shared/document/Json.ts"
import type { Answer } from "../support/answers.ts"
import { checkConformance, document, operationFor } from "../support/conformance.ts"
import { call, drainEvents, guest, password, signUp, suspend } from "../support/people.ts"
import * as TestApp from "../support/TestApp.ts"

const nobody = "vvvvvvvvvvvvvvvvvvvg"

/** What an operation answered, and with which problem if it was one. */
interface Visit {
  readonly id: string
  readonly status: number
}

const visits: Array<Visit> = []

/** Calls an operation; that the answer is as described is checked on the way. */
const visit = Effect.fnUntraced(function* (
  method: "GET" | "POST" | "PATCH" | "DELETE",
  path: string,
  expected: number,
  options: { readonly body?: unknown; readonly headers?: Readonly<Record<string, string>> } = {}
) {
  const answer: Answer = yield* call(method, `/api${path}`, options)
  assert.strictEqual(answer.status, expected, `${method} ${path}: ${answer.text}`)
  visits.push({ id: operationFor(method, `/api${path}`)?.id ?? path, status: answer.status })
  return answer
})

const successes = Object.values(objectAt(document, "paths")).flatMap((item) =>
  Object.values(isObject(item) ? item : {}).flatMap((operation) =>
    Object.keys(objectAt(operation, "responses"))
      .filter((status) => status < "400")
      .map((status) => `${objectAt({ operation }, "operation").operationId} ${status}`)
  )
)

layer(TestApp.layer)("a walk over all operations", (it) => {
  it.effect("each answers as described, well and badly", () =>
    Effect.gen(function* () {
      const odin = yield* signUp("odin")
      const freya = yield* signUp("freya")
      const loki = yield* signUp("loki")
      const as = (person: typeof odin) => person.headers
      const mine = { headers: as(odin) }
      const hers = { headers: as(freya) }
      const knowing = (answer: Answer, headers = {}) => ({
        headers: { ...headers, "if-none-match": answer.headers.etag ?? "" }
      })

      for (const path of ["/version", "/info", "/auth", "/roles", "/categories", "/problems"]) {
        yield* visit("GET", path, 200)
      }
      yield* visit("GET", "/session", 200)
      yield* visit("GET", "/session", 200, mine)
      for (const path of ["/openapi.json", "/docs"]) {
        yield* visit("GET", path, 304, knowing(yield* visit("GET", path, 200)))
      }
      yield* visit("GET", "/problems/forbidden", 200)
      yield* visit("GET", "/problems/nope", 404)
      yield* visit("POST", "/beacon", 202, { body: "{}", headers: { "content-type": "text/plain" } })

      yield* visit("GET", "/roles/00000000000000000010", 200)
      yield* visit("GET", `/roles/${nobody}`, 404)

      const own = yield* visit("GET", "/accounts", 200, mine)
      yield* visit("GET", "/accounts", 304, knowing(own, as(odin)))
      yield* visit("GET", "/accounts", 401)
      yield* visit("PATCH", "/accounts", 200, { ...mine, body: { name: "Odin", bio: "<p>One eye</p>" } })
      yield* visit("PATCH", "/accounts", 400, { ...mine, body: { name: 5 } })
      yield* visit("PATCH", "/accounts", 409, { ...mine, body: { handle: "freya" } })
      yield* visit("GET", `/accounts/${freya.id}`, 200, mine)
      yield* visit("GET", `/accounts/${odin.id}`, 403, hers)
      yield* visit("GET", `/accounts/${nobody}`, 404, mine)
      yield* visit("GET", "/accounts/nope", 400, mine)

      const place = { name: "General", description: "", colour: "" }
      const category = yield* visit("POST", "/categories", 200, { ...mine, body: place })
      yield* visit("POST", "/categories", 409, { ...mine, body: place })
      yield* visit("POST", "/categories", 403, { ...hers, body: place })
      const read = yield* visit("GET", `/categories/${category.json.slug}`, 200)
      yield* visit("GET", `/categories/${category.json.slug}`, 304, knowing(read))
      yield* visit("GET", "/categories/nope", 404)

      const opening = {
        title: "Which editor?",
        body: '<p>See <a href="https://example.org">this</a></p>',
        category: category.json.id,
        tags: ["editors"],
        visibility: "published",
        url: "https://example.com",
        meta: { nested: { deeply: [1, null] } }
      }
      const thread = yield* visit("POST", "/threads", 200, { ...mine, body: opening })
      yield* visit("POST", "/threads", 400, { ...mine, body: { ...opening, category: nobody } })
      yield* visit("POST", "/threads", 415, {
        ...mine,
        body: "x",
        headers: { ...as(odin), "content-type": "text/plain" }
      })
      const at = `/threads/${thread.json.slug}`
      const page = yield* visit("GET", at, 200, hers)
      yield* visit("GET", at, 304, knowing(page, as(freya)))
      yield* visit("GET", `/threads/${nobody}`, 404)
      yield* visit("GET", "/threads?page=2&tags=&visibility=published", 200)
      yield* visit("GET", "/threads", 200, hers)
      yield* visit("GET", "/threads?author=nobody", 404)
      yield* visit("PATCH", at, 200, { ...mine, body: { pinned: 1 } })
      yield* visit("PATCH", at, 403, { ...hers, body: { title: "Mine" } })

      const reply = yield* visit("POST", `${at}/replies`, 200, { ...hers, body: { body: "ed" } })
      yield* visit("POST", `${at}/replies`, 200, { ...mine, body: { body: "why?", reply_to: reply.json.id } })
      yield* visit("POST", `${at}/replies`, 400, { ...mine, body: { body: "?", reply_to: nobody } })
      yield* visit("PATCH", `/posts/${reply.json.id}`, 200, { ...hers, body: { body: "ed, of course" } })
      yield* visit("PATCH", `/posts/${nobody}`, 404, { ...hers, body: {} })
      yield* visit("GET", at, 200, mine)

      yield* drainEvents
      const notes = yield* visit("GET", "/notifications", 200, mine)
      const [note] = notes.json.notifications
      yield* visit("PATCH", `/notifications/${note.id}`, 200, { ...mine, body: { status: "read" } })
      yield* visit("PATCH", `/notifications/${nobody}`, 404, { ...mine, body: {} })
      const changes = { notifications: [{ id: note.id, status: "unread" }] }
      yield* visit("PATCH", "/notifications", 200, { ...mine, body: changes })
      yield* visit("PATCH", "/notifications", 404, { ...hers, body: changes })
      yield* visit("GET", "/notifications?status=later", 400, mine)

      yield* visit("DELETE", `/posts/${reply.json.id}`, 403, { headers: as(loki) })
      yield* visit("DELETE", `/posts/${reply.json.id}`, 200, hers)
      yield* visit("DELETE", at, 403, { headers: as(loki) })
      yield* visit("DELETE", at, 200, mine)

      const pair = { identifier: "tyr", token: password }
      yield* visit("POST", "/auth/password/signup", 200, { body: pair })
      yield* visit("POST", "/auth/password/signup", 409, { body: pair })
      yield* visit("POST", "/auth/password/signin", 200, { body: pair })
      yield* visit("POST", "/auth/password/signin", 401, { body: { ...pair, token: "wrong wrong" } })
      yield* visit("POST", "/auth/password", 400, { ...mine, body: { password } })
      // No way to sign in without a password is there yet.
      const sql = yield* SqlClient.SqlClient
      yield* sql`delete from passwords where account_id = ${freya.id}`
      yield* visit("POST", "/auth/password", 200, { ...hers, body: { password } })
      yield* visit("PATCH", "/auth/password", 200, { ...hers, body: { old: password, new: "another one" } })
      yield* visit("PATCH", "/auth/password", 401, { ...hers, body: { old: password, new: "another one" } })
      yield* suspend(loki)
      yield* visit("GET", "/notifications", 403, { headers: as(loki) })
      yield* visit("POST", "/auth/logout", 302, mine)
    })
  )

  it.effect("none was left out", () =>
    Effect.sync(() => {
      const seen = new Set(visits.map(({ id, status }) => `${id} ${status}`))
      const missing = successes.filter((success) => !seen.has(success))
      assert.deepStrictEqual(missing, [])
    })
  )
})

layer(TestApp.layer)("the check itself", (it) => {
  it.effect("finds answers that are not as described", () =>
    Effect.gen(function* () {
      const good = yield* guest.get("/info")
      const fails = (change: Partial<Answer>, complaint: RegExp) =>
        assert.throws(() => checkConformance("GET", "/api/info", { ...good, ...change }), complaint)
      const changed = (fields: object) => {
        const json = { ...good.json, ...fields }
        return { json, text: JSON.stringify(json) }
      }
      fails({ status: 418 }, /status that is not declared/)
      fails({ headers: { "content-type": "text/plain" } }, /should be application\/json/)
      fails({ text: "" }, /is empty/)
      fails(changed({ title: 5 }), /\/title must be string/)
      fails(changed({ unheard_of: true }), /unheard_of/)
      fails(
        { ...changed({}), ...{ text: good.text.replace('"capabilities":[]', '"capabilities":["x"]') } },
        /capabilities\/0/
      )
      const problem = yield* guest.get("/accounts")
      const wrong = { ...problem, text: problem.text.replace("unauthenticated", "nonsense") }
      assert.throws(() => checkConformance("GET", "/api/accounts", wrong), /\/type must be equal to constant/)
      const tagless = { ...(yield* guest.get("/docs")), headers: { "content-type": "text/html" } }
      assert.throws(() => checkConformance("GET", "/api/docs", tagless), /has no ETag/)
      assert.throws(() => checkConformance("GET", "/api/made/up", good), /not described/)
    })
  )
})
