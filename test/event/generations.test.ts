/** Databases that were dumped in one cluster and restored in another, whose transaction numbers are others. */
import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { Transaction } from "../../src/domain/storage/Transaction.ts"
import * as TestApp from "../support/TestApp.ts"
import { drained, empty, instanceOf, logged, recorder, seenBy, updated, write } from "./instances.ts"

/** Makes the database look as if a cluster had written it that was so many transactions ahead of this one. */
const comeFromElsewhere = (ahead: bigint) =>
  SqlClient.SqlClient.use((sql) =>
    Effect.gen(function* () {
      const moved = sql.literal(`(txid::text::bigint + ${ahead})::text::xid8`)
      yield* sql`update event_log set txid = ${moved}`
      yield* sql`update event_consumers set txid = ${moved} where txid > '0'`
    })
  )

const generations = SqlClient.SqlClient.use((sql) =>
  Effect.map(
    sql<{
      readonly id: bigint
      readonly generation: number
    }>`select id, generation from event_log order by id`,
    (rows) => rows.map(({ generation }) => generation)
  )
)

const begun = SqlClient.SqlClient.use((sql) =>
  Effect.map(
    sql<{ readonly count: number }>`select count(*)::int as count from event_generations`,
    ([row]) => row?.count
  )
)

const inOrderOfIds = Effect.map(logged, (rows) => rows.toSorted((a, b) => Number(a.event_id - b.event_id)))

const far = 1_000_000_000n

layer(TestApp.layer)("a log that was written in another cluster", (it) => {
  it.effect("is read from where it was left, before anything is written", () =>
    Effect.gen(function* () {
      yield* empty
      const instance = yield* instanceOf(recorder("reader"))
      yield* write(updated, updated, updated)
      yield* drained(instance)
      yield* write(updated, updated)
      yield* comeFromElsewhere(far)
      assert.strictEqual(yield* instance.lag, 2)
      yield* instance.drain
      assert.strictEqual(yield* instance.lag, 0)
      assert.deepStrictEqual(yield* seenBy("reader"), yield* inOrderOfIds)
      assert.strictEqual((yield* seenBy("reader")).length, 5)
    }).pipe(Effect.scoped)
  )

  it.effect("is followed from where it was left, before anything is written", () =>
    Effect.gen(function* () {
      yield* empty
      yield* write(updated)
      yield* drained(yield* instanceOf(recorder("reader")))
      const [unread] = yield* write(updated)
      yield* comeFromElsewhere(far)
      const handed = yield* Deferred.make<ReadonlyArray<bigint>>()
      const following = yield* instanceOf(
        recorder("reader", (events) =>
          Effect.asVoid(
            Deferred.succeed(
              handed,
              events.map(({ id }) => id)
            )
          )
        )
      )
      yield* Effect.forkScoped(following.follow)
      assert.deepStrictEqual<unknown>(yield* Deferred.await(handed), [unread])
    }).pipe(Effect.scoped)
  )

  it.effect("goes on with what is written now, each event once and in order", () =>
    Effect.gen(function* () {
      yield* empty
      const before = yield* begun
      const instance = yield* instanceOf(recorder("reader"))
      yield* write(updated, updated)
      yield* drained(instance)
      yield* write(updated)
      yield* comeFromElsewhere(far)
      yield* Effect.forEach(Array.from({ length: 20 }), () => write(updated), { concurrency: 5 })
      yield* drained(instance)
      const seen = yield* seenBy("reader")
      assert.deepStrictEqual(seen, yield* logged)
      assert.strictEqual(seen.length, 23)
      assert.strictEqual(new Set(seen.map(({ event_id }) => event_id)).size, 23)
      // All of them together begin one generation.
      const [first = 0, ...rest] = yield* generations
      assert.deepStrictEqual(rest, [first, first, ...Array.from({ length: 20 }, () => first + 1)])
      assert.strictEqual(yield* begun, (before ?? 0) + 1)
    }).pipe(Effect.scoped)
  )

  it.effect("may have been written in several", () =>
    Effect.gen(function* () {
      yield* empty
      const instance = yield* instanceOf(recorder("reader"))
      for (let move = 0; move < 3; move++) {
        yield* write(updated, updated)
        yield* instance.drain
        yield* write(updated)
        yield* comeFromElsewhere(far)
      }
      yield* write(updated)
      yield* drained(instance)
      const seen = yield* seenBy("reader")
      assert.deepStrictEqual(seen, yield* inOrderOfIds)
      assert.strictEqual(seen.length, 10)
      const [first = 0, ...rest] = yield* generations
      assert.deepStrictEqual(rest.at(-1), first + 3)
    }).pipe(Effect.scoped)
  )

  it.effect("needs nothing if that cluster was behind this one", () =>
    Effect.gen(function* () {
      yield* empty
      const before = yield* begun
      const instance = yield* instanceOf(recorder("reader"))
      yield* write(updated)
      yield* drained(instance)
      yield* write(updated)
      yield* comeFromElsewhere(-500n)
      yield* write(updated)
      yield* drained(instance)
      assert.deepStrictEqual(yield* seenBy("reader"), yield* inOrderOfIds)
      assert.strictEqual((yield* seenBy("reader")).length, 3)
      assert.strictEqual(yield* begun, before)
    }).pipe(Effect.scoped)
  )
})

layer(TestApp.layer)("a log that stays where it is", (it) => {
  it.effect("keeps its generation, in whatever order transactions write and end", () =>
    Effect.gen(function* () {
      yield* empty
      const sql = yield* SqlClient.SqlClient
      const transaction = yield* Transaction
      const [begins, goesOn] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      // It has its number before the others, and writes after them, more than once, also in a transaction within.
      const early = yield* sql`select pg_current_xact_id()::text`.pipe(
        Effect.andThen(Deferred.succeed(begins, undefined)),
        Effect.andThen(Deferred.await(goesOn)),
        Effect.andThen(sql`insert into event_log (occurred_at, event)
          select now(), '{"_tag":"ThreadUpdated"}' from generate_series(1, 3)`),
        Effect.andThen(
          transaction(
            sql`insert into event_log (occurred_at, event) values (now(), '{"_tag":"ThreadUpdated"}')`
          )
        ),
        transaction,
        Effect.forkScoped
      )
      yield* Deferred.await(begins)
      yield* Effect.forEach(
        Array.from({ length: 5 }),
        () => sql`insert into event_log (occurred_at, event) values (now(), '{"_tag":"ThreadUpdated"}')`
      )
      yield* Deferred.succeed(goesOn, undefined)
      yield* Fiber.join(early)
      assert.deepStrictEqual(
        yield* generations,
        Array.from({ length: 9 }, () => 1)
      )
      assert.strictEqual(yield* begun, 1)
    }).pipe(Effect.scoped)
  )
})
