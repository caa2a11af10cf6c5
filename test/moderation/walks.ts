import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Cast } from "../support/people.ts"
import type { Walks } from "../support/walks.ts"

export const operations = ["AuditEventList"]

export const walks: Walks = Effect.gen(function* () {
  const { odin } = yield* Cast
  const sql = yield* SqlClient.SqlClient
  yield* sql`insert into audit_events (id, occurred_at, type, subject, cause_id)
    select lpad((n * 7919 % 100003)::text, 19, '0') || '0', timestamptz '2001-01-01Z' + (n / 3) * interval '1 minute',
      case when n % 3 = 0 then 'thread_reply_deleted' else 'thread_deleted' end,
      case when n % 3 = 0 then jsonb_build_object('reply_id', '00000000000000000000')
        else jsonb_build_object('thread_id', '00000000000000000000') end, -n
    from generate_series(1, 240) n`
  // The database lets nobody remove an entry.
  const remove = () => Effect.void
  const list = { operation: "AuditEventList", viewer: odin, rows: "events", remove }
  const path = "/admin/audit-events"
  return [
    { ...list, path, narrowed: `${path}?types=thread_deleted` },
    {
      ...list,
      when: "of two types",
      path: `${path}?types=thread_deleted&types=thread_reply_deleted`,
      narrowed: `${path}?types=thread_deleted`
    },
    { ...list, when: "in a time", path: `${path}?range=2001-01-01/2001-01-02`, narrowed: path }
  ]
})
