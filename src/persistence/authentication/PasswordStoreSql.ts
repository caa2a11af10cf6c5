import { Effect, Layer, Option } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { PasswordStore } from "../../domain/authentication/PasswordStore.ts"
import { byHandle } from "../account/HandleSql.ts"
import { QuickReads } from "../shared/Connections.ts"
import { some } from "../shared/Query.ts"
import { toDate } from "../shared/Rows.ts"
import { makeAttempts } from "./AttemptsSql.ts"
import { candidateOf, candidates } from "./CandidateRows.ts"

export const layer = Layer.effect(
  PasswordStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const reads = yield* QuickReads
    const attempts = yield* makeAttempts

    const findWhere = (condition: Statement.Fragment) =>
      Effect.map(
        candidates.first(reads`select a.id, a.suspended_at is not null as suspended, p.hash
          from accounts a left join passwords p on p.account_id = a.id where ${condition}`),
        (row) => Option.map(Option.fromUndefinedOr(row), candidateOf)
      )

    return PasswordStore.of({
      findByHandle: (handle) => findWhere(byHandle(sql, handle)),
      find: (accountId) => findWhere(sql`a.id = ${accountId}`),

      insert: (accountId, hash, at) =>
        some(sql`insert into passwords (account_id, created_at, updated_at, hash)
          values (${accountId}, ${toDate(at)}, ${toDate(at)}, ${hash})
          on conflict do nothing returning account_id`),

      replace: (accountId, old, hash, at) =>
        some(sql`update passwords set hash = ${hash}, updated_at = ${toDate(at)}
          where account_id = ${accountId} and hash = ${old} returning account_id`),

      ...attempts
    })
  })
)
