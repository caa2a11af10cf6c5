/** Whatever fails between a write and its answer, the request is done once or not at all. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { IdempotencyKeyInProgress } from "../../src/domain/idempotency/IdempotencyKey.ts"
import { type Claim, IdempotencyStore } from "../../src/domain/idempotency/IdempotencyStore.ts"
import { StorageUnavailable } from "../../src/domain/storage/StorageProblem.ts"
import { InternalError } from "../../src/http/contract/RequestProblems.ts"
import { orDefect } from "../../src/persistence/shared/SqlErrors.ts"
import { type Answer, ok } from "../support/answers.ts"
import { isReplayed, storedKeys, withKey } from "../support/idempotency.ts"
import * as People from "../support/people.ts"
import { Cast } from "../support/people.ts"
import { assertProblem } from "../support/problems.ts"
import * as TestApp from "../support/TestApp.ts"

/**
 * What happens right after a key was claimed and right before an answer is kept, in the transaction of the request, and to
 * which claim it is kept.
 */
const fault: { claimed: Effect.Effect<void>; before: Effect.Effect<void>; claim: (claim: Claim) => Claim } = {
  claimed: Effect.void,
  before: Effect.void,
  claim: (claim) => claim
}

const faulty = TestApp.storesBut(IdempotencyStore, (usual) =>
  IdempotencyStore.of({
    ...usual,
    claim: (...asked) => Effect.tap(usual.claim(...asked), () => fault.claimed),
    keep: (claim, ...rest) =>
      Effect.andThen(
        Effect.suspend(() => fault.before),
        Effect.suspend(() => usual.keep(fault.claim(claim), ...rest))
      )
  })
)

const failing = (statement: Effect.Effect<unknown, SqlError.SqlError>) => Effect.asVoid(orDefect(statement))

layer(People.withCast(TestApp.layerWhere({}, faulty)))("a request with a key", (it) => {
  /** Sends a request of which a fault happens once, and again until it is done. */
  const survives = Effect.fnUntraced(function* (
    key: string,
    before: (sql: SqlClient.SqlClient) => Effect.Effect<void>,
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
      fault.before = before(sql)
      const answer = yield* request
      fault.before = Effect.void
      fault.claim = (claim) => claim
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
      () => Effect.die(new Error("The disk is full")),
      (answer) => assertProblem(answer, InternalError)
    )
  )

  it.effect("is undone if its connection is lost before it is committed", () =>
    survives(
      "lost",
      (sql) => failing(sql`select pg_terminate_backend(pg_backend_pid())`),
      (answer) => assertProblem(answer, StorageUnavailable)
    )
  )

  it.effect("is undone if PostgreSQL ends a deadlock by it", () =>
    survives(
      "deadlock",
      (sql) => failing(sql`do $$ begin raise exception 'deadlock' using errcode = '40P01'; end $$`),
      (answer) => assertProblem(answer, StorageUnavailable)
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
        () =>
          Effect.sync(() => {
            fault.claim = (claim) => ({ ...claim, token: new Uint8Array(16) })
          }),
        (answer) => assertProblem(answer, IdempotencyKeyInProgress)
      )
    })
  )
})
