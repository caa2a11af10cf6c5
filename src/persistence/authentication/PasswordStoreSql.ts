import { Effect, Layer, Option, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { type Candidate, PasswordStore } from "../../domain/authentication/PasswordStore.ts"
import { AccountId } from "../../domain/shared/Id.ts"
import { QuickReads } from "../shared/Connections.ts"
import { decoded, run, some } from "../shared/Query.ts"
import { toDate, toDateTime } from "../shared/Rows.ts"

const CandidateRow = Schema.Struct({
  id: AccountId,
  suspended: Schema.Boolean,
  hash: Schema.NullOr(Schema.String)
})
const candidates = decoded(CandidateRow)
const attempts = decoded(Schema.Struct({ failures: Schema.Int, since: Schema.Date }))

const candidateOf = (row: typeof CandidateRow.Type): Candidate => ({
  accountId: row.id,
  suspended: row.suspended,
  passwordHash: row.hash ?? undefined
})

export const layer = Layer.effect(
  PasswordStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const reads = yield* QuickReads

    const findWhere = (condition: Statement.Fragment) =>
      Effect.map(
        candidates.first(reads`select a.id, a.suspended_at is not null as suspended, p.hash
          from accounts a left join passwords p on p.account_id = a.id where ${condition}`),
        (row) => Option.map(Option.fromUndefinedOr(row), candidateOf)
      )

    return PasswordStore.of({
      findByHandle: (handle) => findWhere(sql`a.handle = ${handle}`),
      find: (accountId) => findWhere(sql`a.id = ${accountId}`),

      insert: (accountId, hash, at) =>
        some(sql`insert into passwords (account_id, created_at, updated_at, hash)
          values (${accountId}, ${toDate(at)}, ${toDate(at)}, ${hash})
          on conflict do nothing returning account_id`),

      replace: (accountId, old, hash, at) =>
        some(sql`update passwords set hash = ${hash}, updated_at = ${toDate(at)}
          where account_id = ${accountId} and hash = ${old} returning account_id`),

      countAttempt: (accountId, at, windowStart) =>
        Effect.map(
          attempts.first(sql`insert into sign_in_failures as f (account_id, failures, since)
            values (${accountId}, 1, ${toDate(at)})
            on conflict (account_id) do update set
              failures = case when f.since <= ${toDate(windowStart)} then 1 else f.failures + 1 end,
              since = case when f.since <= ${toDate(windowStart)} then excluded.since else f.since end
            returning failures, since`),
          (row) =>
            row === undefined
              ? { count: 1, since: at }
              : { count: row.failures, since: toDateTime(row.since) }
        ),

      clearAttempts: (accountId) => run(sql`delete from sign_in_failures where account_id = ${accountId}`)
    })
  })
)
