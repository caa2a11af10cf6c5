/** Every request reads its caller, so what that costs depends on nothing that grows. */
import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { heldMax, rolesMax } from "../../src/domain/role/Role.ts"
import { type BearerKind, callerTexts, SqlAskedWithCaller } from "../../src/persistence/session/CallerSql.ts"
import { summaryWithCaller } from "../../src/persistence/thread/ThreadSummarySql.ts"
import * as Database from "../support/database.ts"

const accounts = 3_000

/** Accounts with three roles, a session, a key and an access token each; the first holds as many roles as it may. */
const fill = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`insert into accounts (id, created_at, updated_at, handle, handle_key, name)
    select 'a' || n, 'epoch', 'epoch', 'a' || n, 'a' || n, 'a' from generate_series(1, ${accounts}) n`
  yield* sql`insert into roles (id, created_at, updated_at, name, colour, permissions, meta, rank)
    select 'r' || n, 'epoch', 'epoch', 'r' || n, '', '{CREATE_POST,MANAGE_POSTS}',
      jsonb_build_object('x', repeat(md5(n::text), 20)), n from generate_series(1, ${rolesMax}) n`
  yield* sql`insert into account_roles (account_id, role_id)
    select 'a' || n, 'r' || (1 + (n + k * 7) % ${rolesMax}) from generate_series(1, ${accounts}) n,
      generate_series(1, case when n = 1 then ${heldMax} else 3 end) k`
  yield* sql`insert into sessions (token_hash, account_id, created_at, expires_at)
    select sha256(('s' || n)::bytea), 'a' || n, 'epoch', 'infinity' from generate_series(1, ${accounts}) n`
  yield* sql`insert into access_keys (id, account_id, place, token_hash, name, created_at, updated_at)
    select 'k' || n, 'a' || n, 1, sha256(('k' || n)::bytea), 'k', 'epoch', 'epoch'
    from generate_series(1, ${accounts}) n`
  yield* sql`insert into oauth_grants (id, client_id, account_id, kind, created_at)
    select 'g' || n, (select min(id) from oauth_clients), 'a' || n, 'consent', 'epoch' from generate_series(1, ${accounts}) n`
  yield* sql`insert into oauth_tokens (id, grant_id, access_id, access_expires_at, scope, created_at)
    select 't' || n, 'g' || n, lpad(n::text, 16, '0'), 'infinity', '', 'epoch' from generate_series(1, ${accounts}) n`
  yield* sql`analyze`
})

interface Plan {
  readonly "Node Type": string
  readonly "Relation Name"?: string
  readonly "Shared Hit Blocks": number
  readonly "Shared Read Blocks": number
  readonly Plans?: ReadonlyArray<Plan>
}

const nodesOf = (plan: Plan): ReadonlyArray<Plan> => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)]

/** How the statement is run with these credentials, as it is prepared for any. */
const planFor = Effect.fnUntraced(function* (kind: BearerKind, session: string, bearer: string) {
  const sql = yield* SqlClient.SqlClient
  const type = kind === "key" ? "bytea" : "text"
  yield* sql.unsafe(`prepare caller (bytea, ${type}, timestamptz, boolean) as ${callerTexts[kind]}`)
  const [row] = yield* sql.unsafe<{ readonly "QUERY PLAN": ReadonlyArray<{ readonly Plan: Plan }> }>(
    `explain (analyze, buffers, format json) execute caller (${session}, ${bearer}, '2026-01-01Z', true)`
  )
  yield* sql.unsafe("deallocate caller")
  return row?.["QUERY PLAN"][0]?.Plan ?? assert.fail("There is no plan")
})

/** How often PostgreSQL plans each of some statements, prepared once and run ten times with these values. */
const plansOf = (
  statements: Readonly<Record<string, readonly [text: string, types: string, values: string]>>
) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const prepared = Effect.forEach(Object.entries(statements), ([name, [text, types, values]]) =>
      Effect.gen(function* () {
        yield* sql.unsafe(`prepare "${name}" (${types}) as ${text}`)
        for (let n = 0; n < 10; n++) yield* sql.unsafe(`execute "${name}" (${values})`)
      })
    )
    // In one transaction, as what is prepared belongs to its connection.
    return yield* sql.withTransaction(
      Effect.andThen(
        prepared,
        sql<{ readonly name: string; readonly planned: number }>`select name, custom_plans::int as planned
          from pg_prepared_statements where name in ${sql.in(Object.keys(statements))}`
      )
    )
  })

layer(Database.fresh)("reading the caller of a new forum", (it) => {
  it.effect("is planned for all credentials at once, and not with each request", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { texts } = Schema.decodeUnknownSync(Schema.instanceOf(SqlAskedWithCaller))(
        summaryWithCaller("t")
      )
      const session = "sha256('s1'), null, '2026-01-01Z'"
      const rows = yield* plansOf({
        "a session": [callerTexts.key, "bytea, bytea, timestamptz, boolean", `${session}, false`],
        "a session where mail is sent": [
          callerTexts.key,
          "bytea, bytea, timestamptz, boolean",
          `${session}, true`
        ],
        nothing: [callerTexts.key, "bytea, bytea, timestamptz, boolean", "null, null, '2026-01-01Z', false"],
        "a token": [
          callerTexts.token,
          "bytea, text, timestamptz, boolean",
          "null, 't', '2026-01-01Z', false"
        ],
        "a thread": [texts.key, "bytea, bytea, timestamptz, boolean, text", `${session}, false, 't1'`]
      })
      assert.strictEqual(rows.length, 5)
      // The first five times it tries plans for the values alone.
      for (const { name, planned } of rows) assert.strictEqual(planned, 5, name)
      yield* sql`deallocate all`
    })
  )
})

layer(Database.fresh)("reading the caller", (it) => {
  it.effect("touches a few blocks, however many accounts, sessions, keys and roles there are", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* fill
      const of = (kind: string, n: number) => `sha256('${kind}${n}')`
      const token = (n: number) => `'${String(n).padStart(16, "0")}'`
      const checks = Effect.forEach(
        [
          ["a session", "key", of("s", 77), "null", 40],
          ["a key", "key", "null", of("k", 77), 40],
          ["both", "key", of("s", 77), of("k", 78), 40],
          ["an unknown session", "key", of("x", 1), "null", 20],
          ["nothing", "key", "null", "null", 20],
          ["an account with all roles that it may have", "key", of("s", 1), "null", 40 + 4 * heldMax],
          ["a token", "token", "null", token(77), 45],
          ["a session and a token", "token", of("s", 77), token(78), 40],
          ["an unknown session and a token", "token", of("x", 1), token(77), 45],
          ["an unknown token", "token", "null", token(0), 20]
        ] as const,
        ([who, kind, session, bearer, most]) =>
          Effect.map(planFor(kind, session, bearer), (plan) => {
            assert.isAtMost(plan["Shared Hit Blocks"] + plan["Shared Read Blocks"], most, who)
            const scanned = nodesOf(plan).flatMap((node) =>
              // One row, which is how accounts sign in.
              node["Node Type"] === "Seq Scan" && node["Relation Name"] !== "sign_in_mode"
                ? (node["Relation Name"] ?? [])
                : []
            )
            assert.deepStrictEqual(scanned, [], who)
          })
      )
      // Both kinds of plans that PostgreSQL may use for a prepared statement.
      for (const mode of ["force_generic_plan", "force_custom_plan"]) {
        yield* sql.withTransaction(Effect.andThen(sql.unsafe(`set local plan_cache_mode = ${mode}`), checks))
      }
    })
  )
})
