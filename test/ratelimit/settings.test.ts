/** When settings take effect on requests, and from where requests come by them. */
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { HttpClient } from "effect/http"
import { TestClock } from "effect/testing"
import { SettingsStore } from "../../src/domain/settings/SettingsStore.ts"
import { dieWithProblem } from "../../src/domain/shared/Problem.ts"
import { StorageUnavailable } from "../../src/domain/storage/StorageProblem.ts"
import { RateLimitExceeded } from "../../src/http/contract/RequestProblems.ts"
import { ok } from "../support/answers.ts"
import * as People from "../support/people.ts"
import { Cast, guest, signIn } from "../support/people.ts"
import { assertProblem } from "../support/problems.ts"
import * as TestApp from "../support/TestApp.ts"

const change = (services: object) =>
  Effect.flatMap(Cast, ({ odin }) => Effect.map(odin.patch("/admin", { services }), ok))

const addressSeen = (headers: Record<string, string>) =>
  Effect.map(guest.get("/session", { headers }), (answer) => ok(answer).client.ip_address)

const limitOf = Effect.map(guest.get("/version"), ({ headers }) => Number(headers["x-ratelimit-limit"]))

layer(People.layer)("the address of a client", (it) => {
  it.effect("is found as administrators say, at once", () =>
    Effect.gen(function* () {
      const headers = {
        "x-forwarded-for": "198.51.100.1, 203.0.113.9, 10.0.0.7",
        "x-real-ip": "203.0.113.8",
        "cf-connecting-ip": "2001:db8::7"
      }
      assert.strictEqual(yield* addressSeen(headers), "127.0.0.1")
      const steps: ReadonlyArray<readonly [client_ip: object, address: string]> = [
        [{ client_ip_mode: "single_header" }, "203.0.113.8"],
        [{ client_ip_header: "CF-Connecting-IP" }, "2001:db8::7"],
        [{ client_ip_header: "X-Forwarded-For" }, "127.0.0.1"],
        // Nobody is trusted yet.
        [{ client_ip_mode: "xff_trusted_proxies" }, "127.0.0.1"],
        [{ trusted_proxy_cidrs: ["192.0.2.0/24"] }, "127.0.0.1"],
        [{ trusted_proxy_cidrs: ["127.0.0.1"] }, "10.0.0.7"],
        [{ trusted_proxy_cidrs: ["127.0.0.1", "10.0.0.0/8"] }, "203.0.113.9"],
        [{ trusted_proxy_cidrs: ["0.0.0.0/0"] }, "127.0.0.1"],
        [{ client_ip_mode: "remote_addr" }, "127.0.0.1"]
      ]
      for (const [client_ip, address] of steps) {
        yield* change({ client_ip })
        assert.strictEqual(yield* addressSeen(headers), address, JSON.stringify(client_ip))
      }
    })
  )

  it.effect("is what requests are counted by, so that a forged one changes nothing", () =>
    Effect.gen(function* () {
      yield* change({
        client_ip: { client_ip_mode: "xff_trusted_proxies", trusted_proxy_cidrs: ["127.0.0.1"] },
        rate_limiting: { rate_limit: 5 }
      })
      const version = (forwarded: string) =>
        guest.get("/version", { headers: { "x-forwarded-for": forwarded } })
      for (let n = 1; n <= 4; n++) {
        const answer = yield* version(`198.51.100.${n}, 203.0.113.19`)
        assert.strictEqual(answer.headers["x-ratelimit-remaining"], String(5 - n))
      }
      assertProblem(yield* version("198.51.100.5, 203.0.113.19"), RateLimitExceeded)
      // Exempt are those whose address is this machine's, not those who say so.
      assertProblem(yield* version("127.0.0.1, 203.0.113.19"), RateLimitExceeded)
      assert.strictEqual((yield* version("203.0.113.20")).status, 200)
      yield* change({ client_ip: { client_ip_mode: "remote_addr" }, rate_limiting: { rate_limit: 0 } })
      for (let n = 0; n < 6; n++) assert.strictEqual((yield* version("203.0.113.19")).status, 200)
    })
  )

  it.effect("is what attempts at passwords are counted by", () =>
    Effect.gen(function* () {
      yield* change({ client_ip: { client_ip_mode: "single_header", client_ip_header: "X-Real-IP" } })
      const wrong = (address: string) =>
        guest.post(
          "/auth/password/signin",
          { identifier: "freya", token: "wrong horse" },
          { "x-real-ip": address }
        )
      for (let n = 0; n < 10; n++) assert.strictEqual((yield* wrong("203.0.113.1")).status, 401)
      assert.strictEqual((yield* wrong("203.0.113.1")).status, 429)
      assert.strictEqual((yield* wrong("203.0.113.2")).status, 401)
      yield* change({ client_ip: { client_ip_mode: "remote_addr", client_ip_header: "" } })
      ok(yield* signIn("freya"))
    })
  )
})

layer(Layer.provideMerge(TestApp.uncached, People.layer))("a change of rate limits", (it) => {
  it.effect("takes effect at once on its instance, and within a second on others", () =>
    Effect.gen(function* () {
      const elsewhere = yield* TestApp.UncachedClient
      const there = Effect.provideService(limitOf, HttpClient.HttpClient, elsewhere)
      assert.deepStrictEqual([yield* limitOf, yield* there], [5_000, 5_000])
      yield* change({ rate_limiting: { rate_limit: 70 } })
      assert.deepStrictEqual([yield* limitOf, yield* there], [70, 5_000])
      yield* TestClock.adjust("999 millis")
      assert.strictEqual(yield* there, 5_000)
      yield* TestClock.adjust("1 millis")
      // The first request after any time knows it.
      assert.strictEqual(yield* there, 70)
    })
  )
})

/** What happens instead of reading the settings, if anything. */
let instead: Effect.Effect<never> | undefined
let readings = 0

const moody = TestApp.layerWhere(
  {},
  TestApp.storesBut(SettingsStore, (usual) => ({
    ...usual,
    all: Effect.suspend(() => {
      readings += 1
      return instead ?? usual.all
    })
  }))
)

layer(People.withCast(moody))("requests go on with the settings that were read last", (it) => {
  it.effect("when they cannot be read", () =>
    Effect.gen(function* () {
      yield* change({ rate_limiting: { rate_limit: 70 } })
      for (const failure of [
        dieWithProblem(new StorageUnavailable({ metadata: { retry_after: 1 } })),
        Effect.die(new Error("broken on purpose"))
      ]) {
        instead = failure
        yield* TestClock.adjust("10 seconds")
        const before = readings
        for (let n = 0; n < 3; n++) assert.strictEqual(yield* limitOf, 70)
        // It is tried again after a second, not with every request.
        assert.strictEqual(readings - before, 1)
      }
      instead = undefined
    })
  )

  it.effect("when reading them takes too long, for which one of them waits in a second", () =>
    Effect.gen(function* () {
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual(yield* limitOf, 70)
      instead = Effect.never
      yield* TestClock.adjust("1 second")
      const waiting = yield* Effect.forkChild(Effect.all([limitOf, limitOf], { concurrency: "unbounded" }))
      while (waiting.pollUnsafe() === undefined) {
        yield* TestClock.adjust("100 millis")
        yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
      }
      assert.deepStrictEqual(yield* Fiber.join(waiting), [70, 70])
      instead = undefined
    })
  )
})
