import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Option, Schema } from "effect"
import {
  clientsMax,
  OAuthClientIdTaken,
  OAuthClientOwnerUnknown,
  OAuthClientsFull,
  ownClientsMax,
  TooManyOAuthClients
} from "../../domain/oauthclient/OAuthClient.ts"
import { type ClientInsert, OAuthClientStore } from "../../domain/oauthclient/OAuthClientStore.ts"
import { QuickReads } from "../shared/Connections.ts"
import { locking } from "../shared/Locks.ts"
import { decoded, run, some } from "../shared/Query.ts"
import { toDate } from "../shared/Rows.ts"
import { onUniqueViolationOf, onViolationOf, orDefect } from "../shared/SqlErrors.ts"
import { ClientRow, clientIn, clientOf, columns } from "./ClientRow.ts"

const rows = decoded(ClientRow)

const secretRows = decoded(Schema.Struct({ ...ClientRow.fields, secret_hash: Schema.NullOr(Schema.String) }))

const onFull = onViolationOf(
  "oauth_clients_number",
  () => new OAuthClientsFull({ metadata: { maximum: clientsMax } })
)

const onTooMany = onViolationOf(
  "oauth_clients_number_of_account",
  () => new TooManyOAuthClients({ metadata: { maximum: ownClientsMax } })
)

const onTaken = (client_id: string) =>
  onUniqueViolationOf(
    "oauth_clients_client_id_key",
    () => new OAuthClientIdTaken({ metadata: { client_id } })
  )

export const layer = Layer.effect(
  OAuthClientStore,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const reads = yield* QuickReads

    const inserted = (client: ClientInsert) =>
      sql`insert into oauth_clients (${sql.literal(columns)}, secret_hash)
        values (${client.id}, ${client.accountId}, 'administrator', ${client.clientId}, ${client.name},
          ${client.type}, ${client.scopePolicy}, ${client.redirectUris}::text[], ${client.allowedScopes}::text[],
          ${client.allowedGrants}::text[], ${client.pkceRequired}, ${toDate(client.at)}, ${toDate(client.at)},
          ${client.secretHash ?? null})
        returning ${sql.literal(columns)}`

    return OAuthClientStore.of({
      list: Effect.map(
        rows.all(reads`select ${reads.literal(columns)} from oauth_clients order by id desc`),
        (found) => found.map(clientOf)
      ),

      listOf: (account) =>
        Effect.map(
          rows.all(reads`select ${reads.literal(columns)} from oauth_clients
            where account_id = ${account} order by id desc`),
          (found) => found.map(clientOf)
        ),

      find: (id) =>
        Effect.map(
          rows.first(reads`select ${reads.literal(columns)} from oauth_clients where id = ${id}`),
          clientIn
        ),

      findByClientId: (clientId) =>
        Effect.map(
          secretRows.first(
            reads`select ${reads.literal(columns)}, secret_hash from oauth_clients
              where client_id = ${clientId} and origin <> 'document'`
          ),
          (row) =>
            Option.map(Option.fromUndefinedOr(row), (row) => ({
              ...clientOf(row),
              secretHash: row.secret_hash ?? undefined
            }))
        ),

      findForUpdate: (id) =>
        Effect.map(
          rows.first(
            locking("oauth client")(
              sql`select ${sql.literal(columns)} from oauth_clients where id = ${id} for update`
            )
          ),
          clientIn
        ),

      insert: Effect.fnUntraced(function* (client) {
        const { accountId, clientId } = client
        const owner = sql`select id from accounts where id = ${accountId} for no key update`
        if (!(yield* some(locking("account")(owner)))) {
          return yield* new OAuthClientOwnerUnknown({ metadata: { account_id: accountId } })
        }
        return yield* inserted(client).pipe(
          onFull,
          onTooMany,
          onTaken(clientId),
          orDefect,
          Effect.flatMap(rows.one),
          Effect.map(clientOf)
        )
      }),

      update: (id, values, secretHash, at) =>
        sql`update oauth_clients set name = ${values.name}, scope_policy = ${values.scopePolicy},
            redirect_uris = ${values.redirectUris}::text[], allowed_scopes = ${values.allowedScopes}::text[],
            allowed_grants = ${values.allowedGrants}::text[],
            secret_hash = coalesce(${secretHash ?? null}, secret_hash), updated_at = ${toDate(at)}
          where id = ${id} returning ${sql.literal(columns)}`.pipe(
          orDefect,
          Effect.flatMap(rows.one),
          Effect.map(clientOf)
        ),

      delete: (id) => run(sql`delete from oauth_clients where id = ${id}`)
    })
  })
)
