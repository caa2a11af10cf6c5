/** How long events are kept. */
import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, Exit } from "effect"
import { SqlClient, Statement } from "effect/sql"
import { TestClock } from "effect/testing"
import { EventRetention } from "../../src/persistence/event/EventRetentionSql.ts"
import { ok } from "../support/answers.ts"
import { open, reply } from "../support/discussion.ts"
import * as People from "../support/people.ts"
import { Cast, drainEvents } from "../support/people.ts"
import * as TestApp from "../support/TestApp.ts"
import { drained, empty, instanceOf, logged, readable, recorder, updated } from "./instances.ts"

/** Appends so many events that happened so many days ago. Moving the clock that far would take seconds. */
const append = Effect.fnUntraced(function* (count: number, { daysAgo }: { readonly daysAgo: number }) {
  const sql = yield* SqlClient.SqlClient
  const at = DateTime.toDateUtc(DateTime.subtract(yield* DateTime.now, { days: daysAgo }))
  const rows = yield* sql<{ readonly id: bigint }>`insert into event_log (occurred_at, event)
    select ${at}, ${JSON.stringify(updated)}::text::jsonb from generate_series(1, ${count}) returning id`
  yield* readable
  return rows.map(({ id }) => id)
})

const idsLogged = Effect.map(logged, (rows) => rows.map(({ event_id }) => event_id))

const applyRetention = Effect.flatMap(EventRetention, ({ apply }) => apply)

layer(TestApp.layer)("the retention of the event log", (it) => {
  it.effect("deletes what is older than 90 days, and keeps the newest event however old it is", () =>
    Effect.gen(function* () {
      yield* empty
      const instance = yield* instanceOf(recorder("one"), recorder("two"))
      yield* append(3, { daysAgo: 91 })
      const [young, newest] = yield* append(2, { daysAgo: 90 })
      yield* drained(instance)
      yield* applyRetention
      assert.deepStrictEqual(yield* idsLogged, [young, newest])
      yield* TestClock.adjust("1 millis")
      yield* applyRetention
      assert.deepStrictEqual(yield* idsLogged, [newest])
    }).pipe(Effect.scoped)
  )

  it.effect("keeps what a consumer has not passed, and everything if there is none", () =>
    Effect.gen(function* () {
      yield* empty
      const first = yield* append(2, { daysAgo: 100 })
      yield* applyRetention
      assert.deepStrictEqual(yield* idsLogged, first)
      const ahead = yield* instanceOf(recorder("ahead"))
      yield* drained(ahead)
      const both = yield* instanceOf(recorder("ahead"), recorder("behind"))
      yield* applyRetention
      assert.deepStrictEqual(yield* idsLogged, first)
      yield* drained(both)
      const later = yield* append(2, { daysAgo: 100 })
      yield* ahead.drain
      yield* applyRetention
      assert.deepStrictEqual(yield* idsLogged, later)
    }).pipe(Effect.scoped)
  )

  it.effect("keeps what is parked until it has been handled", () =>
    Effect.gen(function* () {
      yield* empty
      const [first, bad, , last] = yield* append(4, { daysAgo: 100 })
      const picky = yield* instanceOf(
        recorder("picky", (events) =>
          events.some(({ id }) => id === bad) ? Effect.die(new Error("no")) : Effect.void
        )
      )
      while (Exit.isFailure(yield* Effect.exit(picky.drain)));
      yield* applyRetention
      assert.deepStrictEqual(yield* idsLogged, [bad, last])
      assert.notInclude(yield* idsLogged, first)
      const healed = yield* instanceOf(recorder("picky"))
      yield* healed.retryParked("picky")
      yield* applyRetention
      assert.deepStrictEqual(yield* idsLogged, [last])
    }).pipe(Effect.scoped)
  )

  it.effect("goes on until nothing is left to delete, a thousand events at a time", () =>
    Effect.gen(function* () {
      yield* empty
      const instance = yield* instanceOf(recorder("reader"))
      const ids = yield* append(2501, { daysAgo: 100 })
      yield* drained(instance)
      let statements = 0
      yield* applyRetention.pipe(
        Effect.provideService(Statement.CurrentTransformer, (statement) =>
          Effect.sync(() => {
            statements++
            return statement
          })
        )
      )
      assert.deepStrictEqual(yield* idsLogged, ids.slice(-1))
      assert.strictEqual(statements, 3)
    }).pipe(Effect.scoped)
  )
})

layer(People.layer)("the retention of the event log", (it) => {
  it.effect("leaves notifications and audit entries, whose events are gone, as they are", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      const thread = yield* open(freya, "Kept")
      yield* reply(loki, thread.id, "first")
      const second = yield* reply(loki, thread.id, "second")
      ok(yield* loki.delete(`/posts/${second.id}`))
      yield* drainEvents
      const kept = SqlClient.SqlClient.use((sql) =>
        Effect.all([
          sql`select * from notifications order by id`,
          sql`select * from audit_events order by id`
        ])
      )
      const before = yield* kept
      assert.deepStrictEqual(
        before.map((rows) => rows.length),
        [2, 1]
      )
      yield* SqlClient.SqlClient.use(
        (sql) => sql`update event_log set occurred_at = occurred_at - interval '91 days'`
      )
      yield* applyRetention
      assert.strictEqual((yield* idsLogged).length, 1)
      yield* drainEvents
      assert.deepStrictEqual(yield* kept, before)
    })
  )
})
