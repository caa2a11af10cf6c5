import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { createClient } from "../support/clients.ts"
import { Cast } from "../support/people.ts"
import type { Walks } from "../support/walks.ts"

export const operations = ["OAuthRefreshTokenList", "AdminOAuthRefreshTokenList"]

export const walks: Walks = Effect.gen(function* () {
  const { odin, freya } = yield* Cast
  const sql = yield* SqlClient.SqlClient
  const { id: client } = yield* createClient(odin, odin)
  yield* sql`insert into oauth_grants (id, client_id, account_id, kind, created_at)
    select 'g' || n, ${client}, (array[${odin.id}, ${freya.id}]::text[])[n], 'consent', 'epoch' from generate_series(1, 2) n`
  yield* sql`insert into oauth_tokens
      (id, grant_id, access_id, access_expires_at, scope, created_at, refresh_hash, refresh_expires_at, number)
    select 't' || lpad(n::text, 18, '0') || '0', 'g' || 1 + n % 2, lpad(n::text, 16, '0'), 'epoch', 'openid', 'epoch',
      decode(lpad(to_hex(n), 64, '0'), 'hex'), '9999-01-01Z', n from generate_series(1, 270) n`
  const list = {
    viewer: odin,
    rows: "tokens",
    remove: (id: string) => sql`delete from oauth_tokens where id = ${id}`
  }
  const [own, all] = ["/auth/oauth/tokens", "/admin/oauth/refresh-tokens"]
  return [
    { ...list, operation: "OAuthRefreshTokenList", path: own, narrowed: all },
    { ...list, operation: "AdminOAuthRefreshTokenList", path: all, narrowed: own }
  ]
})
