import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Cast } from "../support/people.ts"
import type { Walks } from "../support/walks.ts"

export const operations = ["NotificationList"]

export const walks: Walks = Effect.gen(function* () {
  const { freya } = yield* Cast
  const sql = yield* SqlClient.SqlClient
  yield* sql`insert into notifications (id, created_at, account_id, event, status, cause_id)
    select 'n' || lpad(n::text, 18, '0') || '0', 'epoch'::timestamptz + (n / 7) * interval '1 microsecond',
      ${freya.id}, 'follow', case when n % 3 = 0 then 'read' else 'unread' end, -n from generate_series(1, 230) n`
  const remove = (id: string) => sql`delete from notifications where id = ${id}`
  const list = { operation: "NotificationList", viewer: freya, rows: "notifications", remove }
  return [
    { ...list, path: "/notifications", narrowed: "/notifications?status=read" },
    { ...list, when: "unread", path: "/notifications?status=unread", narrowed: "/notifications" }
  ]
})
