import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { HttpClient } from "effect/http"
import { SqlClient } from "effect/sql"
import { HandleInvalid, HandleTaken } from "../../src/domain/account/Account.ts"
import { HandleUnknown, RegistrationClosed } from "../../src/domain/authentication/Password.ts"
import { UnsupportedMediaType } from "../../src/http/contract/RequestProblems.ts"
import { sessionOf } from "../support/answers.ts"
import { untilWaiting } from "../support/database.ts"
import * as People from "../support/people.ts"
import { Cast, call, guest, password, personWith, signUp } from "../support/people.ts"
import { assertInvalid, assertProblem } from "../support/problems.ts"
import { admin, held, member } from "../support/roles.ts"
import * as TestApp from "../support/TestApp.ts"

const signUpAs = (identifier: unknown, token: unknown = password) =>
  guest.post("/auth/password/signup", { identifier, token })

layer(TestApp.layer)("signing up", (it) => {
  it.effect("makes the first account administrator, without an invitation, and later ones members", () =>
    Effect.gen(function* () {
      const odin = yield* guest.post("/auth/password/signup?invitation_id=00000000000000000000", {
        identifier: "odin",
        token: password
      })
      assert.strictEqual(odin.status, 200, odin.text)
      assert.deepStrictEqual(odin.json, { id: odin.json.id })
      assert.match(odin.json.id, /^[0-9a-v]{19}[0g]$/)
      const own = yield* personWith(sessionOf(odin), odin.json.id).get("/accounts")
      assert.deepStrictEqual(own.json, {
        id: odin.json.id,
        createdAt: "1970-01-01T00:00:00.000Z",
        updatedAt: "1970-01-01T00:00:00.000Z",
        joined: "1970-01-01T00:00:00.000Z",
        misc: {},
        handle: "odin",
        name: "odin",
        roles: [held(admin), held(member)],
        bio: "<body></body>",
        links: [],
        meta: {},
        verified_status: "none",
        kind: "human",
        email_addresses: [],
        auth_services: ["password"],
        notifications: 0,
        admin: true
      })

      const freya = yield* signUp("freya")
      const hers = yield* freya.get("/accounts")
      assert.deepStrictEqual(hers.json, {
        ...own.json,
        id: freya.id,
        handle: "freya",
        name: "freya",
        roles: [held(member)],
        admin: false
      })
    })
  )

  it.effect("is recorded as an event of the new account", () =>
    Effect.gen(function* () {
      const loki = yield* signUp("loki")
      const sql = yield* SqlClient.SqlClient
      const events = yield* sql`select event from event_log where actor_id = ${loki.id}`
      assert.deepStrictEqual(events, [{ event: { _tag: "AccountCreated", id: loki.id } }])
    })
  )

  it.effect("makes another account for a caller who is signed in", () =>
    Effect.gen(function* () {
      const tyr = yield* signUp("tyr")
      const answer = yield* tyr.post("/auth/password/signup", { identifier: "hel", token: password })
      assert.strictEqual(answer.status, 200, answer.text)
      const hel = personWith(sessionOf(answer), answer.json.id)
      assert.strictEqual((yield* hel.get("/accounts")).json.handle, "hel")
      assert.strictEqual((yield* tyr.get("/accounts")).json.handle, "tyr")
    })
  )

  it.effect("refuses an invitation that does not exist, and a malformed one", () =>
    Effect.gen(function* () {
      const body = { identifier: "uninvited", token: password }
      assertProblem(
        yield* guest.post("/auth/password/signup?invitation_id=00000000000000000000", body),
        RegistrationClosed,
        { registration_mode: "public", invitation_id: "00000000000000000000" }
      )
      for (const malformed of ["x", "0000000000000000000", "0000000000000000000w", "%F0%9F%A6%8B"]) {
        assertInvalid(
          yield* guest.post(`/auth/password/signup?invitation_id=${malformed}`, body),
          "query invitation_id"
        )
      }
      assert.strictEqual((yield* signUpAs("uninvited")).status, 200)
    })
  )
})

layer(Layer.provideMerge(TestApp.uncached, TestApp.layer))(
  "fifty concurrent sign-ups on an empty forum",
  (it) => {
    it.effect("all succeed, on two instances, and exactly one makes an administrator", () =>
      Effect.gen(function* () {
        const elsewhere = yield* TestApp.UncachedClient
        const people = yield* Effect.forEach(
          Array(50).keys(),
          (index) =>
            index % 2 === 0
              ? signUp(`person${index}`)
              : Effect.provideService(signUp(`person${index}`), HttpClient.HttpClient, elsewhere),
          { concurrency: "unbounded" }
        )
        const accounts = yield* Effect.forEach(people, (person) =>
          Effect.map(person.get("/accounts"), ({ json }) => json)
        )
        const administrators = accounts.filter((account) => account.admin)
        assert.strictEqual(administrators.length, 1)
        assert.deepStrictEqual(administrators[0].roles, [held(admin), held(member)])
        assert.strictEqual(new Set(accounts.map(({ id }) => id)).size, 50)
      })
    )
  }
)

layer(TestApp.layer)("two first sign-ups whose transactions are open at the same time", (it) => {
  it.effect("make one administrator", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const both = yield* sql.withTransaction(
        Effect.gen(function* () {
          // Sign-ups write their sessions last.
          yield* sql`lock table sessions in exclusive mode`
          const asked = yield* Effect.forEach(["odin", "loki"], (handle) => Effect.forkChild(signUp(handle)))
          yield* untilWaiting(2)
          return asked
        })
      )
      const people = yield* Effect.forEach(both, Fiber.join)
      const accounts = yield* Effect.forEach(people, (person) => person.get("/accounts"))
      assert.deepStrictEqual(accounts.map(({ json }) => json.admin).sort(), [false, true])
    })
  )
})

layer(TestApp.layer)("fifty concurrent sign-ups with one handle", (it) => {
  it.effect("succeed once; the others are a conflict", () =>
    Effect.gen(function* () {
      const answers = yield* Effect.forEach(Array(50).keys(), () => signUpAs("odin"), {
        concurrency: "unbounded"
      })
      const [winner, ...others] = answers.sort((a, b) => a.status - b.status)
      assert.strictEqual(winner?.status, 200)
      for (const other of others) assertProblem(other, HandleTaken, { handle: "odin" })
      const sql = yield* SqlClient.SqlClient
      assert.deepStrictEqual(yield* sql`select id, admin from accounts`, [
        { id: winner?.json.id, admin: true }
      ])
    })
  )
})

layer(TestApp.layer)("handles", (it) => {
  it.effect.each([
    "αλφα",
    "бабочки",
    "漢字",
    "ひらがな",
    "שלום",
    "مرحبا",
    "हिन्दी",
    "한국어",
    "ภาษาไทย",
    "odin-один-奥丁",
    "a_b-c__d",
    "42",
    "x",
    "x".repeat(29),
    "x".repeat(30),
    "漢".repeat(10)
  ])("%s is accepted", (handle) =>
    Effect.gen(function* () {
      const person = yield* signUp(handle)
      const { json } = yield* person.get("/accounts")
      assert.strictEqual(json.handle, handle)
      assert.strictEqual(json.name, handle)
    })
  )

  it.effect.each([
    ["", "empty"],
    ["x".repeat(31), "too_long"],
    ["x".repeat(42), "too_long"],
    ["漢".repeat(11), "too_long"],
    ["-x", "characters"],
    ["x-", "characters"],
    ["_x", "characters"],
    ["x_", "characters"],
    ["a--b", "characters"],
    ["has space", "characters"],
    [" x", "characters"],
    ["!!!", "characters"],
    ["odin@asgard.example", "characters"],
    ["a/b", "characters"],
    ["🦋", "characters"],
    ["cafe\u0301", "characters"],
    ["ａ", "characters"]
  ] as const)("%j is refused, and not corrected", ([handle, rule]) =>
    Effect.gen(function* () {
      const accounts = SqlClient.SqlClient.use((sql) => sql`select handle from accounts order by handle`)
      const before = yield* accounts
      assertProblem(yield* signUpAs(handle), HandleInvalid, { handle, rule })
      assert.deepStrictEqual(yield* accounts, before)
    })
  )

  it.effect.each([
    ["ODIN", "odin"],
    ["ΘΕΑ", "θεα"],
    ["Ёлка", "ёлка"]
  ] as const)("the case of %s does not matter", ([upper, lower]) =>
    Effect.gen(function* () {
      const person = yield* signUp(upper)
      assert.strictEqual((yield* person.get("/accounts")).json.handle, lower)
      assertProblem(yield* signUpAs(lower), HandleTaken, { handle: lower })
      assertProblem(yield* signUpAs(upper), HandleTaken, { handle: lower })
    })
  )
})

layer(TestApp.layer)("passwords at sign-up", (it) => {
  it.effect.each([
    ["7 bytes", "1234567", false],
    ["8 bytes", "12345678", true],
    ["7 bytes in 4 letters", "ñññ1", false],
    ["8 bytes in 4 letters", "ññññ", true],
    ["2 emoji", "🦋🦋", true],
    ["8 spaces", "        ", true],
    // As they are hashed: composed, and with plain spaces.
    ["9 bytes that compose to 6", "n\u0303n\u0303n\u0303", false],
    ["12 bytes that compose to 8", "n\u0303n\u0303n\u0303n\u0303", true],
    ["3 wide spaces", "\u3000\u3000\u3000", false],
    ["10,000 bytes", "p".repeat(10_000), true]
  ] as const)("%s are accepted: %3$j", ([name, token, enough]) =>
    Effect.gen(function* () {
      const handle = name.replaceAll(/\W/g, "_")
      const answer = yield* signUpAs(handle, token)
      if (!enough) return assertInvalid(answer, "body token")
      assert.strictEqual(answer.status, 200, answer.text)
      const again = yield* guest.post("/auth/password/signin", { identifier: handle, token })
      assert.strictEqual(again.status, 200, again.text)
    })
  )
})

layer(People.layer)("the checks of a sign-up", (it) => {
  it.effect(
    "are the length of the password, the owner of the handle, the invitation and the form of the handle, in this order",
    () =>
      Effect.gen(function* () {
        yield* Cast
        const unknown = "/auth/password/signup?invitation_id=00000000000000000000"
        assertInvalid(yield* guest.post(unknown, { identifier: "odin", token: "short" }), "body token")
        assertProblem(yield* guest.post(unknown, { identifier: "odin", token: password }), HandleTaken, {
          handle: "odin"
        })
        assertProblem(yield* guest.post(unknown, { identifier: "-x", token: password }), RegistrationClosed, {
          registration_mode: "public",
          invitation_id: "00000000000000000000"
        })
        assertProblem(yield* signUpAs("-x"), HandleInvalid, { handle: "-x", rule: "characters" })
      })
  )

  it.effect("name every invalid field", () =>
    Effect.gen(function* () {
      const path = "/auth/password/signup"
      assertInvalid(yield* guest.post(path), "body identifier", "body token")
      assertInvalid(yield* guest.post(path, ""), "body identifier", "body token")
      assertInvalid(yield* guest.post(path, {}), "body identifier", "body token")
      assertInvalid(yield* guest.post(path, { identifier: "fenrir" }), "body token")
      assertInvalid(yield* guest.post(path, { identifier: null, token: password }), "body identifier")
      assertInvalid(yield* guest.post(path, { identifier: 42, token: [] }), "body identifier", "body token")
      assertInvalid(yield* guest.post(path, [{ identifier: "fenrir", token: password }]), "body")
      for (const broken of ["null", '"fenrir"', "{", "{]", "identifier=fenrir", "\u0000"]) {
        assertInvalid(yield* guest.post(path, broken), "body")
      }
      assertInvalid(
        yield* guest.post(path, '{"identifier":"fen\\u0000rir","token":"12345678"}'),
        "body identifier"
      )
      assertProblem(
        yield* call("POST", `/api${path}`, {
          body: JSON.stringify({ identifier: "fenrir", token: password }),
          headers: { "content-type": "text/plain" }
        }),
        UnsupportedMediaType,
        { content_type: "text/plain" }
      )
      assertProblem(
        yield* guest.post("/auth/password/signin", { identifier: "fenrir", token: password }),
        HandleUnknown
      )
    })
  )

  it.effect("ignore unknown fields", () =>
    Effect.gen(function* () {
      const answer = yield* guest.post("/auth/password/signup", {
        identifier: "sly",
        token: password,
        admin: true,
        roles: [admin.id],
        id: "00000000000000000000",
        name: "Other",
        verified_status: "manual"
      })
      assert.strictEqual(answer.status, 200, answer.text)
      const { json } = yield* personWith(sessionOf(answer), answer.json.id).get("/accounts")
      assert.notStrictEqual(json.id, "00000000000000000000")
      assert.strictEqual(json.admin, false)
      assert.strictEqual(json.name, "sly")
      assert.strictEqual(json.verified_status, "none")
      assert.deepStrictEqual(json.roles, [held(member)])
    })
  )
})
