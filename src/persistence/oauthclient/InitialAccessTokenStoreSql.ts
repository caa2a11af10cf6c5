import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Schema } from "effect"
import {
  type InitialAccessToken,
  initialTokensMax,
  TooManyInitialAccessTokens
} from "../../domain/oauthclient/InitialAccessToken.ts"
import { InitialAccessTokenStore } from "../../domain/oauthclient/InitialAccessTokenStore.ts"
import { AccountId, InitialAccessTokenId } from "../../domain/shared/Id.ts"
import { QuickReads } from "../shared/Connections.ts"
import { locking } from "../shared/Locks.ts"
import { decoded, first, run, some } from "../shared/Query.ts"
import { toDate, toTimestamp } from "../shared/Rows.ts"

const Row = Schema.Struct({
  id: InitialAccessTokenId,
  name: Schema.NullOr(Schema.String),
  created_by: AccountId,
  max_registrations: Schema.Int,
  registrations_used: Schema.Int,
  created_at: Schema.Date,
  expires_at: Schema.Date,
  revoked_at: Schema.NullOr(Schema.Date),
  last_used_at: Schema.NullOr(Schema.Date)
})

const rows = decoded(Row)

const columns = Object.keys(Row.fields).join(", ")

/** When a token stopped working, or will: the last of its registrations was the end of it. */
const end = `least(revoked_at, expires_at,
  case when registrations_used >= max_registrations then last_used_at end)`

const tokenOf = (row: typeof Row.Type): InitialAccessToken => ({
  id: row.id,
  createdAt: toTimestamp(row.created_at),
  ...(row.name === null ? {} : { name: row.name }),
  created_by: row.created_by,
  expires_at: toTimestamp(row.expires_at),
  max_registrations: row.max_registrations,
  registrations_used: row.registrations_used,
  ...(row.revoked_at === null ? {} : { revoked_at: toTimestamp(row.revoked_at) }),
  ...(row.last_used_at === null ? {} : { last_used_at: toTimestamp(row.last_used_at) })
})

export const layer = Layer.effect(
  InitialAccessTokenStore,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const reads = yield* QuickReads

    const isOver = (at: Date) => sql`${sql.literal(end)} <= ${at}`

    return InitialAccessTokenStore.of({
      list: Effect.map(
        rows.all(reads`select ${reads.literal(columns)} from initial_access_tokens order by id desc`),
        (found) => found.map(tokenOf)
      ),

      insert: Effect.fnUntraced(function* (token) {
        const now = toDate(token.at)
        // Tokens are created one after the other.
        yield* run(locking("initial access tokens")(sql`select lock_initial_access_tokens()`))
        yield* run(sql`delete from initial_access_tokens where id in (
          select id from initial_access_tokens
          where ${isOver(now)} and (select count(*) from initial_access_tokens) >= ${initialTokensMax}
          order by ${sql.literal(end)}, id limit 1)`)
        const inserted = yield* rows.first(sql`insert into initial_access_tokens
            (id, place, token_hash, name, created_by, max_registrations, created_at, expires_at)
          select ${token.id}, free, ${token.tokenHash}, ${token.name ?? null}, ${token.createdBy},
            ${token.maxRegistrations}, ${now}, ${toDate(token.expiresAt)}
          from generate_series(1, ${initialTokensMax}::int) free
          where not exists (select from initial_access_tokens where place = free)
          order by free limit 1
          returning ${sql.literal(columns)}`)
        return inserted === undefined
          ? yield* new TooManyInitialAccessTokens({ metadata: { maximum: initialTokensMax } })
          : tokenOf(inserted)
      }),

      revoke: Effect.fnUntraced(function* (id, at) {
        const found = yield* first(
          locking("initial access tokens")(
            sql<{ readonly id: string }>`select id from initial_access_tokens where id = ${id} for update`
          )
        )
        if (found === undefined) return undefined
        return yield* some(sql`update initial_access_tokens set revoked_at = ${toDate(at)}
          where id = ${id} and revoked_at is null returning id`)
      }),

      deleteOver: (at) => run(sql`delete from initial_access_tokens where ${isOver(toDate(at))}`)
    })
  })
)
