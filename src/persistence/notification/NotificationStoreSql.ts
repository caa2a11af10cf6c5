import { PgClient } from "@effect/sql-pg"
import { Effect, Layer } from "effect"
import type { Statement } from "effect/sql"
import type { Notification } from "../../domain/notification/Notification.ts"
import { NotificationStore, type StoredNotification } from "../../domain/notification/NotificationStore.ts"
import type { Account } from "../../domain/shared/Actor.ts"
import { AccountId, NotificationId } from "../../domain/shared/Id.ts"
import type { Visibility } from "../../domain/shared/Visibility.ts"
import { type ProfileRow, profileColumns, profileOf } from "../account/ProfileRows.ts"
import { type RoleCatalogue, roleCatalogue } from "../role/RoleRows.ts"
import { insertRows } from "../shared/insertRows.ts"
import { timestamp, utc } from "../shared/Rows.ts"
import { orDefect } from "../shared/SqlErrors.ts"
import { type Opening, type PostRow, postColumns, postOf } from "../thread/PostRows.ts"

/** A notification about a post, with the post's columns and the source's profile as JSON. */
interface NotificationRow extends PostRow, Opening {
  readonly notification_id: string
  readonly notified_at: Date
  readonly event: Notification["event"]
  readonly status: Notification["status"]
  readonly source: ProfileRow | null
  readonly thread_author_id: string
  readonly thread_visibility: Visibility
  readonly catalogue: RoleCatalogue | null
}

const storedOf = (row: NotificationRow, catalogue: RoleCatalogue): StoredNotification => ({
  notification: {
    id: NotificationId.make(row.notification_id),
    created_at: utc(row.notified_at),
    event: row.event,
    // An item is found at its thread's address, be it the thread or a reply.
    item: { kind: "post", ref: postOf(row, row.title, row.slug, catalogue) },
    ...(row.source === null ? {} : { source: profileOf(row.source, catalogue) }),
    status: row.status
  },
  about: {
    isThread: row.id === row.thread_id,
    post: { authorId: AccountId.make(row.profile_id), visibility: row.visibility },
    thread: { authorId: AccountId.make(row.thread_author_id), visibility: row.thread_visibility }
  }
})

export const layer = Layer.effect(
  NotificationStore,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const columns = sql.literal(postColumns)
    const sourceColumns = sql.literal(profileColumns("s"))
    const catalogue = sql.literal(roleCatalogue)

    const select = (viewer: Account, condition: Statement.Fragment) =>
      sql<NotificationRow>`
        select n.id as notification_id, n.created_at as notified_at, n.event, n.status,
          (select row_to_json(x) from (select ${sourceColumns} from accounts s where s.id = n.source_id) x) as source,
          ${columns}, o.title, o.slug, t.author_id as thread_author_id, t.visibility as thread_visibility,
          case when row_number() over (order by n.created_at desc, n.id desc) = 1 then ${catalogue} end as catalogue
        from notifications n
        join posts p on p.id = n.item_id and p.deleted_at is null
        join threads t on t.id = p.thread_id and t.deleted_at is null
        join posts o on o.id = t.id
        join accounts a on a.id = p.author_id
        left join likes mine on mine.post_id = p.id and mine.account_id = n.account_id
        where n.account_id = ${viewer.accountId} and ${condition}
        order by n.created_at desc, n.id desc`.pipe(
        Effect.map((rows) => rows.map((row) => storedOf(row, rows[0]?.catalogue ?? []))),
        orDefect
      )

    const idsOf = (rows: ReadonlyArray<{ readonly id: string }>) =>
      rows.map(({ id }) => NotificationId.make(id))

    return NotificationStore.of({
      insert: (notifications) =>
        insertRows(
          sql,
          "notifications",
          notifications.map((one) => ({
            id: one.id,
            created_at: timestamp(one.at),
            account_id: one.accountId,
            event: one.event,
            source_id: one.sourceId,
            item_kind: "post",
            item_id: one.postId,
            cause_id: one.causeId
          }))
        ).pipe(orDefect),

      list: (viewer, statuses) =>
        select(viewer, statuses.length === 0 ? sql`true` : sql.in("n.status", statuses)),

      listByIds: (viewer, ids) =>
        ids.length === 0 ? Effect.succeed([]) : select(viewer, sql.in("n.id", ids)),

      setStatus: (accountId, ids, status) =>
        sql<{ readonly id: string }>`update notifications set status = ${status}
          where account_id = ${accountId} and ${sql.in("id", ids)} returning id`.pipe(
          Effect.map(idsOf),
          orDefect
        ),

      owned: (accountId, ids) =>
        ids.length === 0
          ? Effect.succeed([])
          : sql<{ readonly id: string }>`select id from notifications
              where account_id = ${accountId} and ${sql.in("id", ids)} for update`.pipe(
              Effect.map(idsOf),
              orDefect
            )
    })
  })
)
