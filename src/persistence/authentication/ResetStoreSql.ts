import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { ResetStore } from "../../domain/authentication/ResetStore.ts"
import { QuickReads } from "../shared/Connections.ts"
import { run, some } from "../shared/Query.ts"
import { toDate } from "../shared/Rows.ts"
import { candidateOf, candidates } from "./CandidateRows.ts"

export const layer = Layer.effect(
  ResetStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const reads = yield* QuickReads

    return ResetStore.of({
      put: ({ accountId, askedBy, createdAt, emailAddressId, expiresAt, tokenHash }) =>
        run(sql`insert into password_resets (token_hash, account_id, email_id, asked_by, created_at, expires_at)
          values (${tokenHash}, ${accountId}, ${emailAddressId ?? null}, ${askedBy ?? null}, ${toDate(createdAt)},
            ${toDate(expiresAt)})
          on conflict (account_id, email_id, asked_by) do update set token_hash = excluded.token_hash,
            created_at = excluded.created_at, expires_at = excluded.expires_at`),

      findAccount: (tokenHash, at) =>
        Effect.map(
          candidates.first(reads`select a.id, a.suspended_at is not null as suspended, p.hash
            from password_resets r join accounts a on a.id = r.account_id
              left join passwords p on p.account_id = r.account_id
            where r.token_hash = ${tokenHash} and r.expires_at > ${toDate(at)}`),
          (row) => Option.map(Option.fromUndefinedOr(row), candidateOf)
        ),

      replacePassword: (tokenHash, old, hash, at) =>
        some(sql`update passwords p set hash = ${hash}, updated_at = ${toDate(at)} from password_resets r
          where r.token_hash = ${tokenHash} and p.account_id = r.account_id and p.hash = ${old}
          returning p.account_id`),

      deleteExpired: (at) => run(sql`delete from password_resets where expires_at <= ${toDate(at)}`)
    })
  })
)
