import { PgClient } from "@effect/sql-pg"
import { Effect, Layer } from "effect"
import type { Statement } from "effect/sql"
import { type NewNotification, NotificationStore } from "../../domain/notification/NotificationStore.ts"
import type { AccountActor } from "../../domain/shared/Actor.ts"
import type { NotificationId } from "../../domain/shared/Id.ts"
import { rowsOf, selected } from "../shared/Columns.ts"
import { insertRows } from "../shared/insertRows.ts"
import { timestamp } from "../shared/Rows.ts"
import { orDefect } from "../shared/SqlErrors.ts"
import { itemRemains, notificationColumns, notificationSource, storedOf } from "./NotificationRows.ts"

const rowOf = (one: NewNotification) => ({
  id: one.id,
  created_at: timestamp(one.at),
  account_id: one.accountId,
  event: one.event,
  source_id: one.sourceId,
  item_kind: "post",
  item_id: one.postId,
  cause_id: one.causeId
})

export const layer = Layer.effect(
  NotificationStore,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const columns = sql.literal(selected(notificationColumns))
    const rows = rowsOf(notificationColumns)
    const source = sql.literal(notificationSource)
    const remains = sql.literal(itemRemains)

    const select = (viewer: AccountActor, condition: Statement.Fragment) =>
      rows(sql`
        with viewer as (select ${viewer.accountId}::text as id)
        select ${columns} from ${source}
        where n.account_id = ${viewer.accountId} and ${condition}
        order by n.created_at desc, n.id desc`).pipe(
        Effect.map((rows) => rows.map((row) => storedOf(row, rows[0]?.catalogue ?? []))),
        orDefect
      )

    return NotificationStore.of({
      insert: (notifications) =>
        Effect.gen(function* () {
          if (notifications.length === 0) return
          // Anyone can mention an account that never was.
          const accounts = yield* sql<{ readonly id: string }>`select id from accounts
            where id = any(${notifications.map(({ accountId }) => accountId)}::text[]) for key share`
          const known = new Set(accounts.map(({ id }) => id))
          const rows = notifications.filter(({ accountId }) => known.has(accountId)).map(rowOf)
          yield* insertRows(sql, "notifications", rows)
        }).pipe(orDefect),

      list: (viewer, statuses) =>
        select(viewer, statuses.length === 0 ? remains : sql`${remains} and ${sql.in("n.status", statuses)}`),

      listByIds: (viewer, ids) =>
        ids.length === 0 ? Effect.succeed([]) : select(viewer, sql`n.id = any(${ids}::text[])`),

      setStatus: (accountId, ids, status) =>
        sql`update notifications set status = ${status}
          where account_id = ${accountId} and id = any(${ids}::text[])`.pipe(Effect.asVoid, orDefect),

      owned: (accountId, ids) =>
        ids.length === 0
          ? Effect.succeed([])
          : sql<{ readonly id: NotificationId }>`select id from notifications
              where account_id = ${accountId} and id = any(${ids}::text[]) order by id for update`.pipe(
              Effect.map((rows) => rows.map(({ id }) => id)),
              orDefect
            )
    })
  })
)
