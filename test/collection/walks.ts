import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Cast } from "../support/people.ts"
import type { Walks } from "../support/walks.ts"

export const operations = ["CollectionList"]

export const walks: Walks = Effect.gen(function* () {
  const { freya, loki } = yield* Cast
  const sql = yield* SqlClient.SqlClient
  yield* sql`insert into collections (id, created_at, updated_at, owner_id, name, slug)
    select 'c' || lpad(n::text, 18, '0') || '0', 'epoch'::timestamptz + (n / 7) * interval '1 microsecond', 'epoch',
      case when n % 3 = 0 then ${loki.id} else ${freya.id} end, 'n', '' from generate_series(1, 230) n`
  const remove = (id: string) => sql`delete from collections where id = ${id}`
  const list = { operation: "CollectionList", viewer: freya, rows: "collections", remove }
  return [
    { ...list, path: "/collections", narrowed: "/collections?account_handle=loki" },
    {
      ...list,
      when: "of an account",
      path: "/collections?account_handle=freya",
      narrowed: "/collections?account_handle=loki"
    }
  ]
})
