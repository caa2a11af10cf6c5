/** Failures that no client was told of, as administrators find them in the audit log (specification 2.14). */
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Cause, Context, Duration, Effect, Exit, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { AssetBytesUnavailable } from "../../src/domain/asset/Asset.ts"
import { AssetBytes } from "../../src/domain/asset/AssetBytes.ts"
import { causesMax } from "../../src/domain/operations/InternalErrorRules.ts"
import { InternalErrors } from "../../src/domain/operations/InternalErrors.ts"
import { CarriedProblem } from "../../src/domain/shared/Problem.ts"
import { StorageUnavailable } from "../../src/domain/storage/StorageProblem.ts"
import { Transaction } from "../../src/domain/storage/Transaction.ts"
import * as Housekeeping from "../../src/layers/process/Housekeeping.ts"
import * as StartChecks from "../../src/layers/process/StartChecks.ts"
import * as Workers from "../../src/layers/process/Workers.ts"
import * as InternalErrorStoreSql from "../../src/persistence/moderation/InternalErrorStoreSql.ts"
import { ok } from "../support/answers.ts"
import { whileUnreachable } from "../support/database.ts"
import * as Logs from "../support/logs.ts"
import * as People from "../support/people.ts"
import { Cast } from "../support/people.ts"

const failure = (text: string) => Cause.die(new Error(text))

const report = (where: string, what: string, text: string) =>
  Effect.flatMap(InternalErrors, ({ report }) => report({ where, what, failure: failure(text) }))

const listed = (path = "?types=internal_error") =>
  Effect.flatMap(Cast, ({ odin }) => Effect.map(odin.get(`/admin/audit-events${path}`), ok))

const eventsOf = (where: string) =>
  Effect.map(listed(), ({ events }) =>
    events.filter((event: { readonly where: string }) => event.where === where)
  )

/** What another instance of the service reports with. */
const elsewhere = Effect.map(
  Layer.build(
    Layer.fresh(InternalErrors.layer).pipe(
      Layer.provide([Layer.fresh(InternalErrorStoreSql.layer), NodeCrypto.layer])
    )
  ),
  (context) => Context.get(context, InternalErrors)
)

layer(People.layer.pipe(Layer.provideMerge(Logs.layer)))("an internal error", (it) => {
  it.effect(
    "is an entry of the audit log that says where, what, how often, and where the log tells more",
    () =>
      Effect.gen(function* () {
        const lines = yield* Logs.Logs
        lines.length = 0
        yield* report("chore: sweep", "A chore failed: sweep", "no room for hunter2@asgard.example")
        yield* TestClock.adjust("7 minutes")
        yield* report("chore: sweep", "A chore failed: sweep", "no room for freya@asgard.example")
        const [entry, ...others] = yield* eventsOf("chore: sweep")
        assert.deepStrictEqual(others, [])
        assert.deepStrictEqual(Object.keys(entry).toSorted(), [
          "id",
          "last_at",
          "message",
          "occurrences",
          "timestamp",
          "trace_id",
          "type",
          "where"
        ])
        assert.strictEqual(entry.message, "A chore failed: sweep: Error: no room for …")
        assert.strictEqual(entry.occurrences, 2)
        assert.strictEqual(entry.timestamp, "1970-01-01T00:00:00.000Z")
        assert.strictEqual(entry.last_at, "1970-01-01T00:07:00.000Z")
        assert.match(entry.trace_id, /^[0-9a-f]{32}$/)
        const warned = lines.filter(({ level }) => level === "WARN")
        assert.deepStrictEqual(
          warned.map(({ message }) => (Array.isArray(message) ? message[0] : message)),
          ["A chore failed: sweep", "A chore failed: sweep"]
        )
        assert.strictEqual(warned[0]?.annotations.trace_id, entry.trace_id)
        assert.notStrictEqual(warned[1]?.annotations.trace_id, entry.trace_id)
        assert.deepStrictEqual(yield* listed(`/${entry.id}`), entry)
      })
  )

  it.effect("has another entry in the next hour", () =>
    Effect.gen(function* () {
      yield* report("hourly", "It failed", "n 1")
      yield* TestClock.adjust("1 hour")
      yield* report("hourly", "It failed", "n 2")
      yield* report("hourly", "It failed", "n 3")
      const counts = (yield* eventsOf("hourly")).map(
        ({ occurrences }: { readonly occurrences: number }) => occurrences
      )
      assert.deepStrictEqual(counts, [2, 1])
    })
  )

  it.effect("has one entry, and is counted, however often it happens on however many instances", () =>
    Effect.gen(function* () {
      const [one, other] = [yield* InternalErrors, yield* elsewhere]
      yield* Effect.forEach(
        Array.from({ length: 2000 }, (_, n) => n),
        (n) =>
          (n % 2 === 0 ? one : other).report({
            where: "storm",
            what: "It failed",
            failure: failure(`no. ${n}`)
          }),
        { concurrency: 50, discard: true }
      )
      const entries = yield* eventsOf("storm")
      assert.deepStrictEqual(
        entries.map(({ occurrences }: { readonly occurrences: number }) => occurrences),
        [2000]
      )
    }).pipe(Effect.scoped)
  )

  it.effect("is kept when the transaction in which it happened is not", () =>
    Effect.gen(function* () {
      const transaction = yield* Transaction
      const exit = yield* Effect.exit(
        transaction(
          Effect.andThen(report("undone", "It failed", "within"), Effect.fail("so nothing is kept" as const))
        )
      )
      assert.isTrue(Exit.isFailure(exit))
      assert.strictEqual((yield* eventsOf("undone")).length, 1)
    })
  )

  it.effect("fails nothing while the database is down: the log has it", () =>
    Effect.gen(function* () {
      const lines = yield* Logs.Logs
      lines.length = 0
      yield* whileUnreachable(report("down", "It failed", "meanwhile"))
      const texts = lines.map(({ text }) => text).join("\n")
      assert.include(texts, "meanwhile")
      assert.include(texts, "Internal errors could not be recorded")
      // Connections that were open before are found to be closed by the first statements.
      const [entry, ...others] = yield* report("down", "It failed", "afterwards").pipe(
        Effect.andThen(eventsOf("down")),
        Effect.repeat({ until: ({ length }) => length > 0 })
      )
      assert.deepStrictEqual(others, [])
      assert.include(entry.message, "afterwards")
    })
  )

  it.effect("is none if it says only that the database does not answer, or that the service stops", () =>
    Effect.gen(function* () {
      const { report } = yield* InternalErrors
      const unavailable = new CarriedProblem(new StorageUnavailable({ metadata: { retry_after: 1 } }))
      yield* report({ where: "passing", what: "It failed", failure: Cause.die(unavailable) })
      yield* report({ where: "passing", what: "It failed", failure: Cause.interrupt() })
      assert.deepStrictEqual(yield* eventsOf("passing"), [])
    })
  )

  it.effect("is what a chore and a worker leave that fail", () =>
    Effect.gen(function* () {
      const fails = { name: "careless", run: Effect.die(new Error("forgot something")) }
      const chores = Layer.succeed(Housekeeping.Chores, [{ ...fails, every: Duration.hours(1) }])
      const workers = Layer.succeed(Workers.Workers, [fails])
      yield* Layer.build(
        Layer.merge(Housekeeping.live.pipe(Layer.provide(chores)), Workers.live.pipe(Layer.provide(workers)))
      )
      const found = (where: string) =>
        eventsOf(where).pipe(Effect.repeat({ until: ({ length }) => length === 1 }))
      const [ofChore] = yield* found("chore: careless")
      const [ofWorker] = yield* found("worker: careless")
      assert.strictEqual(ofChore.message, "A chore failed: careless: Error: forgot something")
      assert.strictEqual(ofWorker.message, "A worker failed: careless: Error: forgot something")
    }).pipe(Effect.scoped)
  )

  it.effect("is what the start of the service leaves where files cannot be stored, and only there", () =>
    Effect.gen(function* () {
      const usual = yield* AssetBytes
      const unavailable = new AssetBytesUnavailable({ metadata: { retry_after: 5 } })
      const broken = AssetBytes.of({ ...usual, receive: () => Effect.fail(unavailable) })
      assert.strictEqual(yield* StartChecks.checkFiles, "disk")
      assert.deepStrictEqual(yield* eventsOf("configuration"), [])
      yield* Layer.build(StartChecks.live.pipe(Layer.provide(Layer.succeed(AssetBytes, broken))))
      const [entry] = yield* eventsOf("configuration").pipe(
        Effect.repeat({ until: ({ length }) => length === 1 })
      )
      assert.match(entry.message, /^Uploaded files cannot be stored: /)
    }).pipe(Effect.scoped)
  )

  it.effect("stays as it was recorded, and is only counted further, whoever writes to the database", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      yield* report("kept", "It failed", "once")
      for (const change of [
        sql`delete from internal_errors`,
        sql`truncate internal_errors`,
        sql`update internal_errors set occurrences = occurrences - 1`,
        sql`update internal_errors set occurrences = occurrences`,
        sql`update internal_errors set occurrences = occurrences + 1, last_at = 'epoch'`,
        sql`update internal_errors set cause = cause || '!', occurrences = occurrences + 1`,
        sql`update internal_errors set occurrences = occurrences + 1, audit_event_id = 'x'`,
        sql`delete from audit_events where type = 'internal_error'`,
        sql`update audit_events set subject = '{}' where type = 'internal_error'`,
        sql`insert into audit_events (id, occurred_at, type, subject) values ('x', now(), 'thread_deleted', '{}')`
      ]) {
        assert.strictEqual((yield* Effect.flip(change)).reason._tag, "ConstraintError")
      }
      yield* sql`update internal_errors set occurrences = occurrences + 1`
    })
  )

  it.effect("is counted with others when an hour has too many kinds", () =>
    Effect.gen(function* () {
      yield* TestClock.adjust("10 hours")
      const words = Array.from({ length: causesMax + 20 }, (_, n) =>
        String.fromCharCode(97 + (n % 26), 97 + Math.floor(n / 26))
      )
      for (const word of words) yield* report("wild", "It failed", word)
      // One that is known is counted where it is.
      yield* report("wild", "It failed", "aa")
      const sql = yield* SqlClient.SqlClient
      const rows = yield* sql<{ readonly where: string; readonly times: number }>`
        select subject->>'where' as where, occurrences::int as times from audit_events
        join internal_errors on audit_event_id = id where hour = '1970-01-01 11:00Z' order by id`
      assert.strictEqual(rows.length, causesMax + 1)
      assert.deepStrictEqual(rows[0], { where: "wild", times: 2 })
      assert.deepStrictEqual(rows.at(-1), { where: "several", times: 20 })
    })
  )
})
