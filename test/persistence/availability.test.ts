/** Which failures of the database are answered as a passing one. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { StorageUnavailable, TooManyWriters } from "../../src/domain/storage/StorageProblem.ts"
import { InternalError } from "../../src/http/contract/RequestProblems.ts"
import * as Database from "../support/database.ts"
import * as People from "../support/people.ts"
import { Cast } from "../support/people.ts"
import { assertProblem } from "../support/problems.ts"

layer(People.layer)("a statement that the database refuses", (it) => {
  /** Opens a thread while its statement fails with this SQLSTATE. */
  const failingWith = (state: string) =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      yield* sql`create or replace function refuse() returns trigger language plpgsql as ${sql.literal(
        `$$ begin raise exception 'refused on purpose' using errcode = '${state}'; end $$`
      )}`
      yield* sql`create trigger refuse before insert on threads execute function refuse()`
      const answer = yield* freya.post("/threads", { title: "Refused" })
      yield* sql`drop trigger refuse on threads`
      return answer
    })

  it.effect.each([
    ["57014", "query_canceled"],
    ["57P01", "admin_shutdown"],
    ["57P02", "crash_shutdown"],
    ["57P03", "cannot_connect_now"],
    ["57P05", "idle_session_timeout"],
    ["53000", "insufficient_resources"],
    ["53100", "disk_full"],
    ["53200", "out_of_memory"],
    ["53300", "too_many_connections"],
    ["40001", "serialization_failure"],
    ["40P01", "deadlock_detected"],
    ["08006", "connection_failure"]
  ] as const)("with %s (%s) is answered with 503 and Retry-After", ([state]) =>
    Effect.gen(function* () {
      const answer = yield* failingWith(state)
      assertProblem(answer, StorageUnavailable, { retry_after: 1 })
      assert.strictEqual(answer.headers["retry-after"], "1")
    })
  )

  it.effect("with 55P03 (lock_not_available) is answered as what others change", () =>
    Effect.gen(function* () {
      const answer = yield* failingWith("55P03")
      assertProblem(answer, TooManyWriters, { retry_after: 1 })
      assert.strictEqual(answer.headers["retry-after"], "1")
    })
  )

  it.effect.each([
    ["22012", "division_by_zero"],
    ["42P01", "undefined_table"],
    ["P0001", "raise_exception"]
  ] as const)("with %s (%s) is answered with 500", ([state]) =>
    Effect.gen(function* () {
      assertProblem(yield* failingWith(state), InternalError)
    })
  )
})

layer(Database.fresh)("a connection", (it) => {
  it.effect("has the limits of the service", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const rows = yield* sql`select name, current_setting(name) as value from unnest(array[
        'statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout', 'TimeZone']) name`
      assert.deepStrictEqual(rows, [
        { name: "statement_timeout", value: "10s" },
        { name: "lock_timeout", value: "5s" },
        { name: "idle_in_transaction_session_timeout", value: "1min" },
        { name: "TimeZone", value: "UTC" }
      ])
    })
  )
})
