/** The service as it is deployed, with a mail server: what waits is sent, whatever ends it in the midst. */

import { PgClient } from "@effect/sql-pg"
import { assert, it } from "@effect/vitest"
import { Context, Effect, Layer, Redacted } from "effect"
import { startService } from "../support/child.ts"
import { sender, serve } from "../support/mailbox.ts"
import { freshDatabase } from "./support.ts"

const start = (settings: Readonly<Record<string, string>>) =>
  Effect.acquireRelease(
    Effect.sync(() => startService(settings)),
    ({ process }) => Effect.sync(() => process.kill("SIGKILL"))
  )

const rows = (sql: PgClient.PgClient) =>
  sql<{ readonly status: string; readonly attempts: ReadonlyArray<string> }>`select status,
    array(select a.status from email_attempts a where a.email_id = q.id order by number) as attempts from email_queue q`

it.live(
  "a mail is sent again under its Message-ID after the service was stopped or killed while it sent it",
  () =>
    Effect.gen(function* () {
      const { behaviour, port, received, release, untilReceived } = yield* serve
      const url = yield* Effect.promise(freshDatabase)
      const context = yield* Layer.build(PgClient.layer({ url: Redacted.make(url), maxConnections: 1 }))
      const sql = Context.get(context, PgClient.PgClient)
      const settings = {
        DATABASE_URL: url,
        SMTP_URL: `smtp://127.0.0.1:${port}?tls=off`,
        MAIL_FROM: `${sender.name} <${sender.address}>`
      }
      yield* sql`insert into email_queue
          (id, queued_at, updated_at, recipient_address, recipient_name, subject, text_body, html_body, due_at)
        values ('dc0qdtnkhh6uivg000a0', now(), now(), 'freya@example.com', 'Freya', 'Hello', 'x', '<p>x</p>', now())`

      behaviour.current = { _tag: "Hold" }
      const stopped = yield* start(settings)
      yield* untilReceived(1)
      stopped.process.kill("SIGTERM")
      assert.strictEqual(yield* Effect.promise(() => stopped.exited), 0)
      assert.deepStrictEqual(yield* rows(sql), [{ status: "pending", attempts: [] }])

      const killed = yield* start(settings)
      yield* untilReceived(2)
      killed.process.kill("SIGKILL")
      yield* Effect.promise(() => killed.exited)
      assert.deepStrictEqual(yield* rows(sql), [{ status: "processing", attempts: [] }])

      // Its two minutes are over.
      yield* sql`update email_queue set due_at = now()`
      yield* release
      yield* start(settings)
      yield* untilReceived(3)
      yield* rows(sql).pipe(Effect.repeat({ until: ([row]) => row?.status === "sent" }))
      assert.deepStrictEqual(yield* rows(sql), [{ status: "sent", attempts: ["failed", "sent"] }])
      assert.strictEqual(new Set(received.map(({ messageId }) => messageId)).size, 1)
    }).pipe(Effect.scoped),
  60_000
)
