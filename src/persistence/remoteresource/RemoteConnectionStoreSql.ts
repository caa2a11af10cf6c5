import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Option } from "effect"
import { connectionsMax } from "../../domain/remoteresource/RemoteConnection.ts"
import {
  type ConnectionInsert,
  type Identity,
  RemoteConnectionStore,
  type StoredAuthorisation,
  type TokensUpdate
} from "../../domain/remoteresource/RemoteConnectionStore.ts"
import { TooManyRemoteConnections } from "../../domain/remoteresource/RemoteRefusal.ts"
import type { AccountId, RemoteConnectionId } from "../../domain/shared/Id.ts"
import { QuickReads } from "../shared/Connections.ts"
import { locking } from "../shared/Locks.ts"
import { first, run, some } from "../shared/Query.ts"
import { toDate, toDateTime } from "../shared/Rows.ts"
import { onViolationOf, orDefect } from "../shared/SqlErrors.ts"
import { columns, connectionOf, rows } from "./RemoteConnectionRow.ts"

interface AuthorisationRow {
  readonly connection_id: RemoteConnectionId
  readonly account_id: AccountId
  readonly verifier: Uint8Array
  readonly expires_at: Date
  readonly used_at: Date | null
}

const authorisationOf = (row: AuthorisationRow): StoredAuthorisation => ({
  connectionId: row.connection_id,
  accountId: row.account_id,
  sealedVerifier: row.verifier,
  expiresAt: toDateTime(row.expires_at),
  isUsed: row.used_at !== null
})

const tooMany = () => new TooManyRemoteConnections({ metadata: { maximum: connectionsMax } })

/** Finds connections, and makes and deletes them. */
const connectionsWith = (sql: PgClient.PgClient, reads: QuickReads["Service"]) => {
  const one = (statement: Parameters<typeof rows.first>[0]) =>
    Effect.map(rows.first(statement), (row) => Option.map(Option.fromUndefinedOr(row), connectionOf))

  const isOf = ({ accountId, authorisationServer, resourceUrl }: Identity) =>
    sql`account_id = ${accountId} and resource_url = ${resourceUrl}
      and authorization_server is not distinct from ${authorisationServer ?? null}`

  const inserted = ({ at, identity, terms, ...connection }: ConnectionInsert) =>
    sql`insert into remote_connections (id, account_id, created_at, updated_at, resource_url, authorization_server,
        mode, resource, resource_name, client_id, authorization_endpoint, token_endpoint, registration_endpoint,
        token_endpoint_auth_method, redirect_uri, redirect_uris, scope, issuer, names_itself, client_secret)
      values (${connection.id}, ${identity.accountId}, ${toDate(at)}, ${toDate(at)}, ${identity.resourceUrl},
        ${identity.authorisationServer ?? null}, ${connection.mode}, ${terms.resource ?? null},
        ${connection.resourceName ?? null}, ${terms.clientId}, ${terms.authorisationEndpoint}, ${terms.tokenEndpoint},
        ${connection.registrationEndpoint ?? null}, ${terms.method}, ${terms.redirectUri},
        ${connection.redirectUris}::text[], ${terms.scope ?? null}, ${terms.issuer ?? null}, ${terms.namesItself},
        ${connection.sealedSecret ?? null})
      returning ${sql.literal(columns)}`

  return {
    one,
    list: Effect.map(
      rows.all(reads`select ${reads.literal(columns)} from remote_connections order by id desc`),
      (found) => found.map(connectionOf)
    ),
    find: (id: RemoteConnectionId) =>
      one(reads`select ${reads.literal(columns)} from remote_connections where id = ${id}`),
    findOf: (identity: Identity) =>
      one(reads`select ${reads.literal(columns)} from remote_connections where ${isOf(identity)}`),
    findForUpdate: (id: RemoteConnectionId) =>
      one(
        locking("remote connection")(
          sql`select ${sql.literal(columns)} from remote_connections where id = ${id} for update`
        )
      ),
    // Who makes connections of an account, one after the other, waits for its row.
    findOfForUpdate: (identity: Identity) =>
      Effect.andThen(
        run(locking("account")(sql`select from accounts where id = ${identity.accountId} for no key update`)),
        one(
          locking("remote connection")(
            sql`select ${sql.literal(columns)} from remote_connections where ${isOf(identity)} for update`
          )
        )
      ),
    checkRoom: Effect.flatMap(
      some(reads`select from remote_connections offset ${connectionsMax - 1} limit 1`),
      (isFull) => (isFull ? Effect.fail(tooMany()) : Effect.void)
    ),
    insert: (connection: ConnectionInsert) =>
      inserted(connection).pipe(
        onViolationOf("remote_connections_number", tooMany),
        orDefect,
        Effect.flatMap(rows.one),
        Effect.map(connectionOf)
      ),
    delete: (id: RemoteConnectionId) => run(sql`delete from remote_connections where id = ${id}`)
  } as const
}

export const layer = Layer.effect(
  RemoteConnectionStore,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const reads = yield* QuickReads
    const { one, ...connections } = connectionsWith(sql, reads)

    /** What is set with tokens, whoever brings them. */
    const tokensSet = ({ at, expiry, scope, sealedAccessToken, tokenType }: TokensUpdate) =>
      sql`status = 'connected', last_error = null, access_token = ${sealedAccessToken}, token_type = ${tokenType},
        token_expiry = ${expiry === undefined ? null : toDate(expiry)}, scope = coalesce(${scope ?? null}, scope),
        updated_at = ${toDate(at)}, revision = revision + 1, lease_holder = null, lease_until = null`

    return RemoteConnectionStore.of({
      ...connections,

      insertAuthorisation: ({ accountId, at, connectionId, expiresAt, sealedVerifier, stateHash }) =>
        run(
          locking("remote connection")(sql`insert into remote_authorizations
              (state_hash, connection_id, account_id, verifier, created_at, expires_at)
            select ${stateHash}, c.id, ${accountId}, ${sealedVerifier}, ${toDate(at)}, ${toDate(expiresAt)}
            from remote_connections c where c.id = ${connectionId} for key share`)
        ),

      findAuthorisation: (stateHash) =>
        Effect.map(
          first(
            reads<AuthorisationRow>`select connection_id, account_id, verifier, expires_at, used_at
              from remote_authorizations where state_hash = ${stateHash}`
          ),
          (row) => Option.map(Option.fromUndefinedOr(row), authorisationOf)
        ),

      useAuthorisation: (stateHash, at) =>
        some(sql`update remote_authorizations set used_at = ${toDate(at)}
          where state_hash = ${stateHash} and used_at is null returning state_hash`),

      forgetAuthorisations: (before) =>
        run(sql`delete from remote_authorizations where expires_at <= ${toDate(before)}`),

      connect: (id, tokens) =>
        one(
          locking("remote connection")(
            sql`update remote_connections set ${tokensSet(tokens)}, refresh_token = ${tokens.sealedRefreshToken ?? null}
              where id = ${id} returning ${sql.literal(columns)}`
          )
        ),

      noteFailure: (id, message, at) =>
        run(sql`update remote_connections set status = 'error', last_error = ${message}, updated_at = ${toDate(at)}
          where id = ${id}`),

      takeLease: (id, revision, { holder, until }, at) =>
        some(sql`update remote_connections set lease_holder = ${holder}, lease_until = ${toDate(until)}
          where id = ${id} and revision = ${revision} and (lease_until is null or lease_until <= ${toDate(at)})
          returning id`),

      keepRefreshed: (id, holder, tokens) =>
        some(sql`update remote_connections
          set ${tokensSet(tokens)}, refresh_token = coalesce(${tokens.sealedRefreshToken ?? null}, refresh_token)
          where id = ${id} and lease_holder = ${holder} returning id`),

      noteRefreshFailure: (id, holder, message, at) =>
        run(sql`update remote_connections set status = 'error', last_error = ${message}, updated_at = ${toDate(at)},
            revision = revision + 1, lease_holder = null
          where id = ${id} and lease_holder = ${holder}`)
    })
  })
)
