/** Who reads the log of changes waits for few pages of others, however many one network asks for. */
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Layer, Metric } from "effect"
import { SqlClient } from "effect/sql"
import { streamsOpen } from "../../src/domain/change/StreamPlaces.ts"
import { lanes } from "../../src/http/contract/Cost.ts"
import { Lanes } from "../../src/http/pipeline/Admission.ts"
import { readable } from "../event/instances.ts"
import { ok } from "../support/answers.ts"
import * as People from "../support/people.ts"
import { Cast, guest } from "../support/people.ts"
import * as TestApp from "../support/TestApp.ts"
import { inTime } from "../support/waiting.ts"
import { begun as isRead, streaming } from "./streaming.ts"

// Fewer than begin of one network at the same time.
const many = 30

const open = Effect.map(Metric.value(streamsOpen), ({ value }) => value)

layer(People.layer)("a stream that reads the log", (it) => {
  it.effect("waits for few of the pages that many streams of another network read", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const client_ip = { client_ip_mode: "xff_trusted_proxies", trusted_proxy_cidrs: ["127.0.0.0/8"] }
      ok(yield* odin.patch("/admin", { services: { client_ip } }))
      yield* readable
      const { next } = ok(yield* guest.get("/changes?after=latest"))
      const begun: Array<string> = []
      /** Follows the changes, and notes when the stream has begun: it has read its first page by then. */
      const following = (network: string) =>
        Effect.forkScoped(
          Effect.tap(streaming(guest, `/changes/stream?after=${next}`, { "x-forwarded-for": network }), () =>
            Effect.sync(() => begun.push(network))
          )
        )
      // Each page looks at all of these, which takes a while.
      yield* sql`insert into event_log (occurred_at, event)
        select now(), '{"_tag":"ThemeReplaced"}' from generate_series(1, 10001)`
      yield* readable
      const streams = yield* Effect.replicateEffect(following("192.0.2.1"), many)
      yield* inTime(
        "there are not so many streams",
        Effect.repeat(Effect.delay(open, "1 millis"), { until: (now) => now >= many })
      )
      const other = yield* following("192.0.2.2")
      const all = yield* Fiber.joinAll([...streams, other])
      assert.deepStrictEqual(new Set(all.map(({ status }) => status)), new Set([200]))
      assert.lengthOf(begun, many + 1)
      // In the order in which they asked, it would be the last.
      assert.isBelow(begun.indexOf("192.0.2.2"), many - 5)
      // Only what is read ends with its reader.
      yield* Effect.forEach(all, isRead)
    })
  )
})

const onePlace = Layer.succeed(Lanes, { ...lanes, quick: { ...lanes.quick, running: 1 } })

layer(People.withCast(Layer.provide(TestApp.layer, onePlace)))("a request that reads the log", (it) => {
  it.effect("leaves its place to others until it is answered", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const waiting = yield* sql.withTransaction(
        Effect.gen(function* () {
          yield* sql`lock table event_log in access exclusive mode`
          const waiting = yield* Effect.forkDetach(guest.get("/changes"))
          const waits = sql`select from pg_locks where relation = 'event_log'::regclass and not granted`
          yield* inTime(
            "the log was not read",
            Effect.repeat(Effect.delay(waits, "5 millis"), { until: (found) => found.length > 0 })
          )
          ok(yield* guest.get("/version"))
          assert.isUndefined(waiting.pollUnsafe())
          return waiting
        })
      )
      ok(yield* Fiber.join(waiting))
    })
  )
})
