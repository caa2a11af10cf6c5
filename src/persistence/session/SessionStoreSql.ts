import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { builtIn } from "../../domain/role/Role.ts"
import { SessionStore } from "../../domain/session/SessionStore.ts"
import type { Actor } from "../../domain/shared/Actor.ts"
import type { AccountId } from "../../domain/shared/Id.ts"
import type { Permission } from "../../domain/shared/Permission.ts"
import { timestamp } from "../shared/Rows.ts"
import { orDefect } from "../shared/SqlErrors.ts"

interface CallerRow {
  readonly account_id: AccountId | null
  readonly suspended: boolean
  readonly permissions: ReadonlyArray<Permission>
}

// One row always: without a session, the permissions are those of the Guest role.
const caller = `
  select a.id as account_id, a.suspended_at is not null as suspended,
    array(
      select unnest(r.permissions) from roles r
      where case when a.id is null then r.id = '${builtIn.guest}'
        else r.id = '${builtIn.member}' or (a.admin and r.id = '${builtIn.admin}')
          or r.id in (select role_id from account_roles where account_id = a.id) end
    ) as permissions
  from (select) one
  left join sessions s`

const actorOf = (row: CallerRow): Actor => {
  const permissions = new Set(row.permissions)
  return row.account_id === null
    ? { _tag: "Guest", permissions }
    : {
        _tag: "Account",
        accountId: row.account_id,
        permissions,
        suspended: row.suspended,
        credential: "cookie"
      }
}

const nobody: CallerRow = { account_id: null, suspended: false, permissions: [] }

export const layer = Layer.effect(
  SessionStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const callerOf = sql.literal(caller)

    return SessionStore.of({
      insert: (session) =>
        sql`insert into sessions ${sql.insert({
          token_hash: session.tokenHash,
          account_id: session.accountId,
          created_at: timestamp(session.createdAt),
          expires_at: timestamp(session.expiresAt)
        })}`.pipe(Effect.asVoid, orDefect),

      delete: (tokenHash) =>
        sql`delete from sessions where token_hash = ${tokenHash}`.pipe(Effect.asVoid, orDefect),

      deleteExpired: (at) =>
        sql`delete from sessions where expires_at <= ${timestamp(at)}`.pipe(Effect.asVoid, orDefect),

      deleteAllOf: (accountId) =>
        sql`delete from sessions where account_id = ${accountId}`.pipe(Effect.asVoid, orDefect),

      identify: (tokenHash, at) =>
        sql<CallerRow>`${callerOf} on s.token_hash = ${tokenHash ?? null}::bytea and s.expires_at > ${timestamp(at)}
          left join accounts a on a.id = s.account_id`.pipe(
          Effect.map(([row]) => actorOf(row ?? nobody)),
          orDefect
        )
    })
  })
)
