/** Several instances that count together, and what becomes of it when Redis fails. */
import { assert, describe, it } from "@effect/vitest"
import { Context, Deferred, Effect, Fiber, Layer, Option } from "effect"
import { Headers, HttpServerRequest } from "effect/http"
import { PrometheusMetrics } from "effect/observability"
import { TestClock } from "effect/testing"
import { clientAddressDefaults } from "../../src/domain/settings/ClientAddressSetting.ts"
import { generalDefaults } from "../../src/domain/settings/GeneralSetting.ts"
import { type CurrentSettings, InstanceSettings } from "../../src/domain/settings/InstanceSettings.ts"
import { moderationDefaults } from "../../src/domain/settings/ModerationSetting.ts"
import { type RateLimitSettings, rateLimitDefaults } from "../../src/domain/settings/RateLimitSetting.ts"
import { RateLimits } from "../../src/http/pipeline/RateLimits.ts"
import { factsOf } from "../../src/http/pipeline/RequestContext.ts"
import {
  SharedCounts,
  type SharedCountsShape,
  SharedCountsUnavailable
} from "../../src/http/ratelimit/SharedCounts.ts"
import { observed } from "../../src/http/ratelimit/SharedCountsHealth.ts"
import * as RedisCounts from "../../src/layers/adapters/redis/RedisCounts.ts"
import * as Logs from "../support/logs.ts"
import { Logs as Lines } from "../support/logs.ts"
import { fakeRedis } from "../support/redis.ts"

/** The settings of all instances; a test may change them. */
const settingsOf = (limits: Partial<RateLimitSettings>): CurrentSettings => ({
  general: generalDefaults,
  moderation: moderationDefaults,
  rate_limiting: { ...rateLimitDefaults({ exemptNetworks: [] }), ...limits },
  client_ip: clientAddressDefaults({ trustedProxies: [] })
})

const requestFrom = (address: string) =>
  HttpServerRequest.fromWeb(new Request("http://forum.test/")).modify({
    remoteAddress: Option.some(address),
    headers: Headers.empty
  })

/** An instance, as far as it counts. */
const instanceWith = Effect.fnUntraced(function* (
  shared: SharedCountsShape | undefined,
  current: () => CurrentSettings
) {
  const settings = Layer.succeed(InstanceSettings, {
    general: Effect.die("unused"),
    moderation: Effect.die("unused"),
    current: Effect.die("unused"),
    fresh: Effect.die("unused"),
    latest: Effect.sync(current),
    change: () => Effect.die("unused")
  })
  const layer = RateLimits.layer.pipe(
    Layer.provide(settings),
    Layer.provide(Layer.succeed(SharedCounts, shared))
  )
  const limits = Context.get(yield* Layer.build(Layer.fresh(layer)), RateLimits)
  /** What is left after a request, or "refused". */
  const ask = Effect.fnUntraced(function* (address = "203.0.113.1") {
    const request = requestFrom(address)
    const facts = factsOf("", yield* limits.clientOf(request))
    const refused = limits.charge(request, facts)
    return refused === undefined ? facts.rate?.remaining : "refused"
  })
  return { ...limits, ask }
})

const startWith = (limits: Partial<RateLimitSettings>) => {
  const settings = settingsOf({ rate_limit: 100, ...limits })
  return () => settings
}

describe("an instance that counts alone", () => {
  it.effect("forgets the client that was longest away when there are too many", () =>
    Effect.gen(function* () {
      const { ask, exchange } = yield* instanceWith(undefined, startWith({}))
      assert.strictEqual(yield* ask("2001:db8::1"), 99)
      for (let n = 0; n < 10_000; n++) yield* ask(`2001:db8:1:${n.toString(16)}::1`)
      assert.strictEqual(yield* ask("2001:db8::1"), 98)
      for (let n = 0; n < 19_999; n++) yield* ask(`2001:db8:2:${n.toString(16)}::1`)
      assert.strictEqual(yield* ask("2001:db8::1"), 97)
      for (let n = 0; n < 20_000; n++) yield* ask(`2001:db8:3:${n.toString(16)}::1`)
      assert.strictEqual(yield* ask("2001:db8::1"), 99)
      yield* exchange
    })
  )
})

describe("a request", () => {
  it.effect("costs what its operation declares, unless administrators say otherwise", () =>
    Effect.gen(function* () {
      const { charge, clientOf } = yield* instanceWith(undefined, startWith({ cost_overrides: { Cheap: 2 } }))
      const request = requestFrom("203.0.113.1")
      const facts = factsOf("", yield* clientOf(request))
      const left = (...operation: [id?: string, units?: number]) => {
        charge(request, facts, ...operation)
        return facts.rate?.remaining
      }
      assert.deepStrictEqual(
        [left(), left("Usual", 1), left("Dear", 20), left("Cheap", 20), left("Dear", 20)],
        [99, 98, 78, 76, 56]
      )
    })
  )
})

describe("instances that count together", () => {
  const two = Effect.fnUntraced(function* (current = startWith({})) {
    const redis = yield* fakeRedis
    const make = Effect.flatMap(RedisCounts.make(redis.url), (shared) => instanceWith(shared, current))
    return { redis, one: yield* make, other: yield* make }
  })

  it.effect("know what was asked of the others as soon as they have exchanged it", () =>
    Effect.gen(function* () {
      const { one, other, redis } = yield* two()
      for (const left of [99, 98, 97]) assert.strictEqual(yield* one.ask(), left)
      assert.strictEqual(yield* other.ask(), 99)
      yield* one.exchange
      yield* other.exchange
      assert.strictEqual(yield* other.ask(), 95)
      assert.strictEqual(yield* one.ask(), 96)
      yield* other.exchange
      yield* one.exchange
      assert.strictEqual(yield* one.ask(), 93)
      // Clients are counted each for themselves.
      assert.strictEqual(yield* other.ask("203.0.113.2"), 99)
      yield* other.exchange
      assert.strictEqual(redis.hashes.size, 2)
      // Nothing is kept longer than it counts.
      assert.deepStrictEqual([...new Set(redis.expiries.values())], [3_720])
    }).pipe(Effect.scoped)
  )

  it.effect("count each request once, however many are in progress meanwhile", () =>
    Effect.gen(function* () {
      const { one, other, redis } = yield* two()
      for (let n = 0; n < 10; n++) {
        yield* one.ask()
        const exchanging = Effect.all([one.exchange, other.exchange], { concurrency: "unbounded" })
        const asking = Effect.all([one.ask(), other.ask()], { concurrency: "unbounded" })
        yield* Effect.all([exchanging, asking], { concurrency: "unbounded" })
      }
      yield* one.exchange
      yield* other.exchange
      yield* one.ask()
      yield* one.exchange
      const total = [...redis.hashes.values()].flatMap((hash) => [...hash.values()])
      assert.strictEqual(
        total.reduce((sum, count) => sum + count, 0),
        31
      )
      assert.strictEqual(yield* one.ask(), 68)
    }).pipe(Effect.scoped)
  )

  it.effect("refuse together what would reach the limit", () =>
    Effect.gen(function* () {
      const { one, other } = yield* two(startWith({ rate_limit: 4 }))
      yield* one.ask()
      yield* other.ask()
      yield* one.exchange
      yield* other.exchange
      assert.strictEqual(yield* other.ask(), 1)
      assert.strictEqual(yield* other.ask(), "refused")
      yield* other.exchange
      // The first request here is what the exchange follows.
      yield* one.ask()
      yield* one.exchange
      assert.strictEqual(yield* one.ask(), "refused")
    }).pipe(Effect.scoped)
  )

  it.effect("exchange many clients, some at a time", () =>
    Effect.gen(function* () {
      const { one, redis } = yield* two()
      for (let n = 0; n < 1_100; n++) yield* one.ask(`2001:db8:1:${n.toString(16)}::1`)
      for (const size of [500, 1_000, 1_100]) {
        yield* one.exchange
        assert.strictEqual(redis.hashes.size, size)
      }
    }).pipe(Effect.scoped)
  )

  it.effect("remove what has left the period", () =>
    Effect.gen(function* () {
      const { one, redis } = yield* two(startWith({ rate_limit_period: 20, rate_limit_bucket: 10 }))
      for (let n = 0; n < 10; n++) {
        yield* one.ask()
        yield* one.exchange
        yield* TestClock.adjust("10 seconds")
      }
      const [hash] = redis.hashes.values()
      assert.strictEqual(hash?.size, 3)
    }).pipe(Effect.scoped)
  )

  it.effect("count on by themselves when Redis fails, and together again when it is back", () =>
    Effect.gen(function* () {
      const { one, other, redis } = yield* two()
      yield* one.ask()
      yield* one.exchange
      redis.breaks = true
      assert.strictEqual(yield* one.ask(), 98)
      yield* other.ask()
      const failure = yield* Effect.flip(one.exchange)
      assert.instanceOf(failure, SharedCountsUnavailable)
      assert.strictEqual(yield* one.ask(), 97)
      redis.breaks = false
      yield* one.exchange
      yield* other.exchange
      assert.strictEqual(yield* other.ask(), 95)
    }).pipe(Effect.scoped)
  )

  it.effect("remember no more clients while Redis fails than are counted", () =>
    Effect.gen(function* () {
      let fails = true
      const told = new Set<string>()
      const shared: SharedCountsShape = {
        check: Effect.void,
        exchange: (counted) => {
          if (fails) return Effect.fail(new SharedCountsUnavailable({ reason: "broken on purpose" }))
          for (const { client } of counted) told.add(client)
          return Effect.succeed(counted.map(({ counts }) => counts))
        }
      }
      const { ask, exchange } = yield* instanceWith(shared, startWith({}))
      for (let n = 0; n < 25_000; n++) {
        yield* ask(`2001:db8:1:${n.toString(16)}::1`)
        if (n % 1_000 === 0) yield* Effect.flip(exchange)
      }
      fails = false
      for (let n = 0; n < 60; n++) yield* exchange
      assert.strictEqual(told.size, 20_000)
      assert.isTrue(told.has("2001:db8:1:61a7::/64"))
    })
  )

  it.effect("tell of one client while Redis fails, and of many again when it is back", () =>
    Effect.gen(function* () {
      let fails = true
      const sizes: Array<number> = []
      const shared: SharedCountsShape = {
        check: Effect.void,
        exchange: (counted) => {
          sizes.push(counted.length)
          return fails
            ? Effect.fail(new SharedCountsUnavailable({ reason: "broken on purpose" }))
            : Effect.succeed(counted.map(({ counts }) => counts))
        }
      }
      const { ask, exchange } = yield* instanceWith(shared, startWith({}))
      for (let n = 0; n < 800; n++) yield* ask(`2001:db8:1:${n.toString(16)}::1`)
      for (let n = 0; n < 3; n++) yield* Effect.flip(exchange)
      fails = false
      for (let n = 0; n < 4; n++) yield* exchange
      assert.deepStrictEqual(sizes, [500, 1, 1, 1, 500, 299])
    })
  )

  it.effect("tell nothing of clients that were forgotten while they were told of", () =>
    Effect.gen(function* () {
      const refused = yield* Deferred.make<never, SharedCountsUnavailable>()
      const told: Array<string> = []
      let exchanges = 0
      const shared: SharedCountsShape = {
        check: Effect.void,
        exchange: (counted) => {
          exchanges += 1
          if (exchanges === 1) return Deferred.await(refused)
          told.push(...counted.map(({ client }) => client))
          return Effect.succeed(counted.map(({ counts }) => counts))
        }
      }
      const { ask, exchange } = yield* instanceWith(shared, startWith({}))
      yield* ask("203.0.113.1")
      const failing = yield* Effect.forkChild(Effect.flip(exchange), { startImmediately: true })
      for (let n = 0; n < 20_000; n++) yield* ask(`2001:db8:1:${n.toString(16)}::1`)
      yield* Deferred.fail(refused, new SharedCountsUnavailable({ reason: "broken on purpose" }))
      yield* Fiber.join(failing)
      for (let n = 0; n < 60; n++) yield* exchange
      assert.lengthOf(told, 20_000)
      assert.notInclude(told, "203.0.113.1")
    })
  )

  it.effect("do not wait longer than a second for a Redis that does not answer", () =>
    Effect.gen(function* () {
      const { one, redis } = yield* two()
      yield* one.ask()
      yield* one.exchange
      redis.answers = false
      yield* one.ask()
      const failing = yield* Effect.forkChild(Effect.flip(one.exchange), { startImmediately: true })
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* Fiber.join(failing)).reason, "no answer within a second")
      redis.answers = true
      yield* one.exchange
      const [hash] = redis.hashes.values()
      assert.deepStrictEqual([...(hash?.values() ?? [])], [2])
      assert.strictEqual(redis.connections, 2)
    }).pipe(Effect.scoped)
  )
})

describe("the metrics", () => {
  it.effect(
    "say whether Redis answers, and how often it did not, also while there is nothing to count",
    () => {
      let fails = false
      const check = Effect.suspend(() =>
        fails ? Effect.fail(new SharedCountsUnavailable({ reason: "broken on purpose" })) : Effect.void
      )
      const shared = observed({ check, exchange: () => Effect.andThen(check, Effect.succeed([])) })
      return Effect.gen(function* () {
        const limits = yield* instanceWith(shared, startWith({}))
        yield* Layer.build(
          RateLimits.exchanging.pipe(
            Layer.provide(Layer.succeed(RateLimits, limits)),
            Layer.provide(Layer.succeed(SharedCounts, shared))
          )
        )
        const shown = Effect.map(PrometheusMetrics.format({ prefix: "forum" }), (text) =>
          ["forum_redis_up", "forum_redis_failures_total"].map((name) =>
            Number(new RegExp(`^${name} (\\d+)`, "m").exec(text)?.[1] ?? 0)
          )
        )
        yield* TestClock.adjust("1 second")
        assert.deepStrictEqual(yield* shown, [1, 0])
        fails = true
        yield* TestClock.adjust("20 seconds")
        assert.deepStrictEqual(yield* shown, [0, 2])
        fails = false
        yield* TestClock.adjust("10 seconds")
        assert.deepStrictEqual(yield* shown, [1, 2])
      }).pipe(Effect.scoped, Effect.provide(Logs.layer))
    }
  )

  it.live("are told by what speaks with Redis, whose connection is opened once for all who ask", () =>
    Effect.gen(function* () {
      const redis = yield* fakeRedis
      const { check } = yield* RedisCounts.make(redis.url)
      yield* Effect.all([check, check, check], { concurrency: "unbounded" })
      assert.strictEqual(redis.connections, 1)
      redis.answers = false
      assert.include((yield* Effect.flip(check)).reason, "no answer")
      redis.answers = true
      yield* check
      assert.strictEqual(redis.connections, 2)
    }).pipe(Effect.scoped)
  )
})

describe("the exchange", () => {
  it.effect("goes on as long as the service runs, and says once that it fails", () => {
    let fails = true
    let exchanges = 0
    const shared: SharedCountsShape = {
      check: Effect.void,
      exchange: (counted) => {
        exchanges += 1
        return fails
          ? Effect.fail(new SharedCountsUnavailable({ reason: "broken on purpose" }))
          : Effect.succeed(counted.map(({ counts }) => counts))
      }
    }
    return Effect.gen(function* () {
      const limits = yield* instanceWith(shared, startWith({}))
      yield* limits.ask()
      yield* Layer.build(
        RateLimits.exchanging.pipe(
          Layer.provide(Layer.succeed(RateLimits, limits)),
          Layer.provide(Layer.succeed(SharedCounts, shared))
        )
      )
      const lines = yield* Lines
      const messages = () => lines.map(({ level, message }) => `${level} ${message}`)
      const failed =
        "WARN Requests are counted by each instance for itself: Redis does not answer (broken on purpose)"
      yield* TestClock.adjust("3 seconds")
      assert.strictEqual(exchanges, 4)
      assert.deepStrictEqual(messages(), [failed])
      fails = false
      yield* TestClock.adjust("1 second")
      assert.strictEqual(exchanges, 5)
      assert.deepStrictEqual(messages(), [
        failed,
        "INFO Requests are counted by all instances together again"
      ])
      yield* limits.ask()
      yield* TestClock.adjust("100 millis")
      assert.strictEqual(exchanges, 6)
      // Without requests there is nothing to exchange.
      yield* TestClock.adjust("1 second")
      assert.strictEqual(exchanges, 6)
    }).pipe(Effect.scoped, Effect.provide(Logs.layer))
  })
})
