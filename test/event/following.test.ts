/** How consumers keep up with the log. */
import { assert, layer } from "@effect/vitest"
import { DateTime, Deferred, Effect, Fiber, Layer, Queue } from "effect"
import { SqlClient, Statement } from "effect/sql"
import { TestClock } from "effect/testing"
import { makeConsumer } from "../../src/domain/event/EventConsumer.ts"
import { EventLog } from "../../src/domain/event/EventLog.ts"
import { ThreadUpdated } from "../../src/domain/event/ThreadEvents.ts"
import { AccountId, PostId } from "../../src/domain/shared/Id.ts"
import { makePositions } from "../../src/persistence/event/ConsumerPositions.ts"
import { EventConsumers } from "../../src/persistence/event/EventConsumersSql.ts"
import * as Logs from "../support/logs.ts"
import { call } from "../support/people.ts"
import * as TestApp from "../support/TestApp.ts"
import {
  deleted,
  drained,
  empty,
  type Handle,
  instanceOf,
  logged,
  readable,
  recorder,
  seenBy,
  updated,
  write
} from "./instances.ts"

const someUpdate = {
  _tag: "ThreadUpdated",
  id: PostId.make("0".repeat(20)),
  standing: { thread: { author_id: AccountId.make("0".repeat(20)), visibility: "published" } }
} as const

const fill = (count: number, tag = "ThreadUpdated") =>
  SqlClient.SqlClient.use(
    (sql) => sql`insert into event_log (occurred_at, event)
      select now(), jsonb_build_object('_tag', ${tag}::text, 'id', '00000000000000000000')
      from generate_series(1, ${count})`
  ).pipe(Effect.andThen(readable))

/** A consumer that passes the ids of what it is handed to a queue. */
const reporter = (name: string, queue: Queue.Queue<bigint>, also: Handle = () => Effect.void) =>
  makeConsumer({
    name,
    reads: [ThreadUpdated],
    handle: (events) =>
      Effect.andThen(
        Queue.offerAll(
          queue,
          events.map(({ id }) => id)
        ),
        also(events)
      )
  })

/** Moves the clock on until something is there, letting the database work in between. */
const eventually = <A>(queue: Queue.Queue<A>) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    for (;;) {
      const [first] = (yield* Queue.size(queue)) === 0 ? [] : yield* Queue.clear(queue)
      if (first !== undefined) return first
      yield* TestClock.adjust("500 millis")
      yield* sql`select 1`
    }
  })

layer(TestApp.layer.pipe(Layer.provideMerge(Logs.layer)))("a consumer of the event log", (it) => {
  it.effect("reads a backlog of many batches at once, and then nothing is behind", () =>
    Effect.gen(function* () {
      yield* empty
      yield* fill(450)
      const instance = yield* instanceOf(recorder("reader"))
      assert.strictEqual(yield* instance.lag, 450)
      yield* instance.drain
      assert.strictEqual(yield* instance.lag, 0)
      assert.deepStrictEqual(yield* seenBy("reader"), yield* logged)
    }).pipe(Effect.scoped)
  )

  it.effect("counts what is behind for the one that is furthest behind, and not without end", () =>
    Effect.gen(function* () {
      yield* empty
      yield* fill(3)
      const ahead = yield* instanceOf(recorder("ahead"))
      yield* drained(ahead)
      const both = yield* instanceOf(recorder("ahead"), recorder("behind"))
      assert.strictEqual(yield* both.lag, 3)
      yield* fill(10_100)
      assert.strictEqual(yield* both.lag, 10_000)
    }).pipe(Effect.scoped)
  )

  it.effect("finds its events through the index, however many others there are", () =>
    Effect.gen(function* () {
      yield* empty
      const sql = yield* SqlClient.SqlClient
      yield* fill(20_000)
      yield* fill(5, "ThreadDeleted")
      yield* sql`vacuum analyze event_log`
      const positions = makePositions(sql)
      yield* positions.register(["rare"])
      const position = yield* positions.lock("rare")
      assert.isDefined(position)
      if (position === undefined) return
      const statements: Array<readonly [string, ReadonlyArray<unknown>]> = []
      const rows = yield* positions.next(position, ["ThreadDeleted"], 200).pipe(
        Effect.provideService(Statement.CurrentTransformer, (statement) =>
          Effect.sync(() => {
            statements.push(statement.compile())
            return statement
          })
        )
      )
      assert.strictEqual(rows.length, 5)
      const [[text = "", parameters = []] = []] = statements
      const plan = yield* sql.unsafe<{ readonly "QUERY PLAN": string }>(`explain analyze ${text}`, parameters)
      const lines = plan.map((line) => line["QUERY PLAN"]).join("\n")
      assert.match(lines, /Index Scan using event_log_position on event_log/)
      assert.match(lines, /Index Cond: .*tag = ANY/)
      assert.notMatch(lines, /Sort|Filter/)
    })
  )

  it.effect("is handed events as soon as they are committed in its own process", () =>
    Effect.gen(function* () {
      yield* empty
      const { append } = yield* EventLog
      const queue = yield* Queue.unbounded<bigint>()
      // On the signal of the service in the test, as in production.
      const context = yield* Layer.build(
        EventConsumers.following.pipe(
          Layer.provide(EventConsumers.layer(Effect.succeed([reporter("prompt", queue)])))
        )
      )
      assert.isDefined(context)
      yield* append(undefined, someUpdate)
      yield* readable
      yield* append(undefined, someUpdate)
      // The clock has not moved.
      const first = yield* Queue.take(queue)
      assert.strictEqual(first, (yield* logged)[0]?.event_id)
    }).pipe(Effect.scoped)
  )

  it.effect("is handed what was committed meanwhile in one batch, after a pause", () =>
    Effect.gen(function* () {
      yield* empty
      const { append } = yield* EventLog
      const batches = yield* Queue.unbounded<number>()
      const counter = makeConsumer({
        name: "paced",
        reads: [ThreadUpdated],
        handle: (events) => Effect.asVoid(Queue.offer(batches, events.length))
      })
      yield* Layer.build(
        EventConsumers.following.pipe(Layer.provide(EventConsumers.layer(Effect.succeed([counter]))))
      )
      const appended = append(undefined, someUpdate)
      yield* appended
      yield* readable
      yield* appended
      const first = yield* Queue.take(batches)
      // Long enough for a consumer that does not pause.
      yield* Effect.replicateEffect(appended, 20)
      yield* readable
      assert.strictEqual(yield* Queue.size(batches), 0)
      // The pause, and the next look: when the last signal came, transactions of other tests may have held events back.
      yield* TestClock.adjust("500 millis")
      assert.strictEqual(first + (yield* Queue.take(batches)), 22)
    }).pipe(Effect.scoped)
  )

  it.effect("is handed what another process has committed when it looks again", () =>
    Effect.gen(function* () {
      yield* empty
      const queue = yield* Queue.unbounded<bigint>()
      const instance = yield* instanceOf(Effect.succeed(reporter("patient", queue)))
      yield* Effect.forkScoped(instance.follow)
      const [id] = yield* write(updated)
      assert.strictEqual(yield* eventually(queue), id)
    }).pipe(Effect.scoped)
  )

  it.effect("is not held up by others that are slow or fail", () =>
    Effect.gen(function* () {
      yield* empty
      const [slow, failing, sound] = [
        yield* Queue.unbounded<bigint>(),
        yield* Queue.unbounded<bigint>(),
        yield* Queue.unbounded<bigint>()
      ]
      const soundIsDone = yield* Deferred.make<void>()
      const instance = yield* instanceOf(
        Effect.succeed(reporter("slow", slow, () => Deferred.await(soundIsDone))),
        Effect.succeed(reporter("failing", failing, () => Effect.die(new Error("no")))),
        Effect.succeed(
          reporter("sound", sound, () => Effect.asVoid(Deferred.succeed(soundIsDone, undefined)))
        )
      )
      const [first] = yield* write(updated)
      yield* Effect.forkScoped(instance.follow)
      for (const queue of [slow, failing, sound]) assert.strictEqual(yield* Queue.take(queue), first)
    }).pipe(Effect.scoped)
  )

  it.effect("is served by one instance at a time, and the others do not wait for it", () =>
    Effect.gen(function* () {
      yield* empty
      const [begun, goesOn] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const busy = yield* instanceOf(
        recorder("shared", () => Effect.andThen(Deferred.succeed(begun, undefined), Deferred.await(goesOn)))
      )
      const idle = yield* instanceOf(recorder("shared"))
      yield* write(updated)
      const draining = yield* Effect.forkScoped(busy.drain)
      yield* Deferred.await(begun)
      yield* idle.drain
      assert.deepStrictEqual(yield* seenBy("shared"), [])
      yield* Deferred.succeed(goesOn, undefined)
      yield* Fiber.join(draining)
      yield* idle.drain
      assert.deepStrictEqual(yield* seenBy("shared"), yield* logged)
    }).pipe(Effect.scoped)
  )

  it.effect("stays where it is when an instance reports a failure too late", () =>
    Effect.gen(function* () {
      yield* empty
      const sql = yield* SqlClient.SqlClient
      const positions = makePositions(sql)
      yield* positions.register(["shared"])
      yield* write(updated)
      const late = yield* positions.lock("shared")
      const [event] = late === undefined ? [] : yield* positions.next(late, ["ThreadUpdated"], 1)
      assert.isDefined(late)
      assert.isDefined(event)
      if (late === undefined || event === undefined) return
      yield* write(updated)
      yield* drained(yield* instanceOf(recorder("shared")))
      const state = sql`select event_id, tries from event_consumers where name = 'shared'`
      const before = yield* state
      const now = yield* DateTime.now
      yield* positions.retryLater("shared", late, { tries: 1, since: now, retryAt: now }, "Error: late")
      yield* positions.park("shared", late, event, { tries: 5, since: now }, "Error: late")
      assert.deepStrictEqual(yield* state, before)
      assert.deepStrictEqual(yield* sql`select * from parked_events`, [])

      // The same for two failures of one try.
      yield* write(updated)
      const twice = yield* positions.lock("shared")
      assert.isDefined(twice)
      if (twice === undefined) return
      const soon = DateTime.add(now, { seconds: 1 })
      for (const retryAt of [soon, DateTime.add(now, { days: 1 })]) {
        yield* positions.retryLater("shared", twice, { tries: 1, since: now, retryAt }, "Error: no")
      }
      const asked = [{ name: "shared", tags: ["ThreadUpdated"] }]
      assert.deepStrictEqual(yield* positions.look(asked, now), [])
      assert.deepStrictEqual(yield* positions.look(asked, soon), [{ name: "shared", is_due: true }])
    }).pipe(Effect.scoped)
  )

  it.effect("passes what it does not read together with the others, without a transaction of its own", () =>
    Effect.gen(function* () {
      yield* empty
      const sql = yield* SqlClient.SqlClient
      const positions = makePositions(sql)
      const [reading, idle, busy, failing] = ["reading", "idle", "busy", "failing"].map((name) => ({
        name,
        tags: name === "reading" ? ["ThreadUpdated"] : ["ThreadDeleted", "ThreadReplyDeleted"]
      }))
      assert.isDefined(reading)
      if (reading === undefined || idle === undefined || busy === undefined || failing === undefined) return
      const all = [reading, idle, busy, failing]
      yield* positions.register(all.map(({ name }) => name))
      const placeOf = ({ name }: { readonly name: string }) =>
        Effect.map(
          sql<{ readonly event_id: bigint }>`select event_id from event_consumers where name = ${name}`,
          ([row]) => row?.event_id
        )
      yield* write(updated)
      const from = yield* positions.lock("failing")
      assert.isDefined(from)
      if (from === undefined) return
      const now = yield* DateTime.now
      yield* positions.retryLater("failing", from, { tries: 1, since: now, retryAt: now }, "Error: no")
      yield* write(updated)
      const last = (yield* logged).at(-1)?.event_id
      const started = yield* Effect.forEach(all, placeOf)

      const [taken, goesOn] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const working = yield* Effect.forkScoped(
        sql.withTransaction(
          positions
            .lock("busy")
            .pipe(Effect.andThen(Deferred.succeed(taken, undefined)), Effect.andThen(Deferred.await(goesOn)))
        )
      )
      yield* Deferred.await(taken)
      const behind = yield* positions.look(all, now)
      const isDue = (name: string) => behind.find((one) => one.name === name)?.is_due
      assert.deepStrictEqual(
        [isDue("reading"), isDue("idle"), isDue("busy"), isDue("failing")],
        [true, false, false, true]
      )
      assert.deepStrictEqual(yield* Effect.forEach(all, placeOf), [started[0], last, started[2], started[3]])
      yield* Deferred.succeed(goesOn, undefined)
      yield* Fiber.join(working)

      yield* positions.look(all, now)
      assert.deepStrictEqual(yield* Effect.forEach(all, placeOf), [started[0], last, last, started[3]])
      // Later than the look, one that it has not passed.
      yield* write(deleted)
      assert.deepStrictEqual(
        (yield* positions.look([idle, busy], now)).map(({ is_due }) => is_due),
        [true, true]
      )
    }).pipe(Effect.scoped)
  )

  it.effect("is due when it is far behind, whatever it reads, so that a look reads little of the log", () =>
    Effect.gen(function* () {
      yield* empty
      const sql = yield* SqlClient.SqlClient
      const positions = makePositions(sql)
      const rare = { name: "rare", tags: ["ThreadDeleted"] }
      yield* positions.register([rare.name])
      const now = yield* DateTime.now
      yield* fill(999)
      assert.deepStrictEqual(yield* positions.look([rare], now), [{ name: "rare", is_due: false }])
      assert.deepStrictEqual(yield* positions.look([rare], now), [])
      yield* fill(1200)
      assert.deepStrictEqual(yield* positions.look([rare], now), [{ name: "rare", is_due: true }])
    })
  )

  it.effect("goes on after a time in which the database failed it", () =>
    Effect.gen(function* () {
      yield* empty
      const sql = yield* SqlClient.SqlClient
      const queue = yield* Queue.unbounded<bigint>()
      const instance = yield* instanceOf(Effect.succeed(reporter("steady", queue)))
      const [first] = yield* write(updated)
      yield* sql`alter table event_consumers rename to event_consumers_elsewhere`
      const lines = yield* Logs.Logs
      lines.length = 0
      yield* Effect.forkScoped(instance.follow)
      yield* sql`select 1`.pipe(Effect.repeat({ while: () => lines.length === 0 }))
      assert.match(lines[0]?.text ?? "", /Reading the event log failed; trying again/)
      yield* sql`alter table event_consumers_elsewhere rename to event_consumers`
      assert.strictEqual(yield* eventually(queue), first)
    }).pipe(Effect.scoped)
  )

  it.effect("is shown in the metrics, with what is behind and what is parked", () =>
    Effect.gen(function* () {
      yield* empty
      const sql = yield* SqlClient.SqlClient
      yield* instanceOf(recorder("shown"))
      const [first] = yield* write(updated, updated)
      const samples = Effect.map(call("GET", "/metrics"), ({ text }) =>
        text
          .split("\n")
          .filter((line) => line.includes('consumer="shown"'))
          .toSorted()
      )
      yield* sql`insert into parked_events (consumer, event_id, since, tries, error)
        values ('shown', ${first}, now(), 5, 'Error: no')`
      assert.deepStrictEqual(yield* samples, [
        'forum_event_log_consumer_lag{consumer="shown"} 2',
        'forum_event_log_parked{consumer="shown"} 1'
      ])
      yield* sql`delete from parked_events`
      assert.deepStrictEqual(yield* samples, [
        'forum_event_log_consumer_lag{consumer="shown"} 2',
        'forum_event_log_parked{consumer="shown"} 0'
      ])
    }).pipe(Effect.scoped)
  )
})
