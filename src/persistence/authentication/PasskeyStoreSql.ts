import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Option, Schema } from "effect"
import { PasskeyTaken, passkeysMax, TooManyPasskeys, Transport } from "../../domain/authentication/Passkey.ts"
import { type PasskeyOwner, PasskeyStore } from "../../domain/authentication/PasskeyStore.ts"
import { AccountId, PasskeyId } from "../../domain/shared/Id.ts"
import { byHandle } from "../account/HandleSql.ts"
import { QuickReads } from "../shared/Connections.ts"
import { locking } from "../shared/Locks.ts"
import { decoded, some } from "../shared/Query.ts"
import { toDate } from "../shared/Rows.ts"
import { onUniqueViolationOf, onViolationOf, orDefect } from "../shared/SqlErrors.ts"

/** An account with one of its passkeys; an account without any has one row. */
const OwnerRow = Schema.Struct({
  id: AccountId,
  handle: Schema.String,
  name: Schema.String,
  suspended: Schema.Boolean,
  credential_id: Schema.NullOr(Schema.String),
  user_handle: Schema.NullOr(Schema.String),
  transports: Schema.NullOr(Schema.Array(Transport))
})
const owners = decoded(OwnerRow)

const candidates = decoded(
  Schema.Struct({
    suspended: Schema.Boolean,
    passkey_id: Schema.NullOr(PasskeyId),
    public_key: Schema.NullOr(Schema.Uint8Array),
    user_handle: Schema.NullOr(Schema.String)
  })
)

const ownerOf = (rows: ReadonlyArray<typeof OwnerRow.Type>): Option.Option<PasskeyOwner> =>
  Option.map(Option.fromUndefinedOr(rows[0]), ({ handle, id, name, suspended, user_handle }) => ({
    accountId: id,
    handle,
    name,
    suspended,
    userHandle: user_handle ?? undefined,
    passkeys: rows.flatMap(({ credential_id, transports }) =>
      credential_id === null ? [] : [{ credentialId: credential_id, transports: transports ?? [] }]
    )
  }))

export const layer = Layer.effect(
  PasskeyStore,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const reads = yield* QuickReads

    return PasskeyStore.of({
      findOwner: (handle) =>
        Effect.map(
          owners.all(reads`select a.id, a.handle, a.name, a.suspended_at is not null as suspended,
              p.credential_id, p.user_handle, p.transports
            from accounts a left join passkeys p on p.account_id = a.id
            where ${byHandle(reads, handle)} order by p.id`),
          ownerOf
        ),

      findCandidate: (accountId, credentialId) =>
        Effect.map(
          candidates.first(reads`select a.suspended_at is not null as suspended,
              p.id as passkey_id, p.public_key, p.user_handle
            from accounts a left join passkeys p on p.account_id = a.id and p.credential_id = ${credentialId}
            where a.id = ${accountId}`),
          (row) =>
            Option.map(Option.fromUndefinedOr(row), ({ passkey_id, public_key, suspended, user_handle }) => ({
              suspended,
              passkey:
                passkey_id === null || public_key === null || user_handle === null
                  ? undefined
                  : { id: passkey_id, publicKey: public_key, userHandle: user_handle }
            }))
        ),

      insert: ({ accountId, at, credentialId, id, name, publicKey, signatures, transports, userHandle }) =>
        sql`insert into passkeys
            (id, account_id, created_at, credential_id, public_key, user_handle, signatures, transports, name)
          values (${id}, ${accountId}, ${toDate(at)}, ${credentialId}, ${publicKey}, ${userHandle},
            ${signatures}, ${transports}::text[], ${name})`.pipe(
          onUniqueViolationOf("passkeys_credential_id", () => new PasskeyTaken()),
          onViolationOf("passkeys_number", () => new TooManyPasskeys({ metadata: { maximum: passkeysMax } })),
          orDefect,
          Effect.asVoid
        ),

      noteSignature: (id, signatures, at) =>
        some(
          locking("passkey")(sql`update passkeys set signatures = ${signatures}, used_at = ${toDate(at)}
            where id = ${id} and (signatures < ${signatures}::bigint or (signatures = 0 and ${signatures}::bigint = 0))
            returning id`)
        )
    })
  })
)
