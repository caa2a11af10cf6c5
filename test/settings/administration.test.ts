/** The settings by HTTP. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { HttpClient } from "effect/http"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { SignatureTooLong } from "../../src/domain/account/Account.ts"
import { RegistrationClosed } from "../../src/domain/authentication/Password.ts"
import { Forbidden, Unauthenticated } from "../../src/domain/shared/Actor.ts"
import { ContentBlocked } from "../../src/domain/thread/Post.ts"
import { ok } from "../support/answers.ts"
import * as People from "../support/people.ts"
import { Cast, grant, guest, password } from "../support/people.ts"
import { assertInvalid, assertProblem } from "../support/problems.ts"
import * as TestApp from "../support/TestApp.ts"

layer(People.layer)("the settings", (it) => {
  it.effect("are for those who manage them", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      yield* grant(loki, "MANAGE_SETTINGS")
      for (const [person, problem] of [
        [guest, Unauthenticated],
        [freya, Forbidden]
      ] as const) {
        assertProblem(yield* person.get("/admin"), problem)
        // Whoever may not change them is not told what is wrong with the change.
        assertProblem(yield* person.patch("/admin", { title: 1 }), problem)
      }
      ok(yield* loki.patch("/admin", {}))
      assert.strictEqual(ok(yield* loki.get("/admin")).title, "Forum")
    })
  )

  it.effect("are what everyone is told, and the rest", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const settings = ok(yield* odin.get("/admin"))
      const { onboarding_status: _, ...info } = ok(yield* guest.get("/info"))
      assert.deepStrictEqual(settings, {
        ...info,
        reserved_handles: [],
        services: {
          moderation: {
            thread_body_length_max: 60_000,
            reply_body_length_max: 10_000,
            signature_length_max: 500,
            word_block_list: [],
            word_report_list: []
          },
          rate_limiting: {
            rate_limit: 5_000,
            rate_limit_period: 3_600,
            rate_limit_bucket: 60,
            rate_limit_guest_cost: 1,
            cost_overrides: {},
            exempt_cidrs: ["127.0.0.0/8", "::1/128"]
          },
          client_ip: {
            client_ip_mode: "remote_addr",
            client_ip_header: "X-Real-IP",
            trusted_proxy_cidrs: []
          }
        },
        headers: { raw_client_address: "127.0.0.1", headers: {} }
      })
    })
  )

  it.effect("change field by field, at once and for everyone", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const { headers: sample, ...before } = ok(yield* odin.get("/admin"))
      const changed = ok(
        yield* odin.patch("/admin", {
          title: "  Engine\u0000room ".replace("\u0000", " "),
          content: "Hello <script>alert(1)</script>",
          accent_colour: "rebeccapurple",
          web_address: "https://elsewhere.example",
          capabilities: ["plugins"],
          services: { moderation: { signature_length_max: 3 } }
        })
      )
      const expected = {
        ...before,
        title: "Engine room",
        content: "<body>Hello </body>",
        accent_colour: "rebeccapurple",
        services: {
          ...before.services,
          moderation: { ...before.services.moderation, signature_length_max: 3 }
        }
      }
      assert.deepStrictEqual(changed, expected)
      assert.deepStrictEqual(ok(yield* odin.get("/admin")), { ...expected, headers: sample })
      assert.strictEqual(ok(yield* guest.get("/info")).title, "Engine room")
      assert.strictEqual(ok(yield* odin.get("/session")).info.title, "Engine room")
      assertProblem(yield* odin.patch("/accounts", { signature: "four" }), SignatureTooLong, {
        maximum: 3,
        length: 4
      })
      ok(yield* odin.patch("/accounts", { signature: "<b>thr</b>" }))
    })
  )

  it.effect("have metadata that are merged by their keys, and cleared by an empty object", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const metadataAfter = (metadata: object) =>
        Effect.map(odin.patch("/admin", { metadata }), (answer) => ok(answer).metadata)
      assert.deepStrictEqual(yield* metadataAfter({ a: { b: 1, c: 2 }, d: [1] }), {
        a: { b: 1, c: 2 },
        d: [1]
      })
      assert.deepStrictEqual(yield* metadataAfter({ a: { b: 3 } }), { a: { b: 3 }, d: [1] })
      assert.deepStrictEqual(ok(yield* guest.get("/info")).metadata, { a: { b: 3 }, d: [1] })
      assert.deepStrictEqual(yield* metadataAfter({}), {})
    })
  )

  it.effect("have a message of the day, until it is taken down", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const motdAfter = (motd: object) =>
        Effect.map(odin.patch("/admin", { motd }), (answer) => ok(answer).motd)
      assert.isUndefined(ok(yield* guest.get("/info")).motd)
      assert.deepStrictEqual(yield* motdAfter({ content: "Soon", start_at: "2026-11-21T01:00:00+01:00" }), {
        content: "<body>Soon</body>",
        start_at: "2026-11-21T00:00:00.000Z"
      })
      const whole = {
        content: "<body>Soon</body>",
        start_at: "2026-11-21T00:00:00.000Z",
        end_at: "2026-11-22T00:00:00.000Z"
      }
      assert.deepStrictEqual(yield* motdAfter({ end_at: "2026-11-22T00:00:00Z" }), whole)
      ok(yield* odin.patch("/admin", { title: "Forum" }))
      assert.deepStrictEqual(ok(yield* guest.get("/info")).motd, whole)
      assert.isUndefined(yield* motdAfter({}))
      assert.isUndefined(ok(yield* guest.get("/info")).motd)
    })
  )

  it.effect("name what is wrong, and stay as they were", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const before = ok(yield* odin.get("/admin"))
      const refused: ReadonlyArray<readonly [object, string]> = [
        [{ title: " " }, "body title"],
        [{ title: "x".repeat(256) }, "body title"],
        [{ accent_colour: "" }, "body accent_colour"],
        [{ accent_colour: "C" }, "body accent_colour"],
        [{ accent_colour: "#12345" }, "body accent_colour"],
        [{ registration_mode: "open" }, "body registration_mode"],
        [{ authentication_mode: "magic" }, "body authentication_mode"],
        [{ motd: { start_at: "tomorrow" } }, "body motd.start_at"],
        [{ metadata: [] }, "body metadata"],
        [{ services: { moderation: { word_block_list: [1] } } }, "body services.moderation.word_block_list.0"]
      ]
      for (const [changes, field] of refused) {
        assertInvalid(yield* odin.patch("/admin", { description: "Half-written", ...changes }), field)
      }
      assert.deepStrictEqual(ok(yield* odin.get("/admin")), before)
    })
  )

  it.effect("say how people sign in", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      for (const authentication_mode of ["email", "phone", "handle"]) {
        const changed = ok(yield* odin.patch("/admin", { authentication_mode }))
        assert.strictEqual(changed.authentication_mode, authentication_mode)
        assert.deepStrictEqual(changed.capabilities, ["plugins", "email_client", "sms_client", "oauth"])
        assert.strictEqual(ok(yield* guest.get("/auth")).mode, authentication_mode)
      }
    })
  )

  it.effect("keep all changes that are made at once, and say so in the event log", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const changes: ReadonlyArray<object> = [
        { title: "A" },
        { description: "B" },
        { accent_colour: "hsl(157, 65%, 44%)" },
        { metadata: { d: 1 } },
        { metadata: { e: 2 } },
        { services: { moderation: { word_block_list: ["f"] } } },
        { services: { moderation: { word_report_list: ["g"] } } }
      ]
      const answers = yield* Effect.forEach(changes, (one) => odin.patch("/admin", one), {
        concurrency: "unbounded"
      })
      for (const answer of answers) ok(answer)
      const { accent_colour, description, metadata, services, title } = ok(yield* odin.get("/admin"))
      assert.deepStrictEqual(
        [title, description, accent_colour, metadata],
        ["A", "B", "hsl(157, 65%, 44%)", { d: 1, e: 2 }]
      )
      assert.deepStrictEqual(
        [services.moderation.word_block_list, services.moderation.word_report_list],
        [["f"], ["g"]]
      )
      assertProblem(yield* odin.post("/threads", { title: "f", visibility: "published" }), ContentBlocked)
      const sql = yield* SqlClient.SqlClient
      const events = yield* sql<{ readonly actor_id: string }>`select actor_id from event_log
        where event ->> '_tag' = 'SettingsUpdated' order by id desc limit 7`
      assert.deepStrictEqual(new Set(events.map(({ actor_id }) => actor_id)), new Set([odin.id]))
    })
  )
})

layer(Layer.provideMerge(TestApp.uncached, People.layer))("a change of the settings by HTTP", (it) => {
  it.effect("takes effect on other instances within a second, and at once for who may join", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const elsewhere = yield* TestApp.UncachedClient
      const there = <A, E, R>(request: Effect.Effect<A, E, R>) =>
        Effect.provideService(request, HttpClient.HttpClient, elsewhere)
      const joining = (identifier: string) =>
        guest.post("/auth/password/signup", { identifier, token: password })
      const change = (settings: object) => Effect.map(there(odin.patch("/admin", settings)), ok)
      assert.strictEqual(ok(yield* guest.get("/info")).title, "Forum")
      for (const registration_mode of ["disabled", "invitation"] as const) {
        yield* change({ registration_mode, title: "Closed" })
        assertProblem(yield* joining("hodr"), RegistrationClosed, { registration_mode })
        yield* change({ registration_mode: "public" })
        ok(yield* joining(`in_${registration_mode}`))
      }
      yield* TestClock.adjust("1 second")
      assert.strictEqual(ok(yield* guest.get("/info")).title, "Closed")
    })
  )
})
