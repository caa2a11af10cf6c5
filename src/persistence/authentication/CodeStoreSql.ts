/** The codes of one kind of receivers, each changed by one statement. */
import { Effect, Option, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { codeLimits, guessOf, knownGuess, type StoredCode } from "../../domain/authentication/CodeRules.ts"
import type { CodeStore } from "../../domain/authentication/CodeStore.ts"
import { ClientNetwork } from "../../domain/shared/Client.ts"
import { decoded, first, run, some } from "../shared/Query.ts"
import { toDate, toDateTime } from "../shared/Rows.ts"

const stored = decoded(
  Schema.Struct({
    nonce: Schema.Uint8Array,
    expires_at: Schema.Date,
    asked_by: Schema.NullOr(ClientNetwork),
    guesses: Schema.Array(Schema.String),
    strangers_since: Schema.NullOr(Schema.Date)
  })
)
const keys = decoded(Schema.Struct({ key: Schema.Uint8Array }))

/** Where codes are stored, and which column has the id of the receiver. */
interface Place {
  readonly table: string
  readonly receiver: string
}

export const makeCodeStore = <Id extends string>(
  sql: SqlClient.SqlClient,
  reads: SqlClient.SqlClient,
  names: Place
): CodeStore<Id> => {
  const [codes, receiver] = [sql.literal(names.table), sql.literal(names.receiver)]
  return {
    codeKey: Effect.flatMap(keys.first(reads`select key from code_key`), (row) =>
      row === undefined ? Effect.die(new Error("There is no key for codes")) : Effect.succeed(row.key)
    ),

    findCode: (id) =>
      Effect.map(
        stored.first(sql`select nonce, expires_at, asked_by, guesses, strangers_since from ${codes}
          where ${receiver} = ${id}`),
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
      run(sql`insert into ${codes} (${receiver}, nonce, expires_at, asked_by, guesses, strangers_since)
        values (${id}, ${nonce}, ${toDate(expiresAt)}, ${askedBy ?? null}, ${guesses}::text[],
          ${strangersSince === undefined ? null : toDate(strangersSince)})
        on conflict (${receiver}) do update set nonce = excluded.nonce, expires_at = excluded.expires_at,
          asked_by = excluded.asked_by, guesses = excluded.guesses, strangers_since = excluded.strangers_since`),

    shareCode: (id) => run(sql`update ${codes} set asked_by = null where ${receiver} = ${id}`),

    // Parallel attempts wait for each other here, and each sees those before it.
    countAttempt: (id, client, at) => {
      const mine = guessOf(client)
      return Effect.map(
        first(
          sql<{ readonly nonce: Uint8Array }>`update ${codes} set
              guesses = array_append(guesses, ${mine}::text),
              strangers_since = case when ${client.isKnown} then strangers_since
                else coalesce(strangers_since, ${toDate(at)}) end
            where ${receiver} = ${id} and expires_at > ${toDate(at)}
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
      return run(sql`update ${codes} set guesses = guesses[: ${place} - 1] || guesses[${place} + 1 :]
        where ${receiver} = ${id} and nonce = ${nonce} and ${place} is not null`)
    },

    takeCode: (id, nonce) =>
      some(sql`delete from ${codes} where ${receiver} = ${id} and nonce = ${nonce} returning ${receiver}`),

    deleteExpiredCodes: (at) => run(sql`delete from ${codes} where expires_at <= ${toDate(at)}`)
  }
}
