/** How those who listen are told: once each, in one order, of what was committed on any instance. */
import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, Schedule } from "effect"
import { SqlClient, Statement } from "effect/sql"
import { TestClock } from "effect/testing"
import {
  ChangeFeed,
  ChangesLost,
  changeIdOf,
  type LoggedChange,
  waitingMax
} from "../../src/domain/change/ChangeFeed.ts"
import { EventLog } from "../../src/domain/event/EventLog.ts"
import { PostId } from "../../src/domain/shared/Id.ts"
import { Transaction } from "../../src/domain/storage/Transaction.ts"
import { makeChangeReads, pageMax } from "../../src/persistence/change/ChangeReads.ts"
import { readable, write } from "../event/instances.ts"
import * as TestApp from "../support/TestApp.ts"
import { inTime } from "../support/waiting.ts"
import { elsewhereName, feedElsewhere, listen, standing, toldUntilNow } from "./listening.ts"

const threadId = (n: number) => PostId.make(String(n).padStart(20, "0"))

const updated = (n: number) => ({ _tag: "ThreadUpdated", id: threadId(n), standing }) as const

const append = (...numbers: ReadonlyArray<number>) =>
  EventLog.use(({ append }) => append(undefined, ...numbers.map(updated)))

const numberOf = ({ change }: LoggedChange) =>
  change.event === "EventThreadUpdated" ? Number(change.id) : change.event

/** The numbers of the threads that a listener is told of until it has heard of so many. */
const numbers = Effect.fnUntraced(function* (
  listening: Effect.Success<ReturnType<typeof listen>>,
  count: number
) {
  const told: Array<LoggedChange> = []
  const collect = Effect.gen(function* () {
    while (told.length < count) told.push(...(yield* listening.take))
    return told.map(numberOf)
  })
  return yield* inTime("a listener was not told of what was committed", collect)
})

layer(TestApp.layer)("somebody who listens", (it) => {
  it.effect("is told of what is committed from then on, with where it is and when it was", () =>
    Effect.gen(function* () {
      const feed = yield* ChangeFeed
      yield* append(1)
      const listening = yield* listen(feed)
      yield* append(2)
      const [told, ...more] = yield* toldUntilNow(listening)
      assert.deepStrictEqual(more, [])
      const sql = yield* SqlClient.SqlClient
      const [row] = yield* sql<{ readonly id: bigint; readonly txid: string; readonly occurred_at: Date }>`
        select id, txid::text, occurred_at from event_log where event ->> 'id' = ${threadId(2)}`
      assert.isDefined(row)
      if (row === undefined || told === undefined) return
      assert.deepStrictEqual(told.position, { generation: 1, txid: row.txid, id: row.id })
      assert.strictEqual(told.at.epochMilliseconds, row.occurred_at.getTime())
      assert.strictEqual(told.id, changeIdOf(row.occurred_at.getTime(), row.id))
      assert.deepStrictEqual(told.change, { event: "EventThreadUpdated", id: threadId(2) })
    }).pipe(Effect.scoped)
  )

  it.effect("is told of the changes with the names that it has named", () =>
    Effect.gen(function* () {
      const feed = yield* ChangeFeed
      const some = yield* listen(feed, ["EventThreadDeleted", "EventThreadUpdated"])
      const none = yield* listen(feed, [])
      const { append } = yield* EventLog
      yield* append(
        undefined,
        { _tag: "ThreadPublished", id: threadId(1), standing },
        { _tag: "ThreadDeleted", id: threadId(1), standing },
        { _tag: "ThreadUpdated", id: threadId(1), standing },
        { _tag: "ThemeReplaced" }
      )
      const told = yield* toldUntilNow(some)
      assert.deepStrictEqual(
        told.map(({ change }) => change.event),
        ["EventThreadDeleted", "EventThreadUpdated"]
      )
      const waiting = yield* Effect.forkScoped(none.take)
      yield* numbers(some, 0)
      assert.isUndefined(waiting.pollUnsafe())
    }).pipe(Effect.scoped)
  )

  it.effect("is told within fifty milliseconds of what its own process commits", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const feed = yield* ChangeFeed
      const listening = yield* feed.subscribe(["EventThreadUpdated"])
      /** Whether the listener is told while the clock moves on for less than that. In between the database works. */
      const isToldSoon = Effect.gen(function* () {
        yield* append(1)
        const told = yield* Effect.forkScoped(listening.take)
        let millis = 0
        while (told.pollUnsafe() === undefined) {
          const step = millis < 40 ? 10 : 500
          yield* TestClock.adjust(step)
          yield* Effect.replicateEffect(sql`select 1`, 5)
          millis += step
        }
        return millis <= 40
      })
      // A transaction of another test's database may keep one waiting, but not one after the other.
      let tries = 0
      while (!(yield* isToldSoon)) {
        tries += 1
        assert.isBelow(tries, 20)
      }
    }).pipe(Effect.scoped)
  )

  it.effect("is told of what other instances commit, and they of what this one does", () =>
    Effect.gen(function* () {
      const [here, elsewhere] = [yield* listen(yield* ChangeFeed), yield* listen(yield* feedElsewhere)]
      // A bare write raises no signal, as that of another instance does not.
      yield* write({ ...updated(1) }, { ...updated(2) })
      for (const listening of [here, elsewhere]) assert.deepStrictEqual(yield* numbers(listening, 2), [1, 2])
      yield* append(3)
      for (const listening of [here, elsewhere]) assert.deepStrictEqual(yield* numbers(listening, 1), [3])
    }).pipe(Effect.scoped)
  )

  it.effect("is told of what another instance commits when it looks again, half a second later", () =>
    Effect.gen(function* () {
      const feed = yield* feedElsewhere
      const listening = yield* feed.subscribe(["EventThreadUpdated"])
      yield* write({ ...updated(1) })
      const told = yield* Effect.forkScoped(listening.take)
      const sql = yield* SqlClient.SqlClient
      const looked = Effect.gen(function* () {
        while (told.pollUnsafe() === undefined) {
          yield* TestClock.adjust("500 millis")
          yield* sql`select 1`
        }
        return yield* Fiber.join(told)
      })
      assert.deepStrictEqual((yield* looked).map(numberOf), [1])
    }).pipe(Effect.scoped)
  )

  it.effect("is told of more than one page at once", () =>
    Effect.gen(function* () {
      const listening = yield* listen(yield* ChangeFeed)
      const all = Array.from({ length: 777 }, (_, n) => n)
      yield* append(...all)
      assert.deepStrictEqual(yield* numbers(listening, all.length), all)
    }).pipe(Effect.scoped)
  )
})

/** How often the log was read for listeners, and how often somebody asked where it is, by what runs `counted`. */
const counting = () => {
  const count = { reads: 0, moments: 0, isFailing: false }
  const counted = Effect.provideService(Statement.CurrentTransformer, (statement, sql) =>
    Effect.sync(() => {
      const [text] = statement.compile()
      if (text.includes("held as materialized")) count.reads++
      if (text.includes("pg_current_snapshot()::text")) count.moments++
      return count.isFailing
        ? sql.unsafe("do $$ begin raise exception using errcode = '57P01'; end $$")
        : statement
    })
  )
  return { count, counted }
}

layer(TestApp.layer)("a transaction", (it) => {
  /** A transaction that has its number, and appends and ends when it is told to. */
  const begun = Effect.fnUntraced(function* (number: number) {
    const sql = yield* SqlClient.SqlClient
    const transaction = yield* Transaction
    const [begins, appends, ends] = [
      yield* Deferred.make<void>(),
      yield* Deferred.make<void>(),
      yield* Deferred.make<void>()
    ]
    const running = yield* sql`select pg_current_xact_id()::text`.pipe(
      Effect.andThen(append(number)),
      Effect.andThen(Deferred.succeed(appends, undefined)),
      Effect.andThen(Deferred.succeed(begins, undefined)),
      Effect.andThen(Deferred.await(ends)),
      transaction,
      Effect.forkScoped
    )
    yield* Deferred.await(begins)
    return { end: Effect.andThen(Deferred.succeed(ends, undefined), Fiber.join(running)) }
  })

  it.effect("that began earlier and is committed later is told of in its place, and nothing twice", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const feed = yield* ChangeFeed
      // The reader has the clock of the first who listens.
      const listening = yield* feed.subscribe(["EventThreadUpdated"])
      const late = yield* begun(1)
      yield* append(2)
      yield* append(3)
      const told = yield* Effect.forkScoped(numbers(listening, 3))
      for (let look = 0; look < 10; look++) {
        yield* TestClock.adjust("500 millis")
        yield* sql`select 1`
      }
      assert.isUndefined(told.pollUnsafe())
      yield* late.end
      while (told.pollUnsafe() === undefined) {
        yield* TestClock.adjust("500 millis")
        yield* sql`select 1`
      }
      assert.deepStrictEqual(yield* Fiber.join(told), [1, 2, 3])
    }).pipe(Effect.scoped)
  )

  it.effect("that is committed after somebody listens is told of, also if it appended before", () =>
    Effect.gen(function* () {
      const feed = yield* ChangeFeed
      const first = yield* listen(feed)
      const late = yield* begun(1)
      // Committed, though nobody may read it yet.
      yield* append(2)
      const second = yield* listen(feed)
      yield* late.end
      yield* append(3)
      assert.deepStrictEqual((yield* toldUntilNow(first)).map(numberOf), [1, 2, 3])
      assert.deepStrictEqual((yield* toldUntilNow(second)).map(numberOf), [1, 3])
    }).pipe(Effect.scoped)
  )

  it.effect("that is committed before anybody listens is not told of, though it may not be read yet", () =>
    Effect.gen(function* () {
      const late = yield* begun(1)
      yield* append(2)
      const listening = yield* listen(yield* ChangeFeed)
      yield* append(3)
      yield* late.end
      assert.deepStrictEqual((yield* toldUntilNow(listening)).map(numberOf), [1, 3])
    }).pipe(Effect.scoped)
  )

  it.effect("that is rolled back is not told of", () =>
    Effect.gen(function* () {
      const transaction = yield* Transaction
      const listening = yield* listen(yield* ChangeFeed)
      yield* Effect.exit(transaction(Effect.andThen(append(1), Effect.fail("no"))))
      yield* append(2)
      assert.deepStrictEqual((yield* toldUntilNow(listening)).map(numberOf), [2])
    }).pipe(Effect.scoped)
  )
})

layer(TestApp.layer)("the log", (it) => {
  it.effect("that came with a dump from a cluster that was ahead is not told of, and goes on", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* write({ ...updated(1) }, { ...updated(2) })
      yield* sql`update event_log set txid = (txid::text::bigint + 1000000000)::text::xid8`
      const listening = yield* listen(yield* ChangeFeed)
      yield* append(3)
      assert.deepStrictEqual((yield* toldUntilNow(listening)).map(numberOf), [3])
    }).pipe(Effect.scoped)
  )

  it.effect("with events that nobody knows or can read goes on", () =>
    Effect.gen(function* () {
      const listening = yield* listen(yield* ChangeFeed)
      yield* write(
        { _tag: "ThreadUpdated", id: 7 },
        { _tag: "OfALaterRelease", id: threadId(1) },
        { ...updated(2) }
      )
      assert.deepStrictEqual((yield* toldUntilNow(listening)).map(numberOf), [2])
    }).pipe(Effect.scoped)
  )
})

layer(TestApp.layer)("somebody who is slow", (it) => {
  it.effect("is told that changes were lost, and others go on", () =>
    Effect.gen(function* () {
      const feed = yield* ChangeFeed
      const [slow, quick] = [yield* listen(feed), yield* listen(feed)]
      const all = Array.from({ length: waitingMax.changes }, (_, n) => n)
      yield* append(...all)
      assert.deepStrictEqual(yield* numbers(quick, all.length), all)
      // It has as much waiting as it may.
      yield* append(1)
      assert.deepStrictEqual(yield* numbers(quick, 1), [1])
      assert.deepStrictEqual(yield* Effect.flip(slow.take), new ChangesLost())
      yield* append(2)
      assert.deepStrictEqual(yield* numbers(quick, 1), [2])
      assert.deepStrictEqual(yield* Effect.flip(slow.take), new ChangesLost())
      // It may begin anew.
      const again = yield* listen(feed)
      yield* append(3)
      assert.deepStrictEqual((yield* toldUntilNow(again)).map(numberOf), [3])
    }).pipe(Effect.scoped)
  )
})

layer(TestApp.layer)("the reader", (it) => {
  it.effect("finds what is next through the index, however much is before and after it", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const reads = makeChangeReads(sql, sql)
      yield* append(0)
      yield* readable
      yield* sql`insert into event_log (occurred_at, event)
        select now(), jsonb_build_object('_tag', 'ThreadUpdated', 'id', lpad(n::text, 20, '0'))
        from generate_series(1, 20000) n`
      yield* readable
      yield* sql`vacuum analyze event_log`
      const { head } = yield* reads.now
      const statements: Array<readonly [string, ReadonlyArray<unknown>]> = []
      const page = yield* reads.after({ ...head, id: head.id - 10_000n }).pipe(
        Effect.provideService(Statement.CurrentTransformer, (statement) =>
          Effect.sync(() => {
            statements.push(statement.compile())
            return statement
          })
        )
      )
      assert.strictEqual(page.rows.length, pageMax)
      assert.isTrue(page.isFull)
      assert.isFalse(page.isHeld)
      const [[text = "", parameters = []] = []] = statements
      const plan = yield* sql.unsafe<{ readonly "QUERY PLAN": string }>(`explain analyze ${text}`, parameters)
      const lines = plan.map((line) => line["QUERY PLAN"]).join("\n")
      assert.notMatch(lines, /Seq Scan on event_log/)
      // It has read a page, and no more than that of the log.
      for (const [, rows] of lines.matchAll(/event_log .*rows=(\d+)(?:\.\d+)? loops=/g)) {
        assert.isAtMost(Number(rows), pageMax, lines)
      }
      assert.notMatch(lines, /Rows Removed by Filter: \d{3,}/)
    })
  )

  it.effect("reads once for all who listen, and not at all for nobody", () =>
    Effect.gen(function* () {
      const { count, counted } = counting()
      const feed = yield* feedElsewhere
      const sql = yield* SqlClient.SqlClient
      const wait = Effect.andThen(TestClock.adjust("500 millis"), sql`select 1`)
      yield* Effect.replicateEffect(wait, 5)
      assert.deepStrictEqual([count.reads, count.moments], [0, 0])
      let waits = 0
      const together = Effect.gen(function* () {
        const listeners = yield* Effect.forEach(Array(20).keys(), () =>
          feed.subscribe(["EventThreadUpdated"])
        )
        const all = yield* Effect.forkScoped(
          Effect.forEach(listeners, ({ take }) => Effect.map(take, (told) => told.map(numberOf)), {
            concurrency: "unbounded"
          })
        )
        yield* append(1)
        while (all.pollUnsafe() === undefined) {
          yield* wait
          waits += 1
        }
        assert.deepStrictEqual(
          yield* Fiber.join(all),
          Array.from({ length: 20 }, () => [1])
        )
      }).pipe(Effect.scoped)
      yield* counted(together)
      assert.strictEqual(count.moments, 20)
      const { reads } = count
      assert.isAbove(reads, 0)
      // Not as often as there are listeners. A transaction that holds back lets it look once more each time.
      assert.isBelow(reads, 10 + waits)
      yield* append(2)
      yield* Effect.replicateEffect(wait, 5)
      assert.strictEqual(count.reads, reads)
      // And again from then on.
      const listening = yield* listen(feed)
      yield* append(3)
      assert.deepStrictEqual((yield* toldUntilNow(listening)).map(numberOf), [3])
    }).pipe(Effect.scoped)
  )

  it.effect("goes on where it was when the database fails, and misses and repeats nothing", () =>
    Effect.gen(function* () {
      const { count, counted } = counting()
      const listening = yield* counted(listen(yield* feedElsewhere))
      yield* append(1)
      assert.deepStrictEqual(yield* numbers(listening, 1), [1])
      count.isFailing = true
      const { reads } = count
      for (const n of [2, 3, 4]) yield* append(n)
      yield* inTime(
        "the log was not read",
        Effect.repeat(
          Effect.sync(() => count.reads),
          { while: (now) => now < reads + 2, schedule: Schedule.spaced("10 millis") }
        )
      )
      yield* append(5)
      count.isFailing = false
      assert.deepStrictEqual(yield* numbers(listening, 4), [2, 3, 4, 5])
      yield* append(6)
      assert.deepStrictEqual((yield* toldUntilNow(listening)).map(numberOf), [6])
    }).pipe(Effect.scoped)
  )

  it.effect("goes on where it was when it loses its connections", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const listening = yield* listen(yield* feedElsewhere)
      const all = Array.from({ length: 20 }, (_, n) => n)
      for (const n of all) {
        yield* append(n)
        yield* sql`select pg_terminate_backend(pid) from pg_stat_activity
          where datname = current_database() and application_name = ${elsewhereName}`
      }
      assert.deepStrictEqual(yield* numbers(listening, all.length), all)
      assert.deepStrictEqual(yield* toldUntilNow(listening), [])
    }).pipe(Effect.scoped)
  )
})
