import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { MetricsToken } from "../../src/http/operations/MetricsAccess.ts"
import type { Answer } from "../support/answers.ts"
import { call, guest, signUp } from "../support/people.ts"
import { send } from "../support/raw.ts"
import * as TestApp from "../support/TestApp.ts"

/** The samples of a metric, by their labels. */
const samplesOf = (answer: Answer, metric: string): ReadonlyMap<string, number> =>
  new Map(
    answer.text
      .split("\n")
      .filter((line) => line.startsWith(`${metric}{`) || line.startsWith(`${metric} `))
      .map((line) => {
        const [, labels = "", value = ""] = /^\w+(?:\{(.*)\})? (\S+)/.exec(line) ?? []
        return [labels, Number(value)] as const
      })
  )

const scrape = call("GET", "/metrics")

const requestsTo = (answer: Answer, operation: string, status: number): number =>
  [...samplesOf(answer, "forum_http_requests_total")]
    .filter(
      ([labels]) => labels.includes(`operation="${operation}"`) && labels.includes(`status="${status}"`)
    )
    .reduce((sum, [, count]) => sum + count, 0)

layer(TestApp.layer)("the operational endpoints", (it) => {
  it.effect("report that the service is alive and ready", () =>
    Effect.gen(function* () {
      for (const path of ["/healthz", "/readyz"]) {
        const answer = yield* call("GET", path)
        assert.strictEqual(answer.status, 200)
        assert.strictEqual(answer.text, "")
        assert.strictEqual(answer.headers["content-length"], "0")
      }
    })
  )

  it.effect("count requests by operation and status", () =>
    Effect.gen(function* () {
      const before = yield* scrape
      assert.strictEqual(before.status, 200)
      assert.strictEqual(before.headers["content-type"], "text/plain; version=0.0.4")
      const odin = yield* signUp("odin")
      yield* odin.get("/accounts")
      yield* odin.get("/accounts")
      yield* guest.get("/accounts")
      yield* guest.get("/nope")
      yield* call("GET", "/healthz")
      const after = yield* scrape
      const growth = (operation: string, status: number) =>
        requestsTo(after, operation, status) - requestsTo(before, operation, status)
      assert.strictEqual(growth("AuthPasswordSignup", 200), 1)
      assert.strictEqual(growth("AccountGet", 200), 2)
      assert.strictEqual(growth("AccountGet", 401), 1)
      assert.strictEqual(growth("unrouted", 404), 1)
      assert.strictEqual(growth("healthz", 200), 1)
      assert.strictEqual(growth("metrics", 200), 1)
    })
  )

  it.effect("measure the durations of requests", () =>
    Effect.gen(function* () {
      yield* guest.get("/version")
      const answer = yield* scrape
      const buckets = [...samplesOf(answer, "forum_http_request_duration_seconds_bucket")].filter(
        ([labels]) => labels.includes('operation="GetVersion"')
      )
      assert.isAbove(buckets.length, 10)
      const counts = buckets.map(([, count]) => count)
      assert.deepStrictEqual(
        counts,
        counts.toSorted((a, b) => a - b)
      )
      const [total] = [...samplesOf(answer, "forum_http_request_duration_seconds_count")].filter(([labels]) =>
        labels.includes('operation="GetVersion"')
      )
      assert.strictEqual(total?.[1], counts.at(-1))
    })
  )

  it.effect("report connections, the lag of the event log and memory", () =>
    Effect.gen(function* () {
      const freya = yield* signUp("freya")
      yield* freya.post("/threads", { title: "t", visibility: "published" })
      const answer = yield* scrape
      const states = samplesOf(answer, "forum_db_connections")
      assert.isAtLeast(
        [...states.values()].reduce((sum, count) => sum + count, 0),
        1
      )
      assert.strictEqual(states.get('state="idle in transaction"'), 0)
      assert.isAbove(samplesOf(answer, "forum_event_log_lag").get("") ?? 0, 0)
      assert.isAbove(samplesOf(answer, "forum_process_resident_memory_bytes").get("") ?? 0, 1e7)
    })
  )

  it.effect("report connections of clients, their requests, and bytes in memory", () =>
    Effect.gen(function* () {
      const answer = yield* scrape
      assert.isAtLeast(samplesOf(answer, "forum_http_connections").get("") ?? 0, 1)
      // The request for the metrics itself.
      const requests = samplesOf(answer, "forum_http_requests")
      assert.deepStrictEqual([...requests].toSorted(), [
        ['state="in_progress"', 1],
        ['state="waiting"', 0]
      ])
      const bytes = samplesOf(answer, "forum_http_buffered_bytes")
      assert.deepStrictEqual([...bytes.keys()].toSorted(), ['direction="in"', 'direction="out"'])
    })
  )

  it.effect("count what is refused before it reaches an operation", () =>
    Effect.gen(function* () {
      const refused = Effect.map(scrape, (answer) =>
        samplesOf(answer, "forum_http_refusals_total").get('reason="invalid_http"')
      )
      const before = (yield* refused) ?? 0
      yield* send({ path: "/healthz", headers: { host: "a b" } })
      assert.strictEqual(yield* refused, before + 1)
      assert.strictEqual(yield* refused, before + 1)
    })
  )

  it.effect("use no path of a request as a label", () =>
    Effect.gen(function* () {
      yield* guest.get("/made-up-by-a-client")
      yield* guest.get("/threads/made-up-by-a-client")
      assert.notInclude((yield* scrape).text, "made-up")
    })
  )

  it.effect("do not show metrics to requests that a proxy has forwarded", () =>
    Effect.gen(function* () {
      for (const name of ["x-forwarded-for", "Forwarded", "X-Real-IP", "Via"]) {
        const answer = yield* send({ path: "/metrics", headers: { [name]: "127.0.0.1" } })
        assert.strictEqual(answer.status, 404, name)
        assert.strictEqual(answer.json.type, "/api/problems/not-found")
      }
    })
  )
})

const token = "0123456789abcdef"
const withToken = Layer.provide(TestApp.layer, Layer.succeed(MetricsToken, Redacted.make(token)))

layer(withToken)("metrics with a token", (it) => {
  it.effect("are shown to every request that carries it, and to no other", () =>
    Effect.gen(function* () {
      const statusWith = (headers: Record<string, string>) =>
        Effect.map(send({ path: "/metrics", headers }), ({ status }) => status)
      assert.strictEqual(yield* statusWith({ authorization: `Bearer ${token}` }), 200)
      assert.strictEqual(
        yield* statusWith({ authorization: `Bearer ${token}`, "x-forwarded-for": "203.0.113.9" }),
        200
      )
      assert.strictEqual(yield* statusWith({}), 404)
      assert.strictEqual(yield* statusWith({ authorization: "Bearer 0123456789abcdeF" }), 404)
    })
  )
})
