/** What happens to parked events that are tried again. */
import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { makeConsumer } from "../../src/domain/event/EventConsumer.ts"
import { ThreadDeleted } from "../../src/domain/event/ThreadEvents.ts"
import { orDefect } from "../../src/persistence/shared/SqlErrors.ts"
import * as TestApp from "../support/TestApp.ts"
import { idsSeenBy, parkedOf, refuse } from "./failing.ts"
import { empty, instanceOf, recorder, updated, write } from "./instances.ts"

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
