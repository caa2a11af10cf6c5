import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Queue, Schema } from "effect"
import type { ChangePosition } from "../../domain/change/ChangePosition.ts"
import { tellingTags } from "../../domain/change/ChangesOfEvents.ts"
import { AccountId, WebhookId } from "../../domain/shared/Id.ts"
import { WebhookEvent } from "../../domain/webhook/Webhook.ts"
import { WebhookSignal } from "../../domain/webhook/WebhookDeliveryStore.ts"
import {
  type ReplayedEvent,
  ReplaySignal,
  WebhookReplayStore
} from "../../domain/webhook/WebhookReplayStore.ts"
import { newestReadable } from "../event/ConsumerPositions.ts"
import { locking } from "../shared/Locks.ts"
import { all, decoded, run, some } from "../shared/Query.ts"
import { toDate, toDateTime } from "../shared/Rows.ts"
import { deliveryTable } from "./WebhookDeliveryRows.ts"
import { waitingOf } from "./WebhookStoreSql.ts"

type Store = WebhookReplayStore["Service"]

/** How many events of the log are looked at in a step. */
export const pageMax = 500

const Row = Schema.Struct({
  id: WebhookId,
  account_id: AccountId,
  url: Schema.String,
  events: Schema.Array(WebhookEvent),
  waiting: Schema.Int,
  from_at: Schema.Date,
  to_at: Schema.Date,
  generation: Schema.Int,
  txid: Schema.String,
  event_id: Schema.BigInt,
  end_generation: Schema.Int,
  end_txid: Schema.String,
  end_event_id: Schema.BigInt
})
const rows = decoded(Row)

interface PageRow extends ChangePosition {
  readonly occurred_at: Date
  readonly event: unknown
  readonly is_told: boolean
}

const begin =
  (sql: PgClient.PgClient, wake: Effect.Effect<void>): Store["begin"] =>
  (webhook, from, to) =>
    // Where nothing has happened, nothing is delivered again.
    some(
      locking("webhook")(sql`insert into webhook_replays
          (webhook_id, from_at, to_at, generation, txid, event_id, end_generation, end_txid, end_event_id)
        select ${webhook}, ${toDate(from)}, ${toDate(to)}, 0, '0', 0,
          coalesce(head.generation, 0), coalesce(head.txid, '0'), coalesce(head.id, 0)
        from (select) one left join lateral (${sql.literal(newestReadable)}) head on true
        on conflict (webhook_id) do nothing returning webhook_id`)
    ).pipe(Effect.tap(() => wake))

const takeForUpdate =
  (sql: PgClient.PgClient): Store["takeForUpdate"] =>
  (waitingBelow) =>
    Effect.map(
      rows.first(
        locking(
          "webhook"
        )(sql`select w.id, w.account_id, w.url, w.events, ${sql.literal(waitingOf("w"))} as waiting,
            r.from_at, r.to_at, r.generation, r.txid::text, r.event_id, r.end_generation, r.end_txid::text,
            r.end_event_id
          from webhook_replays r join webhooks w on w.id = r.webhook_id
          where w.is_active and ${sql.literal(waitingOf("w"))} < ${waitingBelow}
          order by r.webhook_id limit 1 for update of r skip locked for key share of w skip locked`)
      ),
      (row) =>
        row && {
          webhook: {
            id: row.id,
            accountId: row.account_id,
            url: row.url,
            events: row.events,
            waiting: row.waiting
          },
          from: toDateTime(row.from_at),
          to: toDateTime(row.to_at),
          at: { generation: row.generation, txid: row.txid, id: row.event_id },
          end: { generation: row.end_generation, txid: row.end_txid, id: row.end_event_id }
        }
    )

const readPage = (sql: PgClient.PgClient): Store["readPage"] =>
  Effect.fnUntraced(function* ({ at, end, from, to }) {
    const place = ({ generation, id, txid }: ChangePosition) =>
      sql`(${generation}::integer, ${txid}::text::xid8, ${id}::bigint)`
    const found = yield* all(sql<PageRow>`select e.generation, e.txid::text, e.id, e.occurred_at, e.event,
        coalesce(e.tag = any(${tellingTags}::text[]) and e.occurred_at between ${toDate(from)} and ${toDate(to)}, false)
          as is_told
      from event_log e
      where (e.generation, e.txid, e.id) > ${place(at)} and (e.generation, e.txid, e.id) <= ${place(end)}
      order by e.generation, e.txid, e.id limit ${pageMax}`)
    const last = found.length < pageMax ? undefined : found.at(-1)
    const events = found.flatMap(
      ({ event, id, is_told, occurred_at }): ReadonlyArray<ReplayedEvent> =>
        is_told ? [{ id, at: toDateTime(occurred_at), event }] : []
    )
    return { events, next: last && { generation: last.generation, txid: last.txid, id: last.id } }
  })

const enqueueAgain =
  (sql: PgClient.PgClient, wake: Effect.Effect<void>): Store["enqueueAgain"] =>
  (deliveries, at) => {
    if (deliveries.length === 0) return Effect.void
    const statement = sql`insert into webhook_deliveries as known
        (id, webhook_id, message_id, cause_id, type, created_at, queued_at, status, due_at)
      select n.id, n.webhook_id, n.message_id, n.cause_id, n.type, ${toDate(at)}, ${toDate(at)}, 'waiting', ${toDate(at)}
      from ${deliveryTable(sql, deliveries)} order by n.id
      on conflict (webhook_id, message_id) do update set status = 'waiting', due_at = excluded.due_at,
        queued_at = excluded.queued_at, tries = 0, ended_at = null
      where known.status <> 'waiting'`
    return Effect.andThen(run(locking("webhook delivery")(statement)), wake)
  }

export const layer = Layer.effect(
  WebhookReplayStore,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const signal = yield* ReplaySignal
    const delivering = yield* WebhookSignal
    const wake = sql.afterCommit(Effect.asVoid(Queue.offer(signal, undefined)))

    return WebhookReplayStore.of({
      begin: begin(sql, wake),
      takeForUpdate: takeForUpdate(sql),
      readPage: readPage(sql),
      enqueueAgain: enqueueAgain(sql, sql.afterCommit(Effect.asVoid(Queue.offer(delivering, undefined)))),
      move: (webhook, { generation, id, txid }) =>
        run(sql`update webhook_replays
          set (generation, txid, event_id) = (${generation}::integer, ${txid}::text::xid8, ${id}::bigint)
          where webhook_id = ${webhook}`),
      end: (webhook) => run(sql`delete from webhook_replays where webhook_id = ${webhook}`)
    })
  })
)
