import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Cast } from "../support/people.ts"
import type { Walks } from "../support/walks.ts"

export const operations = ["AccountList"]

export const walks: Walks = Effect.gen(function* () {
  const { odin } = yield* Cast
  const sql = yield* SqlClient.SqlClient
  yield* sql`insert into accounts (id, created_at, updated_at, handle, handle_key, name, name_form, handle_form, kind)
    select 'v' || lpad(n::text, 18, '0') || '0', timestamptz '1969-01-01Z' + (n / 7) * interval '1 microsecond',
      'epoch'::timestamptz + (n % 5) * interval '1 hour', 'v' || n, 'v' || n, 'V', 'v', 'v' || n,
      case when n % 10 = 0 then 'bot' else 'human' end
    from generate_series(1, 160) n`
  const remove = (id: string) => sql`delete from accounts where id = ${id} and name = 'V'`
  const list = { operation: "AccountList", viewer: odin, rows: "accounts", remove }
  const path = "/admin/accounts"
  return [
    { ...list, path, narrowed: `${path}?kind=bot` },
    { ...list, when: "by change", path: `${path}?sort=updated_at`, narrowed: path },
    { ...list, when: "by handle", path: `${path}?sort=-handle&kind=human`, narrowed: `${path}?sort=-handle` }
  ]
})
