/** Writes are atomic: whichever of its statements fails, a write leaves nothing behind. */
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { InternalError } from "../../src/http/contract/RequestProblems.ts"
import { unsafeOperations } from "../support/operations.ts"
import * as People from "../support/people.ts"
import { assertProblem } from "../support/problems.ts"
import { areas, isSuccess, nameOf, type Scenario, unavailable } from "../support/scenarios.ts"

/** A failed attempt is counted even if its request fails; consumers write outside of requests. */
const keptOnPurpose = ["password_attempts", "email_codes", "event_consumers"]

const tables = SqlClient.SqlClient.use((sql) =>
  Effect.map(
    sql<{ readonly name: string }>`select tablename as name from pg_tables where schemaname = 'public'`,
    (rows) => rows.map(({ name }) => name)
  )
)

/**
 * Makes the database refuse the writing statement of this number, counted in a
 * sequence, which a rollback does not reset.
 */
const installFaults = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const names = yield* tables
  yield* sql`create sequence writes`
  yield* sql`create table fault (at bigint)`
  yield* sql`insert into fault values (0)`
  yield* sql`create function refuse() returns trigger language plpgsql as $$
    begin
      if nextval('writes') = (select at from fault) then raise exception 'refused on purpose'; end if;
      return null;
    end $$`
  for (const name of names) {
    yield* sql`create trigger refuse before insert or update or delete on ${sql(name)}
      for each statement execute function refuse()`
  }
  const digests = names
    .filter((name) => !keptOnPurpose.includes(name))
    .map(
      (name) => `select '${name}' as name, md5(string_agg(t::text, ',' order by t::text)) from "${name}" t`
    )
    .join(" union all ")
  return {
    /** Refuses the writing statement of this number from now on, none with 0. */
    refuseAt: (at: number) => sql`with counter as (select setval('writes', 1, false))
      update fault set at = ${at} from counter`,
    /** How many writing statements there were since. */
    count: Effect.map(
      sql<{ readonly count: number }>`select (last_value - 1 + is_called::int)::int as count from writes`,
      ([row]) => row?.count ?? 0
    ),
    /** A digest of every table. */
    contents: sql`${sql.literal(digests)} order by name`
  }
})

const unsafe = new Set(unsafeOperations.map(({ id }) => id).filter((id) => !unavailable.includes(id)))

const checked = new Set<string>()

const isWrite = (scenario: Scenario) => unsafe.has(scenario.operation) && isSuccess(scenario)

for (const { area, scenarios } of areas) {
  layer(People.layer)(`a write of ${area}`, (it) => {
    it.effect("leaves nothing behind, whichever of its statements fails", () =>
      Effect.gen(function* () {
        const prepared = yield* scenarios
        const { contents, count, refuseAt } = yield* installFaults
        for (const scenario of prepared.filter(isWrite)) {
          checked.add(scenario.operation)
          const before = yield* contents
          for (let at = 1; ; at++) {
            yield* refuseAt(at)
            const answer = yield* scenario.call
            if (answer.status === scenario.expects) {
              const isComplete = (yield* count) < at
              const { goesOn = false } = scenario
              assert.isTrue(isComplete || goesOn, `${nameOf(scenario)} succeeds although a statement fails`)
              break
            }
            assertProblem(answer, InternalError)
            assert.deepStrictEqual(yield* contents, before, `${nameOf(scenario)}, statement ${at}`)
          }
        }
      })
    )
  })
}

describe("the scenarios", () => {
  it("have a write of every operation that may change something", () => {
    assert.sameMembers([...checked], [...unsafe])
  })
})
