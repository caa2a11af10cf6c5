import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Cast } from "../support/people.ts"
import type { Walks } from "../support/walks.ts"

export const operations = ["WebhookList", "WebhookDeliveryList"]

export const walks: Walks = Effect.gen(function* () {
  const { odin } = yield* Cast
  const sql = yield* SqlClient.SqlClient
  // More than an instance takes, so that the list has several pages.
  yield* sql`alter table webhooks disable trigger webhooks_number`
  yield* sql`insert into webhooks (id, account_id, created_at, updated_at, url, events, is_active)
    select '5' || lpad(n::text, 18, '0') || '0', ${odin.id}, 'epoch', 'epoch', 'https://a.example/', array['*'], false
    from generate_series(1, 130) n`
  yield* sql`alter table webhooks enable trigger webhooks_number`
  const [busy, idle] = [`5${"1".padStart(18, "0")}0`, `5${"2".padStart(18, "0")}0`]
  yield* sql`insert into webhook_deliveries
      (id, webhook_id, message_id, type, created_at, queued_at, status, ended_at)
    select 'd' || lpad(n::text, 18, '0') || '0', ${busy}, 'm' || n, 'Test', 'epoch', 'epoch',
      case when n % 4 = 0 then 'failed' else 'delivered' end, 'epoch' from generate_series(1, 200) n`
  const deliveries = {
    operation: "WebhookDeliveryList",
    viewer: odin,
    rows: "deliveries",
    remove: (id: string) => sql`delete from webhook_deliveries where id = ${id}`
  }
  const path = `/admin/webhooks/${busy}/deliveries`
  return [
    { ...deliveries, path, narrowed: `/admin/webhooks/${idle}/deliveries` },
    { ...deliveries, when: "of a status", path: `${path}?status=delivered`, narrowed: path },
    {
      operation: "WebhookList",
      viewer: odin,
      path: "/admin/webhooks",
      rows: "webhooks",
      narrowed: path,
      remove: (id) => sql`delete from webhooks where id = ${id}`
    }
  ]
})
