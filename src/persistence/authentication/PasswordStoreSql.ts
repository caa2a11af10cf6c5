import { Array, Effect, Layer, Option } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { type Candidate, PasswordStore } from "../../domain/authentication/PasswordStore.ts"
import type { AccountId } from "../../domain/shared/Id.ts"
import { timestamp, utc } from "../shared/Rows.ts"
import { orDefect } from "../shared/SqlErrors.ts"

interface CandidateRow {
  readonly id: AccountId
  readonly suspended: boolean
  readonly hash: string | null
}

interface AttemptsRow {
  readonly failures: number
  readonly since: Date
}

const candidateOf = (row: CandidateRow): Candidate => ({
  accountId: row.id,
  suspended: row.suspended,
  passwordHash: row.hash ?? undefined
})

export const layer = Layer.effect(
  PasswordStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const findWhere = (condition: Statement.Fragment) =>
      sql<CandidateRow>`select a.id, a.suspended_at is not null as suspended, p.hash
        from accounts a left join passwords p on p.account_id = a.id where ${condition}`.pipe(
        Effect.map((rows) => Option.map(Array.head(rows), candidateOf)),
        orDefect
      )

    return PasswordStore.of({
      findByHandle: (handle) => findWhere(sql`a.handle = ${handle}`),
      find: (accountId) => findWhere(sql`a.id = ${accountId}`),

      insert: (accountId, hash, at) =>
        sql`insert into passwords ${sql.insert({
          account_id: accountId,
          created_at: timestamp(at),
          updated_at: timestamp(at),
          hash
        })} on conflict do nothing returning account_id`.pipe(
          Effect.map((rows) => rows.length > 0),
          orDefect
        ),

      replace: (accountId, old, hash, at) =>
        sql`update passwords set hash = ${hash}, updated_at = ${timestamp(at)}
          where account_id = ${accountId} and hash = ${old} returning account_id`.pipe(
          Effect.map((rows) => rows.length > 0),
          orDefect
        ),

      countAttempt: (accountId, at, windowStart) =>
        sql<AttemptsRow>`insert into sign_in_failures as f (account_id, failures, since)
          values (${accountId}, 1, ${timestamp(at)})
          on conflict (account_id) do update set
            failures = case when f.since <= ${timestamp(windowStart)} then 1 else f.failures + 1 end,
            since = case when f.since <= ${timestamp(windowStart)} then excluded.since else f.since end
          returning failures, since`.pipe(
          Effect.map(([row]) =>
            row === undefined ? { count: 1, since: at } : { count: row.failures, since: utc(row.since) }
          ),
          orDefect
        ),

      clearAttempts: (accountId) =>
        sql`delete from sign_in_failures where account_id = ${accountId}`.pipe(Effect.asVoid, orDefect)
    })
  })
)
