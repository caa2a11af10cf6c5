import { createHash } from "node:crypto"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { Sessions } from "../../src/domain/session/Sessions.ts"
import { Unauthenticated } from "../../src/domain/shared/Actor.ts"
import { type Answer, sessionOf } from "../support/answers.ts"
import * as People from "../support/people.ts"
import { Cast, call, guest, password, personIn, personWith, signUp } from "../support/people.ts"
import { assertProblem } from "../support/problems.ts"
import * as TestApp from "../support/TestApp.ts"

const start = "1970-01-01T00:00:00.000Z"

const signIn = (identifier: string) => Effect.map(People.signIn(identifier), personIn)

/** The one cookie that an answer sets: its value and its attributes, sorted. */
const cookieOf = (answer: Answer) => {
  const [pair = "", ...attributes] = (answer.headers["set-cookie"] ?? "").split("; ")
  const [name, value] = pair.split("=", 2)
  return { name, value, attributes: attributes.sort() }
}

const isGuest = Effect.fnUntraced(function* (cookie: string) {
  const stranger = personWith(cookie, "")
  assertProblem(yield* stranger.get("/accounts"), Unauthenticated)
  const session = yield* stranger.get("/session")
  assert.strictEqual(session.status, 200)
  assert.isUndefined(session.json.account)
})

layer(TestApp.layer)("the session cookie", (it) => {
  const attributes = ["Expires=Wed, 01 Apr 1970 00:00:00 GMT", "HttpOnly", "Path=/", "SameSite=Lax"]

  const assertIssued = (answer: Answer) => {
    assert.strictEqual(answer.status, 200, answer.text)
    const { attributes: actual, name, value = "" } = cookieOf(answer)
    assert.strictEqual(name, "forum-session")
    assert.match(value, /^[A-Za-z0-9_-]{43}$/)
    assert.deepStrictEqual(actual, attributes)
    return value
  }

  it.effect("lasts ninety days, is host-only and HttpOnly, and is set by every operation that signs in", () =>
    Effect.gen(function* () {
      const pair = { identifier: "odin", token: password }
      const signedUp = yield* guest.post("/auth/password/signup", pair)
      const odin = personWith(assertIssued(signedUp), signedUp.json.id)
      const tokens = [
        odin.cookie,
        assertIssued(yield* guest.post("/auth/password/signin", pair)),
        assertIssued(yield* odin.patch("/auth/password", { old: password, new: password }))
      ]
      const sql = yield* SqlClient.SqlClient
      yield* sql`delete from passwords where account_id = ${odin.id}`
      tokens.push(assertIssued(yield* odin.post("/auth/password", { password })))
      assert.strictEqual(new Set(tokens).size, 4)
    })
  )

  it.effect("is stored as its SHA-256 only", () =>
    Effect.gen(function* () {
      const freya = yield* signUp("freya")
      const sql = yield* SqlClient.SqlClient
      const rows =
        yield* sql`select encode(token_hash, 'hex') as token_hash, account_id, created_at, expires_at
        from sessions where account_id = ${freya.id}`
      assert.deepStrictEqual(rows, [
        {
          token_hash: createHash("sha256")
            .update(freya.cookie ?? "")
            .digest("hex"),
          account_id: freya.id,
          created_at: new Date(start),
          expires_at: new Date("1970-04-01T00:00:00.000Z")
        }
      ])
    })
  )

  it.effect("makes a guest if it is not valid", () =>
    Effect.gen(function* () {
      const loki = yield* signUp("loki")
      const good = loki.cookie ?? ""
      const hashed = createHash("sha256").update(good).digest("base64url")
      for (const cookie of [
        "",
        "x",
        good.slice(1),
        `${good}A`,
        `${good}=`,
        "A".repeat(43),
        good.toLowerCase(),
        hashed,
        loki.id
      ]) {
        yield* isGuest(cookie)
      }
      assert.strictEqual((yield* loki.get("/accounts")).status, 200)
    })
  )

  it.effect("expires ninety days after it was issued, however often it was used", () =>
    Effect.gen(function* () {
      const tyr = yield* signUp("tyr")
      yield* TestClock.adjust("89 days")
      assert.strictEqual((yield* tyr.get("/accounts")).status, 200)
      const later = yield* signIn("tyr")
      yield* TestClock.adjust("86399 seconds")
      assert.strictEqual((yield* tyr.get("/accounts")).status, 200)
      yield* TestClock.adjust("1 second")
      yield* isGuest(tyr.cookie ?? "")
      assert.strictEqual((yield* later.get("/accounts")).status, 200)
    })
  )
})

layer(TestApp.layerWhere({ publicUrl: new URL("https://forum.test") }))(
  "the session cookie over https",
  (it) => {
    it.effect("is Secure when it is set and when it is cleared", () =>
      Effect.gen(function* () {
        const answer = yield* guest.post("/auth/password/signup", { identifier: "odin", token: password })
        assert.include(cookieOf(answer).attributes, "Secure")
        const cleared = yield* personWith(sessionOf(answer), "").post("/auth/logout")
        assert.include(cookieOf(cleared).attributes, "Secure")
      })
    )
  }
)

layer(People.layer)("credentials", (it) => {
  it.effect("make a guest if the bearer token is unknown, and a valid session counts all the same", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      for (const authorization of [
        "Bearer nothing",
        `Bearer ${odin.cookie}`,
        "Basic b2Rpbjp4",
        "Bearer ey.ey.x"
      ]) {
        const stranger = yield* call("GET", "/api/accounts", { headers: { authorization } })
        assertProblem(stranger, Unauthenticated)
        const known = yield* odin.get("/accounts", { headers: { authorization } })
        assert.strictEqual(known.json.handle, "odin")
      }
    })
  )

  it.effect("are found among other cookies", () =>
    Effect.gen(function* () {
      const freya = yield* signIn("freya")
      const cookie = `theme=dark; forum-session=${freya.cookie}; storyden-session=x`
      const answer = yield* call("GET", "/api/accounts", { headers: { cookie } })
      assert.strictEqual(answer.json.handle, "freya")
    })
  )
})

layer(People.layer)("several session cookies", (it) => {
  const read = (path: string, ...values: ReadonlyArray<string | undefined>) =>
    call("GET", `/api${path}`, {
      headers: { cookie: values.map((value) => `forum-session=${value}`).join("; ") }
    })

  it.effect("count if any of them is valid, wherever it stands", () =>
    Effect.gen(function* () {
      const freya = yield* signIn("freya")
      const ended = yield* signIn("freya")
      yield* ended.post("/auth/logout")
      const good = freya.cookie
      const junk = ["", "x", "A".repeat(43), ended.cookie, "%00", "\u00e9"]
      const orders = [
        ...junk.flatMap((bad) => [
          [bad, good],
          [good, bad]
        ]),
        [good, good],
        [...junk, good, ...junk]
      ]
      for (const values of orders) {
        const answer = yield* read("/accounts", ...values)
        assert.strictEqual(answer.json.handle, "freya", values.join(" "))
      }
      const many = Array.from({ length: 150 }, (_, index) => String(index).padStart(43, "A"))
      assert.strictEqual((yield* read("/accounts", ...many, good)).json.handle, "freya")
      assertProblem(yield* read("/accounts", ...junk), Unauthenticated)
      assertProblem(yield* read("/accounts", ...many), Unauthenticated)
    })
  )

  it.effect("count for operations that look for a thread at the same time, too", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const { id } = (yield* freya.post("/threads", { title: "A draft" })).json
      assert.strictEqual((yield* read(`/threads/${id}`, "junk", freya.cookie)).status, 200)
    })
  )

  it.effect("make the first of two valid ones the caller", () =>
    Effect.gen(function* () {
      const [freya, loki] = [yield* signIn("freya"), yield* signIn("loki")]
      assert.strictEqual((yield* read("/accounts", freya.cookie, loki.cookie)).json.handle, "freya")
      assert.strictEqual((yield* read("/accounts", loki.cookie, freya.cookie)).json.handle, "loki")
    })
  )

  it.effect("do not make an expired session valid", () =>
    Effect.gen(function* () {
      const early = yield* signIn("loki")
      yield* TestClock.adjust("1 day")
      const late = yield* signIn("freya")
      yield* TestClock.adjust("89 days")
      assert.strictEqual((yield* read("/accounts", early.cookie, late.cookie)).json.handle, "freya")
      yield* TestClock.adjust("1 day")
      assertProblem(yield* read("/accounts", early.cookie, late.cookie), Unauthenticated)
    })
  )

  it.effect("are all ended by signing out", () =>
    Effect.gen(function* () {
      const [freya, loki] = [yield* signIn("freya"), yield* signIn("loki")]
      const cookie = `forum-session=junk; forum-session=${freya.cookie}; forum-session=${loki.cookie}`
      assert.strictEqual((yield* call("POST", "/api/auth/logout", { headers: { cookie } })).status, 302)
      yield* isGuest(freya.cookie ?? "")
      yield* isGuest(loki.cookie ?? "")
    })
  )
})

layer(People.layer)("signing out", (it) => {
  const web = "http://www.forum.test"

  const assertSignedOut = (answer: Answer, location = web) => {
    assert.strictEqual(answer.status, 302, answer.text)
    assert.strictEqual(answer.text, "")
    assert.strictEqual(answer.headers["content-length"], "0")
    assert.isUndefined(answer.headers["content-type"])
    assert.strictEqual(answer.headers.location, location)
    assert.strictEqual(
      answer.headers["clear-site-data"],
      `"cache", "cookies", "storage", "executionContexts"`
    )
    assert.strictEqual(answer.headers["cache-control"], "no-cache, no-store, must-revalidate")
    assert.deepStrictEqual(cookieOf(answer), {
      name: "forum-session",
      value: "",
      attributes: ["Expires=Thu, 01 Jan 1970 00:00:00 GMT", "HttpOnly", "Path=/", "SameSite=Lax"]
    })
  }

  it.effect("ends the session of the request and no other", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const again = yield* signIn("freya")
      assertSignedOut(yield* freya.post("/auth/logout"))
      yield* isGuest(freya.cookie ?? "")
      assert.strictEqual((yield* again.get("/accounts")).status, 200)
      assert.strictEqual((yield* odin.get("/accounts")).status, 200)
      const sql = yield* SqlClient.SqlClient
      const left = yield* sql`select count(*)::int as sessions from sessions where account_id = ${freya.id}`
      assert.deepStrictEqual(left, [{ sessions: 1 }])
    })
  )

  it.effect("answers guests and ended sessions in the same way", () =>
    Effect.gen(function* () {
      const loki = yield* signIn("loki")
      assertSignedOut(yield* loki.post("/auth/logout"))
      assertSignedOut(yield* loki.post("/auth/logout"))
      assertSignedOut(yield* guest.post("/auth/logout"))
      assertSignedOut(yield* personWith("nonsense", "").post("/auth/logout"))
    })
  )

  it.effect("accepts any body and content type", () =>
    Effect.gen(function* () {
      const bodies: ReadonlyArray<readonly [type: string, body: string]> = [
        ["application/x-www-form-urlencoded", ""],
        ["application/x-www-form-urlencoded", "a=b"],
        ["application/json", "{"],
        ["text/plain", "bye"]
      ]
      for (const [type, body] of bodies) {
        const odin = yield* signIn("odin")
        assertSignedOut(yield* odin.post("/auth/logout", body, { "content-type": type }))
        yield* isGuest(odin.cookie ?? "")
      }
    })
  )

  it.effect.each([
    ["/t/welcome?page=2#latest", `${web}/t/welcome?page=2#latest`],
    ["/", `${web}/`],
    ["", web],
    ["t/welcome", `${web}/t/welcome`],
    ["?q=1", `${web}/?q=1`],
    ["#top", `${web}/#top`],
    ["https://evil.example/steal?x=1#y", `${web}/steal?x=1#y`],
    ["https://user:secret@evil.example/", `${web}/`],
    ["//evil.example", `${web}/`],
    ["//evil.example/x", `${web}/x`],
    ["///evil.example/x", `${web}/x`],
    ["/\\evil.example/x", `${web}/x`],
    ["\\\\evil.example\\x", `${web}/x`],
    ["http://a//evil.example", `${web}/evil.example`],
    ["/x/..//evil.example", `${web}/evil.example`],
    ["\t//evil.example/x", `${web}/x`],
    ["/x\r\nSet-Cookie: a=b", `${web}/xSet-Cookie:%20a=b`],
    ["javascript:alert(1)", web],
    ["javascript:.evil.example/", web],
    ["javascript://evil.example/%0aalert(1)", `${web}/%0aalert(1)`],
    ["mailto:x@evil.example", web],
    ["data:text/html,<script>alert(1)</script>", web],
    ["https://[", web],
    ["http://a b/", web]
  ] as const)("with the redirect %j redirects to %s", ([redirect, location]) =>
    Effect.gen(function* () {
      assertSignedOut(yield* guest.post(`/auth/logout?redirect=${encodeURIComponent(redirect)}`), location)
    })
  )
})

layer(TestApp.layer)("the clean-up of expired sessions", (it) => {
  it.effect("deletes them, and no others", () =>
    Effect.gen(function* () {
      const odin = yield* signUp("odin")
      const sql = yield* SqlClient.SqlClient
      const { forgetExpired } = yield* Sessions
      const kept = Effect.map(sql`select 1 from sessions`, (rows) => rows.length)
      yield* forgetExpired
      assert.strictEqual(yield* kept, 1)
      yield* TestClock.adjust("89 days")
      const later = yield* odin.post("/auth/password/signin", { identifier: "odin", token: password })
      assert.strictEqual(later.status, 200)
      yield* TestClock.adjust("1 day")
      yield* forgetExpired
      assert.strictEqual(yield* kept, 1)
    })
  )
})
