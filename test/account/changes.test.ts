import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { Unauthenticated } from "../../src/domain/shared/Actor.ts"
import * as People from "../support/people.ts"
import { Cast, guest, signUp } from "../support/people.ts"
import { assertInvalid, assertProblem } from "../support/problems.ts"
import { assertUnchangedBy } from "./assertUnchangedBy.ts"

layer(People.layer)("changing one's own account", (it) => {
  it.effect("changes what is sent and leaves the rest", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const before = (yield* freya.get("/accounts")).json
      yield* TestClock.adjust("1 minute")
      const changes = {
        name: "Freya of Fólkvangr 🐈",
        links: [
          { text: "Hall", url: "https://folkvangr.example/hall?a=b#c" },
          { text: "", url: "http://localhost:3000" },
          { text: "Straße", url: "https://xn--mnchen-3ya.example/stra%C3%9Fe?q=%C3%A4%20b" }
        ],
        meta: { tier: 3, nested: { list: [1, "two", null, { deep: true }], empty: {} } }
      }
      const changed = yield* freya.patch("/accounts", changes)
      assert.strictEqual(changed.status, 200, changed.text)
      assert.deepStrictEqual(changed.json, { ...before, ...changes, updatedAt: "1970-01-01T00:01:00.000Z" })
      assert.deepStrictEqual((yield* freya.get("/accounts")).json, changed.json)

      const cleared = yield* freya.patch("/accounts", { links: [], meta: {} })
      assert.deepStrictEqual(cleared.json, { ...changed.json, links: [], meta: {} })
      const sql = yield* SqlClient.SqlClient
      const events = yield* sql`select event from event_log where actor_id = ${freya.id} order by id`
      assert.deepStrictEqual(
        events.map(({ event }) => event),
        ["AccountCreated", "AccountUpdated", "AccountUpdated"].map((_tag) => ({ _tag, id: freya.id }))
      )
    })
  )

  it.effect("keeps metadata as it was sent, whatever its keys", () =>
    Effect.gen(function* () {
      const hel = yield* signUp("hel")
      const meta = '{"__proto__":{"admin":true},"a":{"__proto__":[1],"constructor":"x","":""},"toString":0}'
      yield* hel.patch("/accounts", `{"meta":${meta}}`)
      const { text } = yield* hel.get("/accounts")
      const kept = JSON.parse(text, (key, value) => (key === "__proto__" ? { kept: value } : value))
      assert.sameMembers(Object.keys(JSON.parse(text).meta), ["__proto__", "a", "toString"])
      assert.include(text, '"__proto__":{"admin":true}')
      assert.include(text, '"__proto__":[1]')
      assert.strictEqual(kept.meta.a.constructor, "x")
      assert.strictEqual(kept.admin, false)
    })
  )

  it.effect("ignores fields that an account may not change", () =>
    Effect.gen(function* () {
      const loki = yield* signUp("sly")
      const privileged = {
        admin: true,
        roles: ["00000000000000000020"],
        permissions: ["ADMINISTRATOR"],
        id: "00000000000000000000",
        verified_status: "manual",
        kind: "bot",
        email_addresses: [{ id: "00000000000000000000", email_address: "a@b.example", verified: true }],
        auth_services: [],
        notifications: 5,
        suspended: "1970-01-01T00:00:00Z",
        deletedAt: "1970-01-01T00:00:00Z",
        createdAt: "2000-01-01T00:00:00Z",
        joined: 3,
        invited_by: loki.id,
        misc: { a: 1 },
        unheard_of: null
      }
      yield* assertUnchangedBy(
        loki,
        Effect.map(loki.patch("/accounts", privileged), (answer) => {
          assert.strictEqual(answer.status, 200, answer.text)
        })
      )
    })
  )

  it.effect("succeeds without any field", () =>
    Effect.gen(function* () {
      const ran = yield* signUp("ran")
      for (const body of [undefined, "", {}]) {
        const answer = yield* ran.patch("/accounts", body)
        assert.strictEqual(answer.status, 200, answer.text)
        assert.strictEqual(answer.json.handle, "ran")
      }
    })
  )

  it.effect("names every invalid field, and changes nothing", () =>
    Effect.gen(function* () {
      const jord = yield* signUp("jord")
      yield* assertUnchangedBy(
        jord,
        Effect.gen(function* () {
          for (const name of ["", "   ", "\n\t", 5, null, ["x"]]) {
            assertInvalid(yield* jord.patch("/accounts", { bio: "x", name }), "body name")
          }
          assertInvalid(yield* jord.patch("/accounts", { bio: "x", name: "x".repeat(256) }), "body name")
          const markup = "<b></b>".repeat(1_500)
          assertInvalid(yield* jord.patch("/accounts", { bio: "x", signature: markup }), "body signature")
          for (const meta of [null, [], "x", 5]) {
            assertInvalid(yield* jord.patch("/accounts", { meta, name: "x" }), "body meta")
          }
          assertInvalid(
            yield* jord.patch("/accounts", { handle: 1, bio: 2, signature: {}, interests: "a", links: {} }),
            "body handle",
            "body bio",
            "body signature",
            "body interests",
            "body links"
          )
          assertInvalid(
            yield* jord.patch("/accounts", { interests: [1], links: [{ text: "x" }, 7] }),
            "body interests.0",
            "body links.0.url",
            "body links.1"
          )
          for (const broken of ["[]", "null", "{", '"name"']) {
            assertInvalid(yield* jord.patch("/accounts", broken), "body")
          }
        })
      )
      assertProblem(yield* guest.patch("/accounts", "{"), Unauthenticated)
    })
  )

  it.effect.each([
    "javascript:alert(1)",
    " JavaScript:alert(1)",
    "java\nscript:alert(1)",
    "data:text/html,x",
    "vbscript:x",
    "not an address",
    "//host/path",
    "http://",
    "https://[",
    ""
  ])("refuses a link to %j", (url) =>
    Effect.gen(function* () {
      const handle = `link${new TextEncoder().encode(url).reduce((sum, byte) => sum * 3 + byte, 0)}`.slice(
        0,
        30
      )
      const person = yield* signUp(handle)
      const links = [
        { text: "good", url: "https://asgard.example" },
        { text: "bad", url }
      ]
      yield* assertUnchangedBy(
        person,
        Effect.map(person.patch("/accounts", { links }), (answer) =>
          assertInvalid(answer, "body links.1.url")
        )
      )
    })
  )

  it.effect("replaces the interests with the tags of the given names", () =>
    Effect.gen(function* () {
      const sif = yield* signUp("sif")
      const sql = yield* SqlClient.SqlClient
      const interests = Effect.map(
        sql<{ readonly name: string }>`select t.name from account_interests i join tags t on t.id = i.tag_id
          where i.account_id = ${sif.id} order by t.name collate "C"`,
        (rows) => rows.map(({ name }) => name)
      )
      yield* sif.patch("/accounts", { interests: ["Gold Hair", "wheat", "wheat", "  ", "ржь"] })
      assert.deepStrictEqual(yield* interests, ["gold-hair", "wheat", "ржь"])
      yield* sif.patch("/accounts", { name: "Sif" })
      assert.deepStrictEqual(yield* interests, ["gold-hair", "wheat", "ржь"])
      yield* sif.patch("/accounts", { interests: ["harvest", "wheat"] })
      assert.deepStrictEqual(yield* interests, ["harvest", "wheat"])
      yield* sif.patch("/accounts", { interests: [] })
      assert.deepStrictEqual(yield* interests, [])
    })
  )
})
