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
const keptOnPurpose = ["password_attempts", "email_codes", "phone_codes", "event_consumers"]

const tables = SqlClient.SqlClient.use((sql) =>
  Effect.map(
    sql<{ readonly name: string }>`select tablename as name from pg_tables where schemaname = 'public'`,
    (rows) => rows.map(({ name }) => name)
  )
)

interface Digest {
  readonly name: string
  readonly digest: string | null
}

/**
 * Makes the database refuse the writing statement of this number, and note which tables are written. Both are counted
 * in sequences, which a rollback does not reset.
 */
const installFaults = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const names = yield* tables
  yield* sql`create sequence writes`
  yield* sql`create schema written`
  yield* sql`create table fault (at bigint)`
  yield* sql`insert into fault values (0)`
  yield* sql`create function refuse() returns trigger language plpgsql as $$
    begin
      perform nextval(format('written.%I', tg_table_name));
      if nextval('writes') = (select at from fault) then raise exception 'refused on purpose'; end if;
      return null;
    end $$`
  for (const name of names) {
    yield* sql`create sequence written.${sql(name)}`
    yield* sql`create trigger refuse before insert or update or delete or truncate on ${sql(name)}
      for each statement execute function refuse()`
  }
  // Filtered here, as the server might ask for the values of relations that are no sequences.
  const written = Effect.map(
    sql<{ readonly name: string; readonly last: unknown }>`select sequencename as name, last_value as last
      from pg_sequences where schemaname = 'written' order by 1`,
    (rows) => rows.filter(({ last }) => last !== null).map(({ name }) => name)
  )
  return {
    /** Refuses the writing statement of this number from now on, none with 0. */
    refuseAt: (at: number) => sql`with counter as (select setval('writes', 1, false))
      update fault set at = ${at} from counter`,
    /** How many writing statements there were since. */
    count: Effect.map(
      sql<{ readonly count: number }>`select (last_value - 1 + is_called::int)::int as count from writes`,
      ([row]) => row?.count ?? 0
    ),
    /** Forgets which tables were written. */
    forget: sql`select setval(oid, 1, false) from pg_class where relnamespace = 'written'::regnamespace`,
    /** The tables that statements have been written to since, whatever became of them. No others can have changed. */
    written,
    /** A digest of every one of these tables, or of all. */
    contents: (of: ReadonlyArray<string> = names) => {
      const digests = of
        .filter((name) => !keptOnPurpose.includes(name))
        .map(
          (name) =>
            `select '${name}' as name, md5(string_agg(t::text, ',' order by t::text)) as digest from "${name}" t`
        )
      const all =
        digests.length === 0 ? Effect.succeed([]) : sql<Digest>`${sql.literal(digests.join(" union all "))}`
      return Effect.map(all, (rows) => new Map(rows.map(({ digest, name }) => [name, digest])))
    }
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
        const { contents, count, forget, refuseAt, written } = yield* installFaults
        for (const scenario of prepared.filter(isWrite)) {
          checked.add(scenario.operation)
          const before = yield* contents()
          yield* forget
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
            const tried = yield* written
            assert.isNotEmpty(tried, nameOf(scenario))
            for (const [table, digest] of yield* contents(tried)) {
              assert.strictEqual(digest, before.get(table), `${nameOf(scenario)}, statement ${at}: ${table}`)
            }
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
