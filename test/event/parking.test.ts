/** What happens to events that a consumer cannot handle. */
import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { CategoryUpdated } from "../../src/domain/category/CategoryEvents.ts"
import { type EventConsumer, makeConsumer } from "../../src/domain/event/EventConsumer.ts"
import { ThreadDeleted } from "../../src/domain/thread/ThreadEvents.ts"
import { makePositions } from "../../src/persistence/event/ConsumerPositions.ts"
import { makeReader } from "../../src/persistence/event/ConsumerReader.ts"
import { orDefect } from "../../src/persistence/shared/SqlErrors.ts"
import * as Logs from "../support/logs.ts"
import * as TestApp from "../support/TestApp.ts"
import {
  deleted,
  empty,
  type Handle,
  instanceOf,
  logged,
  recorder,
  seenBy,
  updated,
  write
} from "./instances.ts"

/** Reads for one consumer, as an instance does that follows the log: all that is due now. */
const follower = (consumer: EventConsumer) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const positions = makePositions(sql)
    yield* positions.register([consumer.name])
    return makeReader(sql, positions)(consumer, "kept").pipe(
      Effect.repeat({ while: (more) => more }),
      Effect.exit
    )
  })

const idsSeenBy = (name: string) => Effect.map(seenBy(name), (rows) => rows.map(({ event_id }) => event_id))

const parkedOf = (consumer: string) =>
  SqlClient.SqlClient.use(
    (sql) => sql`select event_id, since::text, tries, error from parked_events
      where consumer = ${consumer} order by event_id`
  )

const stateOf = (consumer: string) =>
  Effect.map(
    SqlClient.SqlClient.use(
      (sql) => sql<{ readonly event_id: bigint; readonly tries: number; readonly failing: boolean }>`
        select event_id, tries, failing_since is not null or retry_at is not null or error is not null as failing
        from event_consumers where name = ${consumer}`
    ),
    ([row]) => row
  )

/** Fails as long as it is handed one of these events. */
const refuse =
  (ids: ReadonlyArray<bigint | undefined>, error = new Error("no")): Handle =>
  (events) =>
    events.some(({ id }) => ids.includes(id)) ? Effect.die(error) : Effect.void

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
        warnings.map(({ annotations, message }) => [message, annotations]),
        [1, 2, 3, 4, 5].map((tries) => [
          tries < 5 ? "An event could not be handled, and will be tried again" : "An event was parked",
          { consumer: "strict", event_id: String(bad), tries, error: parked?.error }
        ])
      )
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

layer(TestApp.layer)("a failure of the database", (it) => {
  const codes = ["08006", "40001", "40P01", "53100", "53300", "55P03", "57014", "57P01", "57P03"]
  for (const code of codes) {
    it.effect(`counts against no event (${code})`, () =>
      Effect.gen(function* () {
        yield* empty
        const [only] = yield* write(updated)
        const sql = yield* SqlClient.SqlClient
        let isFailing = true
        const failure = sql
          .unsafe(`do $$ begin raise exception using errcode = '${code}'; end $$`)
          .pipe(Effect.asVoid, orDefect)
        const consumer = yield* recorder("unlucky", () => (isFailing ? failure : Effect.void))
        const read = yield* follower(consumer)
        const before = yield* stateOf("unlucky")
        for (let tries = 0; tries < 8; tries++) {
          assert.isTrue(Exit.isFailure(yield* read))
          yield* TestClock.adjust("10 minutes")
        }
        assert.deepStrictEqual(yield* stateOf("unlucky"), before)
        assert.deepStrictEqual(yield* parkedOf("unlucky"), [])
        assert.strictEqual(before?.tries, 0)
        isFailing = false
        assert.deepStrictEqual(yield* read, Exit.succeed(false))
        assert.deepStrictEqual(yield* idsSeenBy("unlucky"), [only])
      })
    )
  }

  it.effect("counts against no event when it loses the connection", () =>
    Effect.gen(function* () {
      yield* empty
      const [only] = yield* write(updated)
      const sql = yield* SqlClient.SqlClient
      let isLost = true
      const lose = sql`select pg_terminate_backend(pg_backend_pid())`.pipe(Effect.asVoid, orDefect)
      const consumer = yield* recorder("cut off", () => (isLost ? lose : Effect.void))
      const read = yield* follower(consumer)
      for (let tries = 0; tries < 6; tries++) assert.isTrue(Exit.isFailure(yield* read))
      assert.strictEqual((yield* stateOf("cut off"))?.tries, 0)
      isLost = false
      yield* read
      assert.deepStrictEqual(yield* idsSeenBy("cut off"), [only])
    })
  )
})

/** Parks these events of `picky` and brings it to the end of the log. */
const park = (...ids: Array<bigint | undefined>) =>
  Effect.gen(function* () {
    const instance = yield* instanceOf(recorder("picky", refuse(ids)))
    while (Exit.isFailure(yield* Effect.exit(instance.drain)));
    const parked = yield* parkedOf("picky")
    assert.deepStrictEqual(
      parked.map(({ event_id }) => event_id),
      ids
    )
  }).pipe(Effect.scoped)

layer(TestApp.layer)("a parked event that is tried again", (it) => {
  it.effect("takes effect once if it can be handled now, and stays parked if not", () =>
    Effect.gen(function* () {
      yield* empty
      const [first, bad, , last] = yield* write(updated, updated, updated, updated)
      yield* park(first, bad, last)
      const seen = yield* idsSeenBy("picky")
      yield* TestClock.adjust("1 hour")
      const instance = yield* instanceOf(recorder("picky", refuse([bad], new Error("still no"))))
      yield* instance.retryParked("picky")
      assert.deepStrictEqual(yield* idsSeenBy("picky"), [...seen, first, last])
      assert.deepStrictEqual(yield* parkedOf("picky"), [
        { event_id: bad, since: "1970-01-01 00:00:00+00", tries: 6, error: "Error: still no" }
      ])
      yield* instance.retryParked("picky")
      assert.deepStrictEqual(yield* idsSeenBy("picky"), [...seen, first, last])

      const healed = yield* instanceOf(recorder("picky"))
      yield* healed.retryParked("picky")
      assert.deepStrictEqual(yield* idsSeenBy("picky"), [...seen, first, last, bad])
      assert.deepStrictEqual(yield* parkedOf("picky"), [])
    }).pipe(Effect.scoped)
  )

  it.effect("takes effect once if two instances try it at the same time", () =>
    Effect.gen(function* () {
      yield* empty
      const sql = yield* SqlClient.SqlClient
      const [bad] = yield* write(updated)
      yield* park(bad)
      const goesOn = yield* Deferred.make<void>()
      let handled = 0
      const slow = recorder("picky", () =>
        Effect.andThen(
          Effect.sync(() => handled++),
          Deferred.await(goesOn)
        )
      )
      const [one, other] = [yield* instanceOf(slow), yield* instanceOf(slow)]
      const retrying = yield* Effect.forkScoped(
        Effect.all([one.retryParked("picky"), other.retryParked("picky")], { concurrency: 2 })
      )
      // Until one waits for the other, or both are at work.
      yield* sql<{ readonly waits: boolean }>`select exists (
        select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
      ) as waits`.pipe(Effect.repeat({ while: ([row]) => handled < 2 && row?.waits !== true }))
      yield* Deferred.succeed(goesOn, undefined)
      yield* Fiber.join(retrying)
      assert.strictEqual(handled, 1)
      assert.deepStrictEqual(yield* idsSeenBy("picky"), [bad])
    }).pipe(Effect.scoped)
  )

  it.effect("stays as it is when the database fails, and when other consumers are retried", () =>
    Effect.gen(function* () {
      yield* empty
      const sql = yield* SqlClient.SqlClient
      const [bad] = yield* write(updated)
      yield* park(bad)
      const parked = yield* parkedOf("picky")
      const conflict = sql`do $$ begin raise exception using errcode = '40001'; end $$`.pipe(
        Effect.asVoid,
        orDefect
      )
      const instance = yield* instanceOf(
        recorder("picky", () => conflict),
        recorder("other")
      )
      assert.isTrue(Exit.isFailure(yield* Effect.exit(instance.retryParked("picky"))))
      yield* instance.retryParked("other")
      yield* instance.retryParked("nobody")
      assert.deepStrictEqual(yield* parkedOf("picky"), parked)
      assert.deepStrictEqual(yield* idsSeenBy("picky"), [])
    }).pipe(Effect.scoped)
  )

  it.effect("is dropped if its consumer no longer reads such events", () =>
    Effect.gen(function* () {
      yield* empty
      const [bad] = yield* write(updated)
      yield* park(bad)
      let handled = 0
      const narrowed = makeConsumer({
        name: "picky",
        reads: [ThreadDeleted],
        handle: () => Effect.sync(() => void handled++)
      })
      const instance = yield* instanceOf(Effect.succeed(narrowed))
      yield* instance.retryParked("picky")
      assert.strictEqual(handled, 0)
      assert.deepStrictEqual(yield* parkedOf("picky"), [])
    }).pipe(Effect.scoped)
  )
})
