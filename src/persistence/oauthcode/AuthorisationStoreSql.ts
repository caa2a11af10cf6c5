import { PgClient } from "@effect/sql-pg"
import { DateTime, Effect, Layer, Option } from "effect"
import {
  AuthorisationStore,
  type FoundCode,
  type OpenAuthorisation
} from "../../domain/oauthcode/AuthorisationStore.ts"
import type { AccountId, OAuthAuthorisationId, OAuthClientId, OAuthGrantId } from "../../domain/shared/Id.ts"
import { readScopes } from "../../domain/vocabulary/Scope.ts"
import { QuickReads } from "../shared/Connections.ts"
import { locking } from "../shared/Locks.ts"
import { first, run, some } from "../shared/Query.ts"
import { toDate, toDateTime } from "../shared/Rows.ts"
import { onViolationOf, orDefect } from "../shared/SqlErrors.ts"

interface OpenRow {
  readonly id: OAuthAuthorisationId
  readonly client_id: OAuthClientId
  readonly redirect_uri: string
  readonly scope: string
  readonly state: string | null
  readonly expires_at: Date
}

const openOf = (row: OpenRow): OpenAuthorisation => ({
  id: row.id,
  clientId: row.client_id,
  redirectUri: row.redirect_uri,
  // All that is stored was read before.
  scopes: readScopes(row.scope) ?? [],
  state: row.state ?? undefined,
  expiresAt: toDateTime(row.expires_at)
})

interface CodeRow {
  readonly id: OAuthAuthorisationId
  readonly client_id: OAuthClientId
  readonly account_id: AccountId
  readonly redirect_uri: string
  readonly granted_scope: string
  readonly nonce: string | null
  readonly code_challenge: string
  readonly code_expires_at: Date
  readonly used_at: Date | null
  readonly grant_id: OAuthGrantId | null
}

const codeOf = (row: CodeRow): FoundCode => ({
  id: row.id,
  clientId: row.client_id,
  accountId: row.account_id,
  redirectUri: row.redirect_uri,
  scopes: readScopes(row.granted_scope) ?? [],
  nonce: row.nonce ?? undefined,
  challenge: row.code_challenge,
  expiresAt: toDateTime(row.code_expires_at),
  isUsed: row.used_at !== null,
  grantId: row.grant_id ?? undefined
})

export const layer = Layer.effect(
  AuthorisationStore,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const reads = yield* QuickReads

    return AuthorisationStore.of({
      insert: (one) =>
        sql`insert into oauth_authorisations (id, request_hash, client_id, account_id, redirect_uri, scope, state,
            nonce, code_challenge, created_at, expires_at)
          values (${one.id}, ${one.requestHash}, ${one.clientId}, ${one.accountId}, ${one.redirectUri},
            ${one.scopes.join(" ")}, ${one.state ?? null}, ${one.nonce ?? null}, ${one.challenge}, ${toDate(one.at)},
            ${toDate(one.expiresAt)})`.pipe(
          Effect.as(true),
          onViolationOf("oauth_authorisations_client_id_fkey", () => false as const),
          orDefect,
          Effect.catch(Effect.succeed)
        ),

      findOpen: (requestHash, account, at) =>
        Effect.map(
          first(
            reads<OpenRow>`select id, client_id, redirect_uri, scope, state, expires_at from oauth_authorisations
              where request_hash = ${requestHash} and account_id = ${account} and decided_at is null
                and expires_at > ${toDate(at)}`
          ),
          (row) => Option.map(Option.fromUndefinedOr(row), openOf)
        ),

      decide: (id, approval, at) =>
        some(sql`update oauth_authorisations set decided_at = ${toDate(at)},
            code_hash = ${approval?.codeHash ?? null}::bytea,
            code_expires_at = ${approval === undefined ? null : toDate(approval.expiresAt)}::timestamptz,
            granted_scope = ${approval?.scopes.join(" ") ?? null}::text
          where id = ${id} and decided_at is null and expires_at > ${toDate(at)} returning id`),

      findCode: (codeHash) =>
        Effect.map(
          first(
            reads<CodeRow>`select id, client_id, account_id, redirect_uri, granted_scope, nonce, code_challenge,
                code_expires_at, used_at, grant_id
              from oauth_authorisations where code_hash = ${codeHash}`
          ),
          (row) => Option.map(Option.fromUndefinedOr(row), codeOf)
        ),

      use: (id, grant, at) =>
        some(
          locking(
            "oauth code"
          )(sql`update oauth_authorisations set used_at = ${toDate(at)}, grant_id = ${grant}
            where id = ${id} and used_at is null returning id`)
        ),

      forget: (at) =>
        run(sql`delete from oauth_authorisations
          where expires_at <= ${toDate(at)} and (code_hash is null
            or code_expires_at <= ${toDate(DateTime.subtract(at, { days: 1 }))})`)
    })
  })
)
