import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Option, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import {
  AuthMethod,
  openRegistrationsMax,
  tokenRegistrationsMax
} from "../../domain/oauthclient/Registration.ts"
import {
  type RegistrationInsert,
  RegistrationStore,
  type StoredRegistration
} from "../../domain/oauthclient/RegistrationStore.ts"
import type { InitialAccessTokenId } from "../../domain/shared/Id.ts"
import { QuickReads } from "../shared/Connections.ts"
import { locking } from "../shared/Locks.ts"
import { decoded, first, run, some } from "../shared/Query.ts"
import { toDate, toDateTime } from "../shared/Rows.ts"
import { orDefect } from "../shared/SqlErrors.ts"
import { ClientRow, clientOf, columns } from "./ClientRow.ts"
import { isUnused } from "./UnusedClients.ts"

const Row = Schema.Struct({
  ...ClientRow.fields,
  secret_hash: Schema.NullOr(Schema.String),
  token_endpoint_auth_method: AuthMethod,
  details: Schema.Record(Schema.String, Schema.String)
})

const rows = decoded(Row)
const clients = decoded(ClientRow)

const storedIn = (row: typeof Row.Type | undefined): Option.Option<StoredRegistration> =>
  Option.map(Option.fromUndefinedOr(row), (found) => ({
    client: clientOf(found).shown,
    authMethod: found.token_endpoint_auth_method,
    details: found.details,
    secretHash: found.secret_hash ?? undefined
  }))

const unused = isUnused("registered")

const maximum = ({ letBy }: RegistrationInsert) =>
  letBy === "token" ? tokenRegistrationsMax : openRegistrationsMax

const usable = "revoked_at is null and registrations_used < max_registrations and expires_at >"

type Store = RegistrationStore["Service"]

const count = (sql: PgClient.PgClient): Store["count"] =>
  Effect.fnUntraced(function* (network, limit, since, at) {
    const counting = sql`unnest(c.registered) one where one > ${toDate(since)}`
    // Two clients of one network are counted one after the other, by the lock of its row.
    const isCounted = yield* some(
      locking("oauth registrations")(sql`insert into oauth_registration_counts as c
          (network, registered, last_registered_at)
        values (${network}, array[${toDate(at)}::timestamptz], ${toDate(at)})
        on conflict (network) do update set last_registered_at = excluded.last_registered_at,
          registered = array_append(array(select one from ${counting} order by one), ${toDate(at)}::timestamptz)
          where (select count(*) from ${counting}) < ${limit}
        returning network`)
    )
    if (isCounted) return Option.none()
    const row = yield* first(
      sql<{ readonly oldest: Date | null }>`select (select min(one) from ${counting}) as oldest
        from oauth_registration_counts c where network = ${network}`
    )
    return Option.some(row === undefined || row.oldest === null ? at : toDateTime(row.oldest))
  })

const insert = (sql: PgClient.PgClient): Store["insert"] =>
  Effect.fnUntraced(function* (client, unusedSince) {
    const { letBy } = client
    // Clients register one after the other.
    yield* run(locking("oauth registrations")(sql`select lock_oauth_registrations()`))
    yield* run(
      locking("oauth client")(sql`delete from oauth_clients where id = (
        select c.id from oauth_clients c join oauth_registrations r on r.id = c.id
        where ${sql.literal(unused)} and r.let_by = ${letBy} and c.created_at <= ${toDate(unusedSince)}
          and (select count(*) from oauth_registrations where let_by = ${letBy}) >= ${maximum(client)}
        order by c.created_at, c.id limit 1)`)
    )
    const row = yield* clients.first(sql`insert into oauth_clients (${sql.literal(columns)}, secret_hash)
      select ${client.id}, null, 'registered', ${client.clientId}, ${client.name}, ${client.type}, 'explicit',
        ${client.redirectUris}::text[], ${client.allowedScopes}::text[], ${client.allowedGrants}::text[], true,
        ${toDate(client.at)}, ${toDate(client.at)}, ${client.secretHash ?? null}
      where (select count(*) from oauth_registrations where let_by = ${letBy}) < ${maximum(client)}
      returning ${sql.literal(columns)}`)
    if (row === undefined) return Option.none()
    yield* run(sql`insert into oauth_registrations (id, let_by, token_hash, token_endpoint_auth_method, details)
      values (${client.id}, ${letBy}, ${client.tokenHash}, ${client.authMethod},
        ${JSON.stringify(client.details)}::jsonb)`)
    return Option.some(clientOf(row).shown)
  })

export const layer = Layer.effect(
  RegistrationStore,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const reads = yield* QuickReads

    const found = (on: SqlClient.SqlClient, clientId: string, tokenHash: Uint8Array) =>
      on`select ${on.literal(`c.${columns.replaceAll(", ", ", c.")}`)}, c.secret_hash, r.token_endpoint_auth_method,
          r.details
        from oauth_registrations r join oauth_clients c on c.id = r.id
        where r.token_hash = ${tokenHash} and c.client_id = ${clientId}`

    return RegistrationStore.of({
      isUsable: (tokenHash, at) =>
        some(reads`select from initial_access_tokens
          where token_hash = ${tokenHash} and ${reads.literal(usable)} ${toDate(at)}`),

      use: (tokenHash, at) =>
        Effect.map(
          first(
            locking("initial access tokens")(sql<{
              readonly id: InitialAccessTokenId
            }>`update initial_access_tokens
              set registrations_used = registrations_used + 1, last_used_at = ${toDate(at)}
              where token_hash = ${tokenHash} and ${sql.literal(usable)} ${toDate(at)} returning id`)
          ),
          (row) => Option.map(Option.fromUndefinedOr(row), ({ id }) => id)
        ),

      count: count(sql),

      insert: insert(sql),

      find: (clientId, tokenHash) => Effect.map(rows.first(found(reads, clientId, tokenHash)), storedIn),

      findForUpdate: (clientId, tokenHash) =>
        Effect.map(
          rows.first(locking("oauth client")(sql`${found(sql, clientId, tokenHash)} for update`)),
          storedIn
        ),

      update: Effect.fnUntraced(function* (client) {
        const changed = yield* sql`update oauth_clients set name = ${client.name}, type = ${client.type},
            redirect_uris = ${client.redirectUris}::text[], allowed_scopes = ${client.allowedScopes}::text[],
            allowed_grants = ${client.allowedGrants}::text[], secret_hash = ${client.secretHash ?? null},
            updated_at = ${toDate(client.at)}
          where id = ${client.id} returning ${sql.literal(columns)}`.pipe(
          orDefect,
          Effect.flatMap(clients.one)
        )
        yield* run(sql`update oauth_registrations set token_hash = ${client.tokenHash},
            token_endpoint_auth_method = ${client.authMethod}, details = ${JSON.stringify(client.details)}::jsonb
          where id = ${client.id}`)
        return clientOf(changed).shown
      }),

      delete: (id) => run(sql`delete from oauth_clients where id = ${id}`),

      deleteOld: (unusedSince, countedBefore) =>
        Effect.andThen(
          run(sql`delete from oauth_clients c
            where ${sql.literal(unused)} and c.created_at <= ${toDate(unusedSince)}`),
          run(sql`delete from oauth_registration_counts where last_registered_at <= ${toDate(countedBefore)}`)
        )
    })
  })
)
