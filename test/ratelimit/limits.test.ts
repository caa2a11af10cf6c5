/** The rate limit by HTTP: what is counted, when it is refused, and what every answer says. */
import { assert, layer } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { TestClock } from "effect/testing"
import { networksOf } from "../../src/domain/shared/Network.ts"
import { CrossSiteRequest, RateLimitExceeded } from "../../src/http/contract/RequestProblems.ts"
import { type Answer, ok } from "../support/answers.ts"
import { withKey } from "../support/keys.ts"
import * as People from "../support/people.ts"
import { Cast, grant, guest, json, type Person, personByKey, personWith } from "../support/people.ts"
import { assertProblem } from "../support/problems.ts"
import { type RawRequest, send } from "../support/raw.ts"
import { counting, statementsOf } from "../support/statements.ts"
import * as TestApp from "../support/TestApp.ts"
import { withToken } from "../support/tokens.ts"

const proxied = TestApp.layerWhere({ trustedProxies: networksOf(["127.0.0.0/8", "::1"]) })

/** A client that nobody has seen before. */
let clients = 0
const newClient = () => {
  clients += 1
  return `203.0.113.${clients}`
}

const from = (address: string) => ({ "x-forwarded-for": address })

const version = (address: string, person: Person = guest) =>
  person.get("/version", { headers: from(address) })

/** Changes the limits, from an address that is exempt. */
const limitTo = (rate_limiting: object) =>
  Effect.gen(function* () {
    const { odin } = yield* Cast
    return ok(yield* odin.patch("/admin", { services: { rate_limiting } })).services.rate_limiting
  })

const remainingOf = (answer: Answer) => Number(answer.headers["x-ratelimit-remaining"])

const httpDate = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/

/** Asserts what an answer says of the limit, and answers the time of the reset in milliseconds. */
const assertStanding = (answer: Answer, limit: number, remaining: number): number => {
  const about = `${answer.request}: ${answer.text}`
  assert.strictEqual(answer.headers["x-ratelimit-limit"], String(limit), about)
  assert.strictEqual(answer.headers["x-ratelimit-remaining"], String(remaining), about)
  assert.match(answer.headers["x-ratelimit-reset"] ?? "", httpDate, about)
  return Date.parse(answer.headers["x-ratelimit-reset"] ?? "")
}

const assertRefused = (answer: Answer, limit: number) => {
  assertProblem(answer, RateLimitExceeded)
  const resets = assertStanding(answer, limit, 0)
  assert.strictEqual(answer.headers["retry-after"], answer.headers["x-ratelimit-reset"])
  assert.strictEqual(answer.json.metadata.limit, limit)
  assert.strictEqual(answer.json.metadata.resets_at, new Date(resets).toISOString())
  return answer.json.metadata.retry_after
}

layer(People.withCast(proxied))("the rate limit", (it) => {
  it.effect("is said by every answer of the API, whatever it is", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const address = newClient()
      const spec = yield* send({ path: "/api/openapi.json", headers: from(address) })
      const page = yield* freya.get("/profiles/freya", { headers: from(address) })
      const requests: ReadonlyArray<readonly [request: RawRequest, status: number, cost: number]> = [
        [{ path: "/api/version" }, 200, 1],
        [{ path: "/api/version", method: "HEAD" }, 200, 1],
        [{ path: "/api/openapi.json" }, 200, 1],
        [{ path: "/api/openapi.json", headers: { "if-none-match": spec.headers.etag ?? "" } }, 304, 1],
        [
          {
            path: "/api/profiles/freya",
            headers: { ...freya.headers, "if-none-match": page.headers.etag ?? "" }
          },
          304,
          1
        ],
        [{ path: "/api/docs" }, 200, 1],
        [{ path: "/api/accounts", headers: freya.headers }, 200, 1],
        [{ path: "/api/accounts" }, 401, 1],
        [{ path: "/api/admin", headers: freya.headers }, 403, 1],
        [{ path: "/api/threads/nowhere" }, 404, 1],
        [{ path: "/api/nope" }, 404, 1],
        [{ path: "/nope" }, 404, 1],
        [{ path: "/api//version" }, 404, 1],
        [{ path: "/api/version", method: "DELETE" }, 405, 1],
        [{ path: "/api/threads/%zz" }, 400, 1],
        [{ path: "/api/version", method: "OPTIONS" }, 204, 0],
        [{ path: "/api/nope", method: "OPTIONS" }, 404, 0],
        [{ path: "/api/auth/password/signin", method: "POST", body: "{", headers: json }, 400, 1],
        [
          { path: "/api/auth/password/signin", method: "POST", body: " ".repeat(1_100_000), headers: json },
          413,
          1
        ],
        [
          { path: "/api/auth/password/signin", method: "POST", headers: { origin: "https://evil.test" } },
          403,
          1
        ]
      ]
      let left = remainingOf(page)
      assert.strictEqual(left, 4_998)
      for (const [request, status, cost] of requests) {
        const answer = yield* send({ ...request, headers: { ...request.headers, ...from(address) } })
        assert.strictEqual(answer.status, status, `${answer.request}: ${answer.text}`)
        left -= cost
        assertStanding(answer, 5_000, left)
      }
      for (const [request] of requests) {
        const exempt = yield* send({ ...request, headers: { ...request.headers } })
        assertStanding(exempt, 5_000, 5_000)
      }
      for (const path of ["/healthz", "/readyz", "/metrics"]) {
        assert.notProperty((yield* send({ path, headers: from(address) })).headers, "x-ratelimit-limit", path)
      }
    })
  )

  it.effect("says when nothing of what was used counts any more", () =>
    Effect.gen(function* () {
      const address = newClient()
      const now = yield* DateTime.now
      const reset = assertStanding(yield* version(address), 5_000, 4_999)
      const seconds = (reset - DateTime.toEpochMillis(now)) / 1000
      assert.isAbove(seconds, 3_600)
      assert.isAtMost(seconds, 3_660)
      yield* TestClock.adjust("59 minutes")
      assertStanding(yield* version(address), 5_000, 4_998)
      yield* TestClock.adjust("2 minutes")
      assertStanding(yield* version(address), 5_000, 4_998)
    })
  )

  it.effect("refuses the request that would reach it, and counts those that it refuses", () =>
    Effect.gen(function* () {
      yield* limitTo({ rate_limit: 4, rate_limit_period: 60, rate_limit_bucket: 10 })
      const address = newClient()
      for (const left of [3, 2, 1]) assertStanding(yield* version(address), 4, left)
      const wait = assertRefused(yield* version(address), 4)
      assert.isAtLeast(wait, 60)
      // Others are not affected.
      assertStanding(yield* version(newClient()), 4, 3)
      // One unit has to leave for one request, two if another one has been refused.
      const patient = newClient()
      for (let n = 0; n < 4; n++) yield* version(patient)
      const later = assertRefused(yield* version(patient), 4)
      assert.isAbove(later, wait)
      yield* TestClock.adjust(`${wait} seconds`)
      assert.strictEqual((yield* version(address)).status, 200)
      assertRefused(yield* version(patient), 4)
    })
  )

  it.effect("may be used again when the answer says so", () =>
    Effect.gen(function* () {
      yield* limitTo({ rate_limit: 10, rate_limit_period: 60, rate_limit_bucket: 10 })
      const [address, impatient] = [newClient(), newClient()]
      for (let n = 0; n < 25; n++) {
        yield* version(address)
        yield* version(impatient)
        yield* TestClock.adjust("1 second")
      }
      const wait = assertRefused(yield* version(address), 10)
      assert.strictEqual(assertRefused(yield* version(impatient), 10), wait)
      yield* TestClock.adjust(`${wait - 2} seconds`)
      assertRefused(yield* version(impatient), 10)
      yield* TestClock.adjust("2 seconds")
      assert.strictEqual((yield* version(address)).status, 200)
    })
  )

  it.effect("holds for whatever a client asks for, but not for what a browser asks for by itself", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      yield* limitTo({ rate_limit: 2 })
      const address = newClient()
      const headers = { ...from(address), origin: "http://www.forum.test" }
      yield* version(address)
      for (const request of [
        { path: "/api/version" },
        { path: "/api/nope" },
        { path: "/nope" },
        { path: "/api//version" },
        { path: "/api/version", method: "PUT" },
        { path: "/api/openapi.json" },
        { path: "/api/accounts", headers: freya.headers },
        { path: "/api/threads", method: "POST", body: "{", headers: { ...freya.headers, ...json } },
        { path: "/api/threads", method: "POST", headers: { "sec-fetch-site": "cross-site" } }
      ]) {
        const answer = yield* send({ ...request, headers: { ...request.headers, ...headers } })
        assertRefused(answer, 2)
        assert.strictEqual(answer.headers["access-control-allow-origin"], "http://www.forum.test")
        const exposed = (answer.headers["access-control-expose-headers"] ?? "").toLowerCase().split(", ")
        for (const name of ["limit", "remaining", "reset"]) assert.include(exposed, `x-ratelimit-${name}`)
        assert.include(exposed, "retry-after")
      }
      const preflight = { ...headers, "access-control-request-method": "POST" }
      const asked = yield* send({ path: "/api/threads", method: "OPTIONS", headers: preflight })
      assert.strictEqual(asked.status, 204)
      assertStanding(asked, 2, 0)
      for (const path of ["/healthz", "/readyz"]) {
        assert.strictEqual((yield* send({ path, headers })).status, 200)
      }
    })
  )

  it.effect("is decided before anything else about a request", () =>
    Effect.gen(function* () {
      yield* limitTo({ rate_limit: 2 })
      const address = newClient()
      const foreign = {
        path: "/api/threads",
        method: "POST",
        headers: { ...from(address), origin: "https://evil.test" }
      }
      assertProblem(yield* send(foreign), CrossSiteRequest)
      assertRefused(yield* send(foreign), 2)
    })
  )

  it.effect("is one for all addresses that a provider gives to a customer", () =>
    Effect.gen(function* () {
      yield* limitTo({ rate_limit: 3 })
      assertStanding(yield* version("2001:db8:0:1::1"), 3, 2)
      assertStanding(yield* version("2001:db8:0:1:ffff::2"), 3, 1)
      assertStanding(yield* version("2001:db8:0:2::1"), 3, 2)
      assertRefused(yield* version("2001:db8:0:1::3"), 3)
    })
  )

  it.effect("holds exactly for requests that come at once", () =>
    Effect.gen(function* () {
      yield* limitTo({ rate_limit: 20 })
      const address = newClient()
      const answers = yield* Effect.forEach(Array(50).keys(), () => version(address), {
        concurrency: "unbounded"
      })
      assert.strictEqual(answers.filter(({ status }) => status === 200).length, 19)
      assert.strictEqual(answers.filter(({ status }) => status === 429).length, 31)
    })
  )

  it.effect("counts operations as administrators want, at once", () =>
    Effect.gen(function* () {
      const address = newClient()
      yield* limitTo({ rate_limit: 100, cost_overrides: { GetVersion: 7, AdminSettingsGet: 3 } })
      assertStanding(yield* version(address), 100, 93)
      assertStanding(yield* guest.get("/info", { headers: from(address) }), 100, 92)
      yield* limitTo({ cost_overrides: { GetVersion: 0 } })
      for (let n = 0; n < 5; n++) assertStanding(yield* version(address), 100, 92)
      yield* limitTo({ cost_overrides: {} })
      assertStanding(yield* version(address), 100, 91)
      // More than there ever is.
      yield* limitTo({ cost_overrides: { GetVersion: 1_000 } })
      assertRefused(yield* version(address), 100)
      yield* limitTo({ cost_overrides: {} })
    })
  )

  it.effect("keeps what was used when only the limit changes, and begins anew with another period", () =>
    Effect.gen(function* () {
      const address = newClient()
      yield* limitTo({ rate_limit: 10, rate_limit_period: 60, rate_limit_bucket: 10 })
      for (const left of [9, 8, 7]) assertStanding(yield* version(address), 10, left)
      yield* limitTo({ rate_limit: 5 })
      assertStanding(yield* version(address), 5, 1)
      assertRefused(yield* version(address), 5)
      yield* limitTo({ rate_limit: 1_000 })
      assertStanding(yield* version(address), 1_000, 994)
      yield* limitTo({ rate_limit_period: 120 })
      assertStanding(yield* version(address), 1_000, 999)
      const restored = yield* limitTo({ rate_limit: 0, rate_limit_period: -1, rate_limit_bucket: 0 })
      assert.deepStrictEqual(
        [restored.rate_limit, restored.rate_limit_period, restored.rate_limit_bucket],
        [5_000, 3_600, 60]
      )
      assertStanding(yield* version(address), 5_000, 4_999)
    })
  )

  it.effect("costs those more who are not signed in", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      yield* grant(loki, "USE_PERSONAL_ACCESS_KEYS")
      const keyed = yield* withKey(loki)
      yield* limitTo({ rate_limit: 100, rate_limit_guest_cost: 10, cost_overrides: { GetInfo: 2 } })
      const standingOf = (person: Person, path: string) => {
        const address = newClient()
        return Effect.flatMap(person.get(path, { headers: from(address) }), (first) =>
          // The next answer shows what was counted after the first one, too.
          Effect.map(guest.get("/nope", { headers: from(address) }), (next) => [
            remainingOf(first),
            remainingOf(next)
          ])
        )
      }
      const tokened = yield* withToken(loki, "READ_PUBLISHED_THREADS")
      const forged = personWith("x".repeat(43), "")
      for (const [person, threads, info] of [
        [guest, [90, 80], [80, 70]],
        [freya, [99, 89], [98, 88]],
        [keyed, [99, 89], [98, 88]],
        [tokened, [99, 89], [98, 88]],
        // Found out where the caller matters. Elsewhere nobody looks.
        [forged, [90, 80], [98, 88]],
        [personByKey("fpk_nothing", ""), [90, 80], [98, 88]],
        [personByKey("eyJ.eyJ.eyJ", ""), [90, 80], [98, 88]]
      ] as const) {
        assert.deepStrictEqual(yield* standingOf(person, "/threads"), [...threads])
        assert.deepStrictEqual(yield* standingOf(person, "/info"), [...info])
      }
      yield* limitTo({ rate_limit_guest_cost: 1, cost_overrides: {} })
    })
  )
})

layer(counting(People.withCast(proxied)))("a request beyond the rate limit", (it) => {
  it.effect("runs no statement, whatever credentials it has", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      yield* limitTo({ rate_limit: 2, rate_limit_guest_cost: 5 })
      const address = newClient()
      yield* version(address, freya)
      for (const person of [freya, guest, personWith("x".repeat(43), "")]) {
        const { answer, statements } = yield* statementsOf(person.get("/threads", { headers: from(address) }))
        assertRefused(answer, 2)
        assert.deepStrictEqual(statements, [])
      }
    })
  )
})

layer(People.layer)("the rate limit of this machine", (it) => {
  it.effect("is none, unless administrators say otherwise", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const limits = yield* limitTo({ rate_limit: 3 })
      assert.deepStrictEqual(limits.exempt_cidrs, ["127.0.0.0/8", "::1/128"])
      for (let n = 0; n < 5; n++) assertStanding(yield* guest.get("/version"), 3, 3)
      yield* limitTo({ exempt_cidrs: ["10.0.0.0/8"] })
      assertStanding(yield* guest.get("/version"), 3, 2)
      yield* limitTo({ exempt_cidrs: [], rate_limit: 100 })
      assertStanding(yield* guest.get("/version"), 100, 97)
      yield* limitTo({ exempt_cidrs: ["127.0.0.1"] })
      assertStanding(yield* guest.get("/version"), 100, 100)
      yield* limitTo({ exempt_cidrs: [], rate_limit: 6 })
      assertStanding(yield* guest.get("/version"), 6, 1)
      assertRefused(yield* odin.patch("/admin", {}), 6)
    })
  )
})
