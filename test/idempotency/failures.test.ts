/** Whatever fails between a write and its answer, the request is done once or not at all. */
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { TestClock } from "effect/testing"
import { IdempotencyKeyInProgress } from "../../src/domain/idempotency/IdempotencyKey.ts"
import { type Claim, IdempotencyStore } from "../../src/domain/idempotency/IdempotencyStore.ts"
import { dieWithProblem } from "../../src/domain/shared/Problem.ts"
import { StorageUnavailable } from "../../src/domain/storage/StorageProblem.ts"
import { ThreadNotFound } from "../../src/domain/thread/Thread.ts"
import { ThreadStore } from "../../src/domain/thread/ThreadStore.ts"
import { DeadlineExceeded, InternalError, InvalidRequest } from "../../src/http/contract/RequestProblems.ts"
import { orDefect } from "../../src/persistence/shared/SqlErrors.ts"
import { type Answer, ok } from "../support/answers.ts"
import { isReplayed, storedKeys, withKey } from "../support/idempotency.ts"
import * as People from "../support/people.ts"
import { Cast } from "../support/people.ts"
import { assertProblem } from "../support/problems.ts"
import * as TestApp from "../support/TestApp.ts"

/**
 * What happens right after a key was claimed, before a thread that was just written is read, and right before and after an
 * answer is kept, in the transaction of the request; and to which claim it is kept.
 */
interface Fault {
  claimed: Effect.Effect<void>
  reading: Effect.Effect<void>
  before: Effect.Effect<void>
  after: Effect.Effect<void>
  claim: (claim: Claim) => Claim
}

const none: Readonly<Fault> = {
  claimed: Effect.void,
  reading: Effect.void,
  before: Effect.void,
  after: Effect.void,
  claim: (claim) => claim
}

const fault: Fault = { ...none }

const faultyKeys = TestApp.storesBut(IdempotencyStore, (usual) =>
  IdempotencyStore.of({
    ...usual,
    claim: (...asked) => Effect.tap(usual.claim(...asked), () => fault.claimed),
    keep: (claim, ...rest) =>
      Effect.suspend(() => fault.before).pipe(
        Effect.andThen(Effect.suspend(() => usual.keep(fault.claim(claim), ...rest))),
        Effect.tap(() => Effect.suspend(() => fault.after))
      )
  })
)

const faulty = Layer.effect(
  ThreadStore,
  Effect.map(ThreadStore, (usual) =>
    ThreadStore.of({
      ...usual,
      findPage: (...asked) =>
        Effect.andThen(
          Effect.suspend(() => fault.reading),
          usual.findPage(...asked)
        )
    })
  )
).pipe(Layer.provideMerge(faultyKeys))

const failing = (statement: Effect.Effect<unknown, SqlError.SqlError>) => Effect.asVoid(orDefect(statement))

layer(People.withCast(TestApp.layerWhere({}, faulty)))("a request with a key", (it) => {
  /** Sends a request of which a fault happens once, and again until it is done. */
  const survives = Effect.fnUntraced(function* (
    key: string,
    happens: (sql: SqlClient.SqlClient) => Partial<Fault>,
    check: (answer: Answer) => void
  ) {
    const { freya, odin } = yield* Cast
    const sql = yield* SqlClient.SqlClient
    const titled = sql<{ readonly count: number }>`select
      ((select count(*) from posts where title = ${key}) + (select count(*) from categories where name = ${key}))::int as count`
    const send = [
      // Written by one statement, and by a transaction of several.
      withKey(`${key}-thread`)(freya.post("/threads", { title: key, visibility: "published" })),
      withKey(`${key}-category`)(odin.post("/categories", { name: key, description: "", colour: "" }))
    ]
    for (const request of send) {
      const [was] = yield* titled
      Object.assign(fault, happens(sql))
      const answer = yield* request
      Object.assign(fault, none)
      check(answer)
      assert.deepStrictEqual(yield* titled, [{ count: was?.count ?? 0 }])
      assert.deepStrictEqual(
        (yield* storedKeys).filter(({ status }) => status === null),
        []
      )
      const done = yield* request
      assert.isFalse(isReplayed(done))
      ok(done)
      assert.strictEqual((yield* request).text, done.text)
      assert.deepStrictEqual(yield* titled, [{ count: (was?.count ?? 0) + 1 }])
    }
  })

  it.effect("is undone if its answer cannot be kept", () =>
    survives(
      "broken",
      () => ({ before: Effect.die(new Error("The disk is full")) }),
      (answer) => assertProblem(answer, InternalError)
    )
  )

  it.effect("is undone if its connection is lost before it is committed", () =>
    survives(
      "lost",
      (sql) => ({ before: failing(sql`select pg_terminate_backend(pg_backend_pid())`) }),
      (answer) => assertProblem(answer, StorageUnavailable)
    )
  )

  it.effect("is undone if PostgreSQL ends a deadlock by it", () =>
    survives(
      "deadlock",
      (sql) => ({
        before: failing(sql`do $$ begin raise exception 'deadlock' using errcode = '40P01'; end $$`)
      }),
      (answer) => assertProblem(answer, StorageUnavailable)
    )
  )

  it.effect("is undone if PostgreSQL answers its commit with a rollback, and is not said to be done", () =>
    survives(
      "aborted",
      // Nobody sees the failure, with which PostgreSQL has ended the transaction.
      (sql) => ({ after: Effect.ignore(sql`select 1 / 0`) }),
      (answer) => assertProblem(answer, InternalError)
    )
  )

  it.effect("is not done if it is not known whether it has its key, which it does not keep", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const request = withKey("unknown")(freya.post("/threads", { title: "unknown" }))
      fault.claimed = Effect.die(new Error("The connection is lost"))
      assertProblem(yield* request, InternalError)
      fault.claimed = Effect.void
      assert.isUndefined((yield* storedKeys).find(({ key }) => key === "unknown"))
      const done = yield* request
      assert.isFalse(isReplayed(done))
      ok(done)
    })
  )

  it.effect("is undone if another has taken its key meanwhile", () =>
    Effect.gen(function* () {
      yield* survives(
        "taken",
        () => ({ claim: (claim) => ({ ...claim, token: new Uint8Array(16) }) }),
        (answer) => assertProblem(answer, IdempotencyKeyInProgress)
      )
    })
  )

  it.effect("leaves its key to whoever has taken it meanwhile", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const request = withKey("theirs")(freya.post("/threads", { title: "theirs" }))
      const taking = sql`update idempotency_keys set claim = ${Buffer.alloc(16, 7)} where key = 'theirs'`
      // By another instance, on a connection of its own.
      fault.before = Effect.promise(() => Effect.runPromise(Effect.asVoid(taking)))
      assertProblem(yield* request, IdempotencyKeyInProgress)
      Object.assign(fault, none)
      assert.isNull((yield* storedKeys).find(({ key }) => key === "theirs")?.status)
      assertProblem(yield* request, IdempotencyKeyInProgress)
    })
  )
})

layer(People.withCast(TestApp.layerWhere({}, faulty)))("what a request with a key has written", (it) => {
  const titled = Effect.fnUntraced(function* (title: string) {
    const sql = yield* SqlClient.SqlClient
    const [row] = yield* sql<{ readonly count: number }>`
      select count(*)::int as count from posts where title = ${title}`
    return row?.count
  })

  const asked = Effect.fnUntraced(function* (title: string) {
    const { freya } = yield* Cast
    return yield* withKey(title)(freya.post("/threads", { title, visibility: "published" }))
  })

  for (const [title, reading, problem] of [
    ["breaks", Effect.die(new Error("It is broken")), InternalError],
    [
      "unavailable",
      dieWithProblem(new StorageUnavailable({ metadata: { retry_after: 1 } })),
      StorageUnavailable
    ]
  ] as const)
    it.effect(`is undone if the service fails later: ${title}`, () =>
      Effect.gen(function* () {
        fault.reading = reading
        assertProblem(yield* asked(title), problem)
        Object.assign(fault, none)
        assert.strictEqual(yield* titled(title), 0)
        const done = yield* asked(title)
        assert.isFalse(isReplayed(done))
        assert.strictEqual((yield* asked(title)).text, done.text)
        assert.strictEqual(yield* titled(title), 1)
      })
    )

  it.effect("stays if it is refused by a rule later, as it may be a count of tries", () =>
    Effect.gen(function* () {
      fault.reading = dieWithProblem(new ThreadNotFound({ metadata: { thread_mark: "gone" } }))
      assertProblem(yield* asked("refused"), ThreadNotFound)
      fault.reading = dieWithProblem(new InvalidRequest({ metadata: { issues: [] } }))
      assertProblem(yield* asked("malformed"), InvalidRequest)
      Object.assign(fault, none)
      assert.deepStrictEqual([yield* titled("refused"), yield* titled("malformed")], [1, 1])
      assert.isTrue(isReplayed(yield* asked("refused")))
      assert.isFalse(isReplayed(yield* asked("malformed")))
    })
  )

  it.effect("is undone if it takes longer than it may, and its key is free at once", () =>
    Effect.gen(function* () {
      let isReading = false
      fault.reading = Effect.suspend(() => {
        isReading = true
        return Effect.never
      })
      const asking = yield* Effect.forkChild(asked("late"))
      yield* Effect.repeat(TestClock.withLive(Effect.sleep("5 millis")), {
        until: () => isReading,
        times: 2000
      })
      yield* TestClock.adjust("30 seconds")
      assertProblem(yield* Fiber.join(asking), DeadlineExceeded)
      Object.assign(fault, none)
      assert.strictEqual(yield* titled("late"), 0)
      const done = yield* asked("late")
      assert.isFalse(isReplayed(done))
      ok(done)
      assert.strictEqual(yield* titled("late"), 1)
    })
  )
})
