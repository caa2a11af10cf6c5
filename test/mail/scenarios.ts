import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { EmailNotFailed, EmailNotFound } from "../../src/domain/mail/EmailQueueItem.ts"
import { Forbidden, Unauthenticated } from "../../src/domain/shared/Actor.ts"
import { Cast, guest, nobody } from "../support/people.ts"
import type { Scenarios } from "../support/scenarios.ts"

const idOf = (n: number) => `mail${String(n).padStart(15, "0")}0`

/** Mails of all statuses, each with two attempts; the first failed. */
export const fill = SqlClient.SqlClient.use((sql) =>
  Effect.andThen(
    sql`insert into email_queue (id, queued_at, updated_at, processed_at, status, recipient_address, recipient_name,
        subject, text_body, html_body, due_at, attempts)
      select 'mail' || lpad(n::text, 15, '0') || '0', 'epoch', 'epoch', case when status = 'sent' then 'epoch'::timestamptz end,
        status, n || '@example.com', 'Freya', 'Hello', case when status <> 'sent' then 'x' end,
        case when status <> 'sent' then 'x' end, case when status in ('pending', 'processing') then 'infinity'::timestamptz end, 2
      from generate_series(1, 120) n,
        lateral (select (array['sent', 'failed', 'pending', 'processing'])[1 + n % 4]) as s (status)`,
    sql`insert into email_attempts (email_id, number, ended_at, status, error)
      select id, n, 'epoch', 'failed', '450 Busy' from email_queue, generate_series(1, 2) n`
  )
)

export const scenarios: Scenarios = Effect.gen(function* () {
  const { freya, odin } = yield* Cast
  yield* fill
  const attempt = (id: string) => `/admin/email-queue/${id}/attempt`
  return [
    { operation: "EmailQueueList", call: odin.get("/admin/email-queue"), expects: 200, statements: 3 },
    {
      operation: "EmailQueueList",
      when: "narrowed",
      call: odin.get("/admin/email-queue?q=1&statuses=sent&statuses=failed&range=1970-01-01/"),
      expects: 200,
      statements: 3
    },
    {
      operation: "EmailQueueList",
      when: "by a member",
      call: freya.get("/admin/email-queue"),
      expects: Forbidden
    },
    {
      operation: "EmailQueueList",
      when: "by a guest",
      call: guest.get("/admin/email-queue"),
      expects: Unauthenticated
    },
    { operation: "EmailQueueRetry", call: odin.post(attempt(idOf(1))), expects: 200, statements: 4 },
    {
      operation: "EmailQueueRetry",
      when: "of one that waits",
      call: odin.post(attempt(idOf(2))),
      expects: EmailNotFailed
    },
    {
      operation: "EmailQueueRetry",
      when: "of none",
      call: odin.post(attempt(nobody)),
      expects: EmailNotFound
    },
    {
      operation: "EmailQueueRetry",
      when: "by a member",
      call: freya.post(attempt(idOf(1))),
      expects: Forbidden
    },
    {
      operation: "EmailQueueRetry",
      when: "by a guest",
      call: guest.post(attempt(idOf(1))),
      expects: Unauthenticated
    }
  ]
})
