/** The settings of rate limits and of addresses of clients: how changes are merged, and what is refused. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { SettingsTooLarge } from "../../src/domain/settings/GeneralSetting.ts"
import { rateLimitBounds } from "../../src/domain/settings/RateLimitSetting.ts"
import { networksOf } from "../../src/domain/shared/Network.ts"
import { ok } from "../support/answers.ts"
import * as People from "../support/people.ts"
import { Cast } from "../support/people.ts"
import { assertInvalid, assertProblem } from "../support/problems.ts"
import * as TestApp from "../support/TestApp.ts"

type Service = "rate_limiting" | "client_ip"

const change = (service: Service, changes: unknown) =>
  Effect.flatMap(Cast, ({ odin }) => odin.patch("/admin", { services: { [service]: changes } }))

const changed = (service: Service, changes: unknown) =>
  Effect.map(change(service, changes), (answer) => ok(answer).services[service])

const shown = (service: Service) =>
  Effect.flatMap(Cast, ({ odin }) => Effect.map(odin.get("/admin"), (answer) => ok(answer).services[service]))

/** What is stored of a part. */
const stored = (service: Service) =>
  SqlClient.SqlClient.use((sql) =>
    Effect.map(
      sql<{ readonly value: object }>`select value from settings where part = ${service}`,
      ([row]) => row?.value
    )
  )

const limits = {
  rate_limit: 5_000,
  rate_limit_period: 3_600,
  rate_limit_bucket: 60,
  rate_limit_guest_cost: 1,
  cost_overrides: {},
  exempt_cidrs: ["127.0.0.0/8", "::1/128"]
}
const address = { client_ip_mode: "remote_addr", client_ip_header: "X-Real-IP", trusted_proxy_cidrs: [] }

layer(People.layer)("the settings of rate limits", (it) => {
  it.effect("are merged field by field, costs by their operations, lists are replaced", () =>
    Effect.gen(function* () {
      const steps: ReadonlyArray<readonly [changes: object, differences: object]> = [
        [{}, {}],
        [{ rate_limit: 10 }, { rate_limit: 10 }],
        [
          { rate_limit_period: 60, rate_limit_bucket: 5 },
          { rate_limit: 10, rate_limit_period: 60, rate_limit_bucket: 5 }
        ],
        // Zero and less restore what was there at the start.
        [{ rate_limit: 0, rate_limit_bucket: -5 }, { rate_limit_period: 60 }],
        [{ rate_limit_period: -1, rate_limit_guest_cost: 3 }, { rate_limit_guest_cost: 3 }],
        [{ rate_limit_guest_cost: 0 }, {}],
        [{ cost_overrides: { A: 1, B: 2 } }, { cost_overrides: { A: 1, B: 2 } }],
        [{ cost_overrides: { B: 0, C: 3 } }, { cost_overrides: { A: 1, B: 0, C: 3 } }],
        [{ rate_limit: 7 }, { rate_limit: 7, cost_overrides: { A: 1, B: 0, C: 3 } }],
        [{ cost_overrides: {}, rate_limit: 0 }, {}],
        [
          { exempt_cidrs: [" 10.1.2.3/8 ", "192.0.2.1", "2001:DB8::1/32", "::ffff:198.51.100.1"] },
          { exempt_cidrs: ["10.0.0.0/8", "192.0.2.1/32", "2001:db8::/32", "198.51.100.1/32"] }
        ],
        [{ exempt_cidrs: ["127.0.0.1"] }, { exempt_cidrs: ["127.0.0.1/32"] }],
        [{ exempt_cidrs: [] }, { exempt_cidrs: [] }]
      ]
      for (const [changes, differences] of steps) {
        const expected = { ...limits, ...differences }
        assert.deepStrictEqual(yield* changed("rate_limiting", changes), expected, JSON.stringify(changes))
        assert.deepStrictEqual(yield* shown("rate_limiting"), expected)
        // Only what was changed is stored, so that other defaults may come.
        assert.deepStrictEqual(yield* stored("rate_limiting"), differences)
        assert.deepStrictEqual(yield* shown("client_ip"), address)
      }
    })
  )

  it.effect("take the largest values, and refuse others by name", () =>
    Effect.gen(function* () {
      const { cost, guestCost, limit, overrides, period } = rateLimitBounds
      const largest = {
        rate_limit: limit,
        rate_limit_period: period,
        rate_limit_bucket: period,
        rate_limit_guest_cost: guestCost,
        cost_overrides: Object.fromEntries(Array.from({ length: overrides }, (_, n) => [`Op${n}`, cost])),
        exempt_cidrs: Array(256).fill("2001:db8:ffff:ffff:ffff:ffff:ffff:ffff/128")
      }
      assert.deepStrictEqual(yield* changed("rate_limiting", largest), largest)
      const field = (name: string) => `body services.rate_limiting${name}`
      const refused: ReadonlyArray<readonly [changes: unknown, place: string]> = [
        [null, ""],
        [[], ""],
        [{ rate_limit: limit + 1 }, ".rate_limit"],
        [{ rate_limit: 1.5 }, ".rate_limit"],
        [{ rate_limit: "5" }, ".rate_limit"],
        [{ rate_limit: null }, ".rate_limit"],
        [{ rate_limit_period: period + 1 }, ".rate_limit_period"],
        [{ rate_limit_bucket: period + 1 }, ".rate_limit_bucket"],
        [{ rate_limit_guest_cost: guestCost + 1 }, ".rate_limit_guest_cost"],
        [{ cost_overrides: [] }, ".cost_overrides"],
        [{ cost_overrides: null }, ".cost_overrides"],
        [{ cost_overrides: { A: -1 } }, ".cost_overrides.A"],
        [{ cost_overrides: { A: cost + 1 } }, ".cost_overrides.A"],
        [{ cost_overrides: { A: 0.5 } }, ".cost_overrides.A"],
        [{ cost_overrides: { A: "1" } }, ".cost_overrides.A"],
        [{ cost_overrides: { "": 1 } }, ".cost_overrides"],
        [{ cost_overrides: { "a b": 1 } }, ".cost_overrides"],
        [{ cost_overrides: { "a\0": 1 } }, ".cost_overrides"],
        [{ cost_overrides: { ["x".repeat(101)]: 1 } }, ".cost_overrides"],
        [
          { cost_overrides: Object.fromEntries(Array.from({ length: overrides + 1 }, (_, n) => [n, 1])) },
          ".cost_overrides"
        ],
        [{ exempt_cidrs: "127.0.0.1" }, ".exempt_cidrs"],
        [{ exempt_cidrs: ["127.0.0.1", "localhost"] }, ".exempt_cidrs.1"],
        [{ exempt_cidrs: [""] }, ".exempt_cidrs.0"],
        [{ exempt_cidrs: ["10.0.0.0/33"] }, ".exempt_cidrs.0"],
        [{ exempt_cidrs: ["999.0.0.1"] }, ".exempt_cidrs.0"],
        [{ exempt_cidrs: [1] }, ".exempt_cidrs.0"],
        [{ exempt_cidrs: Array(257).fill("10.0.0.1") }, ".exempt_cidrs"]
      ]
      for (const [changes, place] of refused) {
        assertInvalid(yield* change("rate_limiting", changes), field(place))
      }
      assert.deepStrictEqual(yield* shown("rate_limiting"), largest)
      // One by one there may not be more of them either.
      assertProblem(yield* change("rate_limiting", { cost_overrides: { More: 1 } }), SettingsTooLarge, {
        field: "services.rate_limiting.cost_overrides",
        maximum: overrides,
        length: overrides + 1
      })
      assert.deepStrictEqual(yield* shown("rate_limiting"), largest)
    })
  )

  it.effect("keep costs of operations that are changed at once", () =>
    Effect.gen(function* () {
      yield* changed("rate_limiting", { cost_overrides: {} })
      const names = Array.from({ length: 10 }, (_, n) => `Op${n}`)
      yield* Effect.forEach(names, (name) => changed("rate_limiting", { cost_overrides: { [name]: 2 } }), {
        concurrency: "unbounded"
      })
      const { cost_overrides } = yield* shown("rate_limiting")
      assert.deepStrictEqual(Object.keys(cost_overrides).sort(), names)
    })
  )

  it.effect("have bounds that hold in the database as well", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const save = (part: Service, value: object) =>
        sql`update settings set value = ${JSON.stringify(value)}::jsonb where part = ${part}`
      const many = Object.fromEntries(Array.from({ length: 501 }, (_, n) => [`Op${n}`, 1]))
      const refused: ReadonlyArray<readonly [Service, object]> = [
        ["rate_limiting", { rate_limit: 0 }],
        ["rate_limiting", { rate_limit_period: 0 }],
        ["rate_limiting", { rate_limit_bucket: -1 }],
        ["rate_limiting", { rate_limit_guest_cost: 0 }],
        ["rate_limiting", { cost_overrides: { A: -1 } }],
        ["rate_limiting", { cost_overrides: many }],
        ["rate_limiting", { exempt_cidrs: Array(257).fill("::") }],
        ["client_ip", { client_ip_mode: "magic" }],
        ["client_ip", { trusted_proxy_cidrs: Array(257).fill("::") }]
      ]
      for (const [part, value] of refused) {
        const error = yield* Effect.flip(save(part, value))
        assert.strictEqual(error.reason._tag, "ConstraintError", JSON.stringify(value).slice(0, 100))
      }
    })
  )
})

layer(People.layer)("the settings of addresses", (it) => {
  it.effect("are merged field by field, lists are replaced", () =>
    Effect.gen(function* () {
      const steps: ReadonlyArray<readonly [changes: object, differences: object]> = [
        [{}, {}],
        [{ client_ip_mode: "single_header" }, { client_ip_mode: "single_header" }],
        [
          { client_ip_header: "CF-Connecting-IP" },
          { client_ip_mode: "single_header", client_ip_header: "CF-Connecting-IP" }
        ],
        [
          { client_ip_mode: "xff_trusted_proxies", client_ip_header: "" },
          { client_ip_mode: "xff_trusted_proxies" }
        ],
        [
          { trusted_proxy_cidrs: [" 10.1.2.3/8", "192.0.2.1", "fd00::1/8"] },
          {
            client_ip_mode: "xff_trusted_proxies",
            trusted_proxy_cidrs: ["10.0.0.0/8", "192.0.2.1/32", "fd00::/8"]
          }
        ],
        [
          { client_ip_mode: "remote_addr", trusted_proxy_cidrs: [] },
          { client_ip_mode: "remote_addr", trusted_proxy_cidrs: [] }
        ]
      ]
      for (const [changes, differences] of steps) {
        const expected = { ...address, ...differences }
        assert.deepStrictEqual(yield* changed("client_ip", changes), expected, JSON.stringify(changes))
        assert.deepStrictEqual(yield* shown("client_ip"), expected)
        assert.deepStrictEqual(yield* stored("client_ip"), differences)
        assert.deepStrictEqual(yield* shown("rate_limiting"), limits)
      }
    })
  )

  it.effect("refuse others by name, and stay as they were", () =>
    Effect.gen(function* () {
      const before = yield* shown("client_ip")
      const refused: ReadonlyArray<readonly [changes: unknown, place: string]> = [
        [null, ""],
        [{ client_ip_mode: "proxy" }, ".client_ip_mode"],
        [{ client_ip_mode: "" }, ".client_ip_mode"],
        [{ client_ip_mode: null }, ".client_ip_mode"],
        [{ client_ip_header: "X Real IP" }, ".client_ip_header"],
        [{ client_ip_header: "X-Real-IP:" }, ".client_ip_header"],
        [{ client_ip_header: "x".repeat(101) }, ".client_ip_header"],
        [{ client_ip_header: 1 }, ".client_ip_header"],
        [{ trusted_proxy_cidrs: ["10.0.0.0/8", "proxy.internal"] }, ".trusted_proxy_cidrs.1"],
        [{ trusted_proxy_cidrs: ["10.0.0.0/33"] }, ".trusted_proxy_cidrs.0"],
        [{ trusted_proxy_cidrs: ["10.0.0.0/"] }, ".trusted_proxy_cidrs.0"],
        [{ trusted_proxy_cidrs: ["10.0.0.0/8,10.0.0.0/8"] }, ".trusted_proxy_cidrs.0"],
        [{ trusted_proxy_cidrs: ["::g"] }, ".trusted_proxy_cidrs.0"],
        [{ trusted_proxy_cidrs: ["fe80::1%eth0"] }, ".trusted_proxy_cidrs.0"],
        [{ trusted_proxy_cidrs: [""] }, ".trusted_proxy_cidrs.0"],
        [{ trusted_proxy_cidrs: null }, ".trusted_proxy_cidrs"],
        [{ trusted_proxy_cidrs: Array(257).fill("10.0.0.1") }, ".trusted_proxy_cidrs"]
      ]
      for (const [changes, place] of refused) {
        assertInvalid(yield* change("client_ip", changes), `body services.client_ip${place}`)
      }
      assert.deepStrictEqual(yield* shown("client_ip"), before)
    })
  )
})

const proxies = networksOf(["10.0.0.0/8", "::1"])

layer(People.withCast(TestApp.layerWhere({ trustedProxies: proxies, exemptNetworks: [] })))(
  "the settings of a deployment",
  (it) => {
    it.effect("hold until administrators change them", () =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* shown("client_ip"), {
          client_ip_mode: "xff_trusted_proxies",
          client_ip_header: "X-Real-IP",
          trusted_proxy_cidrs: ["10.0.0.0/8", "::1/128"]
        })
        assert.deepStrictEqual((yield* shown("rate_limiting")).exempt_cidrs, [])
        const mode = { client_ip_mode: "remote_addr" }
        assert.deepStrictEqual(yield* changed("client_ip", mode), {
          ...mode,
          client_ip_header: "X-Real-IP",
          trusted_proxy_cidrs: ["10.0.0.0/8", "::1/128"]
        })
      })
    )

    it.effect("are shown with what the request says of where it comes from, where they are read", () =>
      Effect.gen(function* () {
        const { odin } = yield* Cast
        const headers = {
          "x-forwarded-for": "203.0.113.9, 10.0.0.1",
          "x-real-ip": "203.0.113.9",
          "x-ssr": "1"
        }
        assert.deepStrictEqual(ok(yield* odin.get("/admin", { headers })).headers, {
          raw_client_address: "127.0.0.1",
          headers: { "x-forwarded-for": "203.0.113.9, 10.0.0.1" }
        })
        assert.notProperty(ok(yield* odin.patch("/admin", {})), "headers")

        const rendering = { headers: { ...headers, "x-storyden-ssr": "true" } }
        const forwarded = { "x-forwarded-for": "203.0.113.9, 10.0.0.1" }
        assert.deepStrictEqual(ok(yield* odin.get("/admin", rendering)).headers, {
          raw_client_address: "127.0.0.1",
          headers: forwarded,
          headers_ssr: forwarded
        })
        const bare = { headers: { "x-storyden-ssr": "true" } }
        assert.notProperty(ok(yield* odin.get("/admin", bare)).headers, "headers_ssr")
      })
    )
  }
)
