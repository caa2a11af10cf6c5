/** Deliveries as administrators read them. */
import { Effect, Option } from "effect"
import type { SqlClient } from "effect/sql"
import { pageSize } from "../../domain/webhook/WebhookDelivery.ts"
import type { WebhookDeliveryStore } from "../../domain/webhook/WebhookDeliveryStore.ts"
import { pagedList } from "../shared/PagedList.ts"
import {
  attemptOf,
  attemptRows,
  deliveryColumns,
  deliveryOf,
  deliveryRows,
  type EncodedDelivery
} from "./WebhookDeliveryRows.ts"

const newestFirst = pagedList<EncodedDelivery>({
  table: "webhook_deliveries",
  row: "d",
  columns: deliveryColumns,
  order: [["d.id", "desc", "text"]],
  pageSize
})

/** Reads deliveries on these connections. */
export const deliveriesOn = (
  sql: SqlClient.SqlClient
): Pick<WebhookDeliveryStore["Service"], "find" | "list"> => ({
  list: Effect.fnUntraced(function* (webhook, status, place) {
    const ofStatus = status === undefined ? [] : [sql`status = ${status}`]
    const { next, rows, total } = yield* newestFirst.page(sql, {
      place,
      conditions: [sql`d.webhook_id = ${webhook}`, ...ofStatus],
      facts: sql`select coalesce(sum(deliveries), 0)::int as total from webhook_totals
        where ${sql.and([sql`webhook_id = ${webhook}`, ...ofStatus])}`
    })
    const deliveries = yield* deliveryRows.all(Effect.succeed(rows))
    return { total, next, deliveries: deliveries.map(deliveryOf) }
  }),

  find: Effect.fnUntraced(function* (webhook, id) {
    const row = yield* deliveryRows.first(sql`select ${sql.literal(deliveryColumns)} from webhook_deliveries d
      where d.id = ${id} and d.webhook_id = ${webhook}`)
    if (row === undefined) return Option.none()
    const attempts = yield* attemptRows.all(sql`select begun_at, milliseconds, status, answer, error
      from webhook_attempts where delivery_id = ${id} order by number`)
    return Option.some({ ...deliveryOf(row), attempts: attempts.map(attemptOf) })
  })
})
