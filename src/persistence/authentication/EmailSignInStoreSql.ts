import { Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { type AddressCandidate, EmailSignInStore } from "../../domain/authentication/EmailSignInStore.ts"
import { AccountId, EmailAddressId } from "../../domain/shared/Id.ts"
import { QuickReads } from "../shared/Connections.ts"
import { decoded, run } from "../shared/Query.ts"
import { toDate } from "../shared/Rows.ts"
import { makeCodeStore } from "./CodeStoreSql.ts"

const CandidateRow = Schema.Struct({
  id: EmailAddressId,
  account_id: AccountId,
  address: Schema.String,
  verified: Schema.Boolean,
  handle: Schema.String,
  name: Schema.String,
  suspended: Schema.Boolean,
  hash: Schema.NullOr(Schema.String),
  takes_codes: Schema.Boolean
})
const candidates = decoded(CandidateRow)

const candidateOf = (row: typeof CandidateRow.Type): AddressCandidate => ({
  id: row.id,
  accountId: row.account_id,
  address: row.address,
  verified: row.verified,
  handle: row.handle,
  name: row.name,
  suspended: row.suspended,
  passwordHash: row.hash ?? undefined,
  takesCodes: row.takes_codes
})

export const layer = Layer.effect(
  EmailSignInStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const reads = yield* QuickReads

    return EmailSignInStore.of({
      ...makeCodeStore<EmailAddressId>(sql, reads, { table: "email_codes", receiver: "email_id" }),

      findByAddress: (address) =>
        Effect.map(
          candidates.first(reads`select e.id, e.account_id, e.address, a.handle, a.name, p.hash,
              e.verified and a.verified_status = 'verified_email' as verified,
              a.suspended_at is not null as suspended, c.account_id is not null as takes_codes
            from account_emails e join accounts a on a.id = e.account_id
              left join passwords p on p.account_id = e.account_id
              left join code_sign_ins c on c.account_id = e.account_id
            where e.address = ${address}`),
          (row) => Option.map(Option.fromUndefinedOr(row), candidateOf)
        ),

      allowCodes: (accountId, at) =>
        run(sql`insert into code_sign_ins (account_id, created_at) values (${accountId}, ${toDate(at)})
          on conflict do nothing`)
    })
  })
)
