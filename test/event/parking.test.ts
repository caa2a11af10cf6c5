/** What happens to events that a consumer cannot handle. */
import { assert, layer } from "@effect/vitest"
import { Effect, Exit, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { CategoryUpdated } from "../../src/domain/event/CategoryEvents.ts"
import { makeConsumer } from "../../src/domain/event/EventConsumer.ts"
import { ThreadDeleted } from "../../src/domain/event/ThreadEvents.ts"
import { orDefect } from "../../src/persistence/shared/SqlErrors.ts"
import * as Logs from "../support/logs.ts"
import * as TestApp from "../support/TestApp.ts"
import { follower, idsSeenBy, parkedOf, refuse, stateOf } from "./failing.ts"
import { deleted, empty, instanceOf, logged, recorder, seenBy, updated, write } from "./instances.ts"

layer(TestApp.layer.pipe(Layer.provideMerge(Logs.layer)))("an event that a consumer cannot handle", (it) => {
  it.effect("is tried again after growing pauses, then parked; only then are later events read", () =>
    Effect.gen(function* () {
      yield* empty
      const [before, bad, after] = yield* write(updated, updated, updated)
      let tries = 0
      const read = yield* Effect.flatMap(
        recorder("picky", (events) => {
          if (events.length === 1 && events[0]?.id === bad) tries++
          return refuse([bad])(events)
        }),
        follower
      )

      assert.isTrue(Exit.isFailure(yield* read))
      assert.deepStrictEqual(yield* idsSeenBy("picky"), [before])
      for (const [done, pause] of [1000, 5000, 25_000, 125_000].entries()) {
        assert.strictEqual(tries, done + 1)
        yield* TestClock.adjust(pause - 1)
        assert.deepStrictEqual(yield* read, Exit.succeed(false))
        assert.strictEqual(tries, done + 1)
        assert.deepStrictEqual(yield* parkedOf("picky"), [])
        assert.deepStrictEqual(yield* idsSeenBy("picky"), [before])
        assert.deepStrictEqual(yield* stateOf("picky"), {
          event_id: before,
          tries: done + 1,
          failing: true
        })
        yield* TestClock.adjust(1)
        const exit = yield* read
        assert.strictEqual(Exit.isFailure(exit), done < 3)
      }
      assert.strictEqual(tries, 5)
      assert.deepStrictEqual(yield* idsSeenBy("picky"), [before, after])
      assert.deepStrictEqual(yield* parkedOf("picky"), [
        { event_id: bad, since: "1970-01-01 00:00:00+00", tries: 5, error: "Error: no" }
      ])
      assert.deepStrictEqual(yield* stateOf("picky"), { event_id: after, tries: 0, failing: false })
    })
  )

  it.effect("has its tries counted across instances and restarts", () =>
    Effect.gen(function* () {
      yield* empty
      const [bad, after] = yield* write(updated, updated)
      for (let restart = 0; restart < 4; restart++) {
        yield* Effect.gen(function* () {
          const instance = yield* instanceOf(recorder("picky", refuse([bad])))
          assert.isTrue(Exit.isFailure(yield* Effect.exit(instance.drain)))
          assert.strictEqual((yield* stateOf("picky"))?.tries, restart + 1)
        }).pipe(Effect.scoped)
      }
      const instance = yield* instanceOf(recorder("picky", refuse([bad])))
      yield* instance.drain
      assert.deepStrictEqual(yield* idsSeenBy("picky"), [after])
      assert.strictEqual((yield* parkedOf("picky")).length, 1)
    }).pipe(Effect.scoped)
  )

  it.effect("has tries of its own, which start at zero after the event before it is handled", () =>
    Effect.gen(function* () {
      yield* empty
      const [first, second] = yield* write(updated, updated)
      let refused = first
      const consumer = yield* recorder("picky", (events) => refuse([refused])(events))
      const read = yield* follower(consumer)
      assert.isTrue(Exit.isFailure(yield* read))
      yield* TestClock.adjust("1 second")
      assert.isTrue(Exit.isFailure(yield* read))
      assert.strictEqual((yield* stateOf("picky"))?.tries, 2)
      refused = second
      yield* TestClock.adjust("5 seconds")
      assert.isTrue(Exit.isFailure(yield* read))
      assert.deepStrictEqual(yield* stateOf("picky"), { event_id: first, tries: 1, failing: true })
    })
  )

  it.effect("is logged with its id and the error, but without its content", () =>
    Effect.gen(function* () {
      yield* empty
      const lines = yield* Logs.Logs
      lines.length = 0
      const [bad] = yield* write({ _tag: "CategoryUpdated", id: "secret", slug: 7, "secret-key": "secret" })
      const sql = yield* SqlClient.SqlClient
      const consumer = makeConsumer({ name: "strict", reads: [CategoryUpdated], handle: () => Effect.void })
      const instance = yield* instanceOf(Effect.succeed(consumer))
      for (let tries = 0; tries < 5; tries++) yield* Effect.exit(instance.drain)
      const [parked] = yield* sql<{ readonly error: string }>`select error from parked_events`
      assert.match(parked?.error ?? "", /^SchemaError: .*\bid\b/s)
      const warnings = lines.filter(({ level }) => level === "WARN")
      assert.deepStrictEqual(
        warnings.map(({ annotations: { trace_id: _, ...about }, message }) => [message, about]),
        [1, 2, 3, 4, 5].map((tries) => [
          tries < 5 ? "An event could not be handled, and will be tried again" : "An event was parked",
          { consumer: "strict", event_id: String(bad), tries, error: parked?.error }
        ])
      )
      // Administrators find the first try and the parking in the audit log, each with the line of the log.
      const entries = yield* sql<{ readonly where: string; readonly trace: string; readonly times: number }>`
        select subject->>'where' as where, subject->>'trace_id' as trace, occurrences::int as times
        from audit_events join internal_errors on audit_event_id = id
        where subject->>'where' like '%strict' order by id`
      for (const { annotations } of warnings) assert.match(String(annotations.trace_id), /^[0-9a-f]{32}$/)
      const traceOf = (n: number) => String(warnings[n]?.annotations.trace_id)
      assert.deepStrictEqual(entries, [
        { where: "event consumer: strict", trace: traceOf(0), times: 4 },
        { where: "event consumer: strict", trace: traceOf(4), times: 1 }
      ])
      assert.notInclude(`${parked?.error}${lines.map(({ text }) => text).join("")}`, "secret")
    }).pipe(Effect.scoped)
  )

  it.effect("does not disturb a consumer that does not read it, malformed or unknown", () =>
    Effect.gen(function* () {
      yield* empty
      const [, first, , second] = yield* write(
        { _tag: "CategoryUpdated", slug: 7 },
        deleted,
        { _tag: "WrittenByALaterRelease", id: 1 },
        deleted,
        updated
      )
      const handed: Array<readonly [bigint | undefined, string]> = []
      const consumer = makeConsumer({
        name: "narrow",
        reads: [ThreadDeleted],
        handle: (events) =>
          Effect.sync(() => {
            for (const { event, id } of events) handed.push([id, event._tag])
          })
      })
      const instance = yield* instanceOf(Effect.succeed(consumer))
      yield* instance.drain
      assert.deepStrictEqual(handed, [
        [first, "ThreadDeleted"],
        [second, "ThreadDeleted"]
      ])
      // It has passed what it does not read, also at the end of the log.
      assert.strictEqual(yield* instance.lag, 0)
      assert.strictEqual((yield* stateOf("narrow"))?.event_id, (yield* logged).at(-1)?.event_id)
    }).pipe(Effect.scoped)
  )

  it.effect("can be one whose consumer ignores a failed statement", () =>
    Effect.gen(function* () {
      yield* empty
      const sql = yield* SqlClient.SqlClient
      yield* write(updated)
      const read = yield* Effect.flatMap(
        recorder("careless", () => Effect.ignore(sql`select 1 / 0`)),
        follower
      )
      assert.isTrue(Exit.isFailure(yield* read))
      assert.strictEqual((yield* stateOf("careless"))?.tries, 1)
      assert.deepStrictEqual(yield* seenBy("careless"), [])
    })
  )

  it.effect("leaves PostgreSQL's message, but no value that it quotes", () =>
    Effect.gen(function* () {
      yield* empty
      const sql = yield* SqlClient.SqlClient
      yield* write(updated)
      const failures = [
        sql`insert into account_interests (account_id, tag_id) values ('secret', 'secret')`,
        sql`select ${"secret"}::text::integer`
      ]
      const errors: Array<unknown> = []
      for (const [n, failure] of failures.entries()) {
        const name = `failing ${n}`
        const instance = yield* instanceOf(recorder(name, () => failure.pipe(Effect.asVoid, orDefect)))
        yield* Effect.exit(instance.drain)
        const [row] = yield* sql<{
          readonly error: string
        }>`select error from event_consumers where name = ${name}`
        errors.push(row?.error)
      }
      assert.match(String(errors[0]), /violates foreign key constraint "account_interests_account_id_fkey"/)
      assert.strictEqual(errors[1], "effect/sql/SqlError: PostgreSQL refused a value")
      assert.notInclude(errors.join(), "secret")
    }).pipe(Effect.scoped)
  )

  it.effect("can be one whose consumer never finishes", () =>
    Effect.gen(function* () {
      yield* empty
      yield* write(updated)
      const read = yield* Effect.flatMap(
        recorder("hanging", () => Effect.never),
        follower
      )
      const reading = yield* Effect.forkScoped(read)
      // Each round lets the database work, which the clock does not.
      yield* TestClock.adjust("1 second").pipe(
        Effect.andThen(stateOf("hanging")),
        Effect.repeat({ while: (state) => state?.tries !== 1, times: 10_000 })
      )
      assert.isTrue(Exit.isFailure(yield* Fiber.join(reading)))
      assert.strictEqual((yield* stateOf("hanging"))?.tries, 1)
      assert.deepStrictEqual(yield* seenBy("hanging"), [])
    }).pipe(Effect.scoped)
  )
})
