import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Option } from "effect"
import { DocumentClientStore, documentClientsMax } from "../../domain/oauthclient/DocumentClientStore.ts"
import { QuickReads } from "../shared/Connections.ts"
import { locking } from "../shared/Locks.ts"
import { decoded, run } from "../shared/Query.ts"
import { toDate } from "../shared/Rows.ts"
import { ClientRow, clientIn, columns } from "./ClientRow.ts"
import { isUnused } from "./UnusedClients.ts"

type Store = DocumentClientStore["Service"]

const rows = decoded(ClientRow)

const put = (sql: PgClient.PgClient): Store["put"] =>
  Effect.fnUntraced(function* (client, id, at, unusedSince) {
    const { allowedGrants, allowedScopes, clientId, name, redirectUris } = client
    const now = toDate(at)
    // Documents are stored one after the other.
    yield* run(locking("oauth registrations")(sql`select lock_oauth_registrations()`))
    const updated = yield* rows.first(
      locking("oauth client")(sql`update oauth_clients c set name = ${name},
          redirect_uris = ${redirectUris}::text[], allowed_scopes = ${allowedScopes}::text[],
          allowed_grants = ${allowedGrants}::text[],
          updated_at = case when (c.name, c.redirect_uris, c.allowed_scopes, c.allowed_grants)
            is distinct from (${name}, ${redirectUris}::text[], ${allowedScopes}::text[], ${allowedGrants}::text[])
            then ${now} else c.updated_at end
        where client_id = ${clientId} and origin = 'document' returning ${sql.literal(columns)}`)
    )
    if (updated !== undefined) {
      yield* run(sql`update oauth_documents set fetched_at = ${now} where id = ${updated.id}`)
      return clientIn(updated)
    }
    yield* run(
      locking("oauth client")(sql`delete from oauth_clients where id = (
        select c.id from oauth_clients c join oauth_documents d on d.id = c.id
        where ${sql.literal(isUnused("document"))} and d.fetched_at <= ${toDate(unusedSince)}
          and (select count(*) from oauth_documents) >= ${documentClientsMax}
        order by d.fetched_at, c.id limit 1)`)
    )
    const inserted = yield* rows.first(sql`insert into oauth_clients (${sql.literal(columns)})
      select ${id}, null, 'document', ${clientId}, ${name}, 'public', 'explicit', ${redirectUris}::text[],
        ${allowedScopes}::text[], ${allowedGrants}::text[], true, ${now}, ${now}
      where (select count(*) from oauth_documents) < ${documentClientsMax}
      returning ${sql.literal(columns)}`)
    if (inserted === undefined) return Option.none()
    yield* run(sql`insert into oauth_documents (id, fetched_at) values (${id}, ${now})`)
    return clientIn(inserted)
  })

export const layer = Layer.effect(
  DocumentClientStore,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const reads = yield* QuickReads

    return DocumentClientStore.of({
      find: (clientId) =>
        Effect.map(
          rows.first(reads`select ${reads.literal(columns)} from oauth_clients
            where client_id = ${clientId} and origin = 'document'`),
          clientIn
        ),

      put: put(sql),

      deleteOld: (fetchedBefore) =>
        run(sql`delete from oauth_clients c where ${sql.literal(isUnused("document"))}
          and c.id in (select id from oauth_documents where fetched_at <= ${toDate(fetchedBefore)})`)
    })
  })
)
