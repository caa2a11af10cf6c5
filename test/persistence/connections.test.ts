import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { assert, describe, it, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { fewestConnections, QuickReads, SlowReads, shares } from "../../src/persistence/shared/Connections.ts"
import { ok } from "../support/answers.ts"
import { open } from "../support/discussion.ts"
import * as People from "../support/people.ts"
import { Cast, guest } from "../support/people.ts"
import { inTime } from "../support/waiting.ts"

describe("the connections of a pool", () => {
  it("are shared out whole, with one for each kind and two for writes at least", () => {
    for (let total = fewestConnections; total < 200; total++) {
      const { quick, slow, writes } = shares(total)
      assert.strictEqual(quick + slow + writes, total)
      assert.isAtLeast(quick, 1)
      assert.isAtLeast(slow, 1)
      assert.isAtLeast(writes, 2)
    }
  })
})

/** Collects everything that nothing refers to. */
const collectGarbage = Effect.sync(() => {
  setFlagsFromString("--expose-gc")
  runInNewContext("gc")()
})

layer(People.layer)("what is quick", (it) => {
  it.effect("leaves nothing of its answers in memory, also where a connection is never at rest", () =>
    Effect.gen(function* () {
      const reads = yield* QuickReads
      const answers: Array<WeakRef<object>> = []
      const read = Effect.map(reads`select pg_sleep(0.001)`, ([row]) => {
        if (row !== undefined) answers.push(new WeakRef(row))
      })
      // Twice as many as may be under way.
      const busy = yield* Effect.forkChild(
        Effect.all(
          Array.from({ length: 48 }, () => Effect.forever(read)),
          { concurrency: "unbounded" }
        )
      )
      yield* inTime(
        "there are not that many answers",
        Effect.repeat(Effect.sleep("20 millis"), { until: () => answers.length > 1000 })
      )
      yield* collectGarbage
      const kept = answers.filter((answer) => answer.deref() !== undefined)
      yield* Fiber.interrupt(busy)
      assert.isBelow(kept.length, 300)
    })
  )

  it.effect("waits neither for slow reads nor for locks, however many there are", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const slow = yield* SlowReads
      const thread = yield* open(freya, "Busy")
      const locked = yield* Deferred.make<void>()
      const done = yield* Deferred.make<void>()
      const holding = yield* sql
        .withTransaction(
          Effect.gen(function* () {
            yield* sql`select from threads where id = ${thread.id} for update`
            yield* Deferred.succeed(locked, undefined)
            yield* Deferred.await(done)
          })
        )
        .pipe(Effect.forkChild)
      yield* inTime("the thread is not locked", Deferred.await(locked))
      // More than there are connections of each kind, and none of them ends by itself.
      const searches = yield* Effect.forkChild(
        Effect.all(
          Array.from({ length: 10 }, () => slow`select pg_sleep(30)`),
          { concurrency: "unbounded" }
        )
      )
      const writers = yield* Effect.forkChild(
        Effect.all(
          Array.from({ length: 10 }, () => freya.patch(`/threads/${thread.id}`, { title: "Changed" })),
          { concurrency: "unbounded" }
        )
      )
      const reads = yield* QuickReads
      yield* inTime(
        "nothing waits for locks and slow reads",
        reads<{ readonly busy: boolean }>`select
            count(*) filter (where wait_event_type = 'Lock') > 0
            and count(*) filter (where wait_event = 'PgSleep') > 0 as busy
          from pg_stat_activity where datname = current_database()`.pipe(
          Effect.repeat({ until: ([row]) => row?.busy === true })
        )
      )
      assert.strictEqual(ok(yield* guest.get(`/threads/${thread.id}`)).title, "Busy")
      assert.strictEqual((yield* guest.get("/threads")).status, 200)
      assert.strictEqual((yield* freya.get("/notifications")).status, 200)
      yield* Fiber.interrupt(searches)
      yield* Deferred.succeed(done, undefined)
      yield* Fiber.join(holding)
      for (const answer of yield* Fiber.join(writers)) ok(answer)
      assert.strictEqual(ok(yield* guest.get(`/threads/${thread.id}`)).title, "Changed")
    })
  )
})
