import { PgClient } from "@effect/sql-pg"
import { Effect, Layer } from "effect"
import type { SqlClient } from "effect/sql"
import type { StoredMethod } from "../../domain/authentication/AuthMethodRules.ts"
import { AuthMethodStore } from "../../domain/authentication/AuthMethodStore.ts"
import type { AuthService } from "../../domain/authentication/AuthProvider.ts"
import { IdentityRemoval } from "../../domain/authentication/IdentityRemoval.ts"
import type { AccountId } from "../../domain/shared/Id.ts"
import { QuickReads } from "../shared/Connections.ts"
import { locking } from "../shared/Locks.ts"
import { all, run } from "../shared/Query.ts"
import { toTimestamp } from "../shared/Rows.ts"

interface Row {
  readonly id: string
  readonly service: AuthService
  readonly created_at: Date
  readonly name: string
  readonly identifier: string
}

const methodOf = ({ created_at, id, identifier, name, service }: Row): StoredMethod => ({
  id,
  service,
  createdAt: toTimestamp(created_at),
  name,
  identifier
})

/**
 * The sign-in methods of an account. Its password has the id of the account, its sign-in by codes that of its oldest
 * address.
 */
const methodsOf = (sql: SqlClient.SqlClient, accountId: AccountId) => sql<Row>`
  select account_id as id, 'password' as service, created_at, 'Password' as name, account_id as identifier
    from passwords where account_id = ${accountId}
  union all
  select id, 'webauthn', created_at, name, credential_id from passkeys where account_id = ${accountId}
  union all
  select id, 'phone_verify', created_at, 'Phone', phone_number from phone_numbers where account_id = ${accountId}
  union all
  select id, service, created_at, name, subject from identities_elsewhere where account_id = ${accountId}
  union all
  select address.id, 'email_verify', codes.created_at, 'Email', address.address
    from code_sign_ins codes cross join lateral (
      select id, address from account_emails where account_id = codes.account_id order by created_at, id limit 1
    ) address where codes.account_id = ${accountId}
  order by created_at, id`

export const layer = Layer.effect(
  AuthMethodStore,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const reads = yield* QuickReads
    const identities = yield* IdentityRemoval

    const list = (client: SqlClient.SqlClient, accountId: AccountId) =>
      Effect.map(all(methodsOf(client, accountId)), (rows) => rows.map(methodOf))

    return AuthMethodStore.of({
      listOf: (accountId) => list(reads, accountId),

      listForUpdate: (accountId) =>
        Effect.andThen(
          run(locking("account")(sql`select from accounts where id = ${accountId} for no key update`)),
          list(sql, accountId)
        ),

      delete: (accountId, { id, service }) => {
        switch (service) {
          case "password":
            return run(sql`delete from passwords where account_id = ${accountId}`)
          case "email_verify":
            return run(sql`delete from code_sign_ins where account_id = ${accountId}`)
          case "phone_verify":
            return run(locking("phone number")(sql`delete from phone_numbers where id = ${id}`))
          case "webauthn":
            return run(locking("passkey")(sql`delete from passkeys where id = ${id}`))
          default:
            return identities.delete(id)
        }
      }
    })
  })
)
