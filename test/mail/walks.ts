import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Cast } from "../support/people.ts"
import type { Walks } from "../support/walks.ts"

export const operations = ["EmailQueueList"]

export const walks: Walks = Effect.gen(function* () {
  const { odin } = yield* Cast
  const sql = yield* SqlClient.SqlClient
  yield* sql`insert into email_queue
      (id, queued_at, updated_at, recipient_address, recipient_name, subject, text_body, html_body, due_at)
    select lpad(n::text, 19, '0') || '0', '2001-01-01Z'::timestamptz + (n / 7) * interval '1 microsecond',
      '2001-01-01Z', n || '@many.example', '', 'x', '', '', 'infinity' from generate_series(1, 160) n`
  const remove = (id: string) => sql`delete from email_queue where id = ${id}`
  const list = { operation: "EmailQueueList", viewer: odin, rows: "emails", remove }
  const path = "/admin/email-queue"
  return [
    { ...list, path, narrowed: `${path}?q=many` },
    { ...list, when: "to some addresses", path: `${path}?q=many`, narrowed: path }
  ]
})
