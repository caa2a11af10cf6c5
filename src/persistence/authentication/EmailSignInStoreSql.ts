import { Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import {
  codeLimits,
  guessOf,
  knownGuess,
  type StoredCode
} from "../../domain/authentication/EmailCodeRules.ts"
import { type AddressCandidate, EmailSignInStore } from "../../domain/authentication/EmailSignInStore.ts"
import { ClientNetwork } from "../../domain/shared/Client.ts"
import { AccountId, EmailAddressId } from "../../domain/shared/Id.ts"
import { QuickReads } from "../shared/Connections.ts"
import { decoded, first, run, some } from "../shared/Query.ts"
import { toDate, toDateTime } from "../shared/Rows.ts"

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

const codes = decoded(
  Schema.Struct({
    nonce: Schema.Uint8Array,
    expires_at: Schema.Date,
    asked_by: Schema.NullOr(ClientNetwork),
    guesses: Schema.Array(Schema.String),
    strangers_since: Schema.NullOr(Schema.Date)
  })
)
const keys = decoded(Schema.Struct({ key: Schema.Uint8Array }))

export const layer = Layer.effect(
  EmailSignInStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const reads = yield* QuickReads

    return EmailSignInStore.of({
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
          on conflict do nothing`),

      codeKey: Effect.flatMap(keys.first(reads`select key from email_code_key`), (row) =>
        row === undefined ? Effect.die(new Error("There is no key for codes")) : Effect.succeed(row.key)
      ),

      findCode: (id) =>
        Effect.map(
          codes.first(sql`select nonce, expires_at, asked_by, guesses, strangers_since from email_codes
            where email_id = ${id}`),
          (row) =>
            Option.map(
              Option.fromUndefinedOr(row),
              (found): StoredCode => ({
                nonce: found.nonce,
                expiresAt: toDateTime(found.expires_at),
                askedBy: found.asked_by ?? undefined,
                guesses: found.guesses,
                strangersSince: found.strangers_since === null ? undefined : toDateTime(found.strangers_since)
              })
            )
        ),

      putCode: (id, { askedBy, expiresAt, guesses, nonce, strangersSince }) =>
        run(sql`insert into email_codes (email_id, nonce, expires_at, asked_by, guesses, strangers_since)
          values (${id}, ${nonce}, ${toDate(expiresAt)}, ${askedBy ?? null}, ${guesses}::text[],
            ${strangersSince === undefined ? null : toDate(strangersSince)})
          on conflict (email_id) do update set nonce = excluded.nonce, expires_at = excluded.expires_at,
            asked_by = excluded.asked_by, guesses = excluded.guesses, strangers_since = excluded.strangers_since`),

      shareCode: (id) => run(sql`update email_codes set asked_by = null where email_id = ${id}`),

      // Parallel attempts wait for each other here, and each sees those before it.
      countAttempt: (id, client, at) => {
        const mine = guessOf(client)
        return Effect.map(
          first(
            sql<{ readonly nonce: Uint8Array }>`update email_codes set
                guesses = array_append(guesses, ${mine}::text),
                strangers_since = case when ${client.isKnown} then strangers_since
                  else coalesce(strangers_since, ${toDate(at)}) end
              where email_id = ${id} and expires_at > ${toDate(at)}
                and cardinality(array_positions(guesses, ${mine}::text)) < ${codeLimits.attempts}
                and (select count(*) from unnest(guesses) one
                  where starts_with(one, ${knownGuess}) = ${client.isKnown}) < ${codeLimits.together}
              returning nonce`
          ),
          (row) => Option.map(Option.fromUndefinedOr(row), ({ nonce }) => nonce)
        )
      },

      uncountAttempt: (id, client, nonce) => {
        const place = sql`array_position(guesses, ${guessOf(client)}::text)`
        return run(sql`update email_codes set guesses = guesses[: ${place} - 1] || guesses[${place} + 1 :]
          where email_id = ${id} and nonce = ${nonce} and ${place} is not null`)
      },

      takeCode: (id, nonce) =>
        some(sql`delete from email_codes where email_id = ${id} and nonce = ${nonce} returning email_id`),

      deleteExpiredCodes: (at) => run(sql`delete from email_codes where expires_at <= ${toDate(at)}`)
    })
  })
)
