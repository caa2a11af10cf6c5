import type { Notification } from "../../domain/notification/Notification.ts"
import type { StoredNotification } from "../../domain/notification/NotificationStore.ts"
import { builtIn } from "../../domain/role/Role.ts"
import type { AccountId, NotificationId } from "../../domain/shared/Id.ts"
import type { Visibility } from "../../domain/shared/Visibility.ts"
import { type ProfileRow, profileColumns, profileOf } from "../account/ProfileRows.ts"
import { type RoleCatalogue, roleCatalogue } from "../role/RoleRows.ts"
import { type Columns, selected } from "../shared/Columns.ts"
import { shown } from "../shared/Rows.ts"
import { type Opening, type PostRow, postColumns, postOf } from "../thread/PostRows.ts"

/** The post that a notification is about, with what decides who may see it. */
interface ItemRow extends PostRow, Opening {
  readonly thread_author_id: AccountId
  readonly thread_visibility: Visibility
}

export type NotificationRow = {
  readonly notification_id: NotificationId
  readonly notified_at: Date
  readonly event: Notification["event"]
  readonly status: Notification["status"]
  readonly source: ProfileRow | null
  readonly catalogue: RoleCatalogue | null
} & { readonly [K in keyof ItemRow]: ItemRow[K] | null }

/** A notification of `notificationSource`, as `viewer` sees it; the source's profile comes as JSON. */
export const notificationColumns: Columns<NotificationRow> = {
  notification_id: "n.id",
  notified_at: "n.created_at",
  event: "n.event",
  status: "n.status",
  source: `(select row_to_json(x) from (
    select ${selected(profileColumns("s"))} from accounts s where s.id = n.source_id
  ) x)`,
  catalogue: `case when row_number() over (order by n.created_at desc, n.id desc) = 1 then ${roleCatalogue} end`,
  ...postColumns,
  title: "o.title",
  slug: "o.slug",
  thread_author_id: "t.author_id",
  thread_visibility: "t.visibility"
}

/** Notifications `n`, each with the post `p` it is about unless that is gone. */
export const notificationSource = `notifications n
  left join (posts p join threads t on t.id = p.thread_id and t.deleted_at is null)
    on p.id = n.item_id and p.deleted_at is null
  left join posts o on o.id = t.id
  left join accounts a on a.id = p.author_id`

/** Of `notificationSource`, those that are about nothing, or about something that is still there. */
export const itemRemains = "(n.item_id is null or t.id is not null)"

/**
 * An expression for how many unread notifications account `a` finds in its
 * list. The rules are `mayReadThread` and `mayReadReply` of the domain.
 */
export const unreadCount = `(select count(*)::int from notifications n
  left join (posts p join threads t on t.id = p.thread_id and t.deleted_at is null)
    on p.id = n.item_id and p.deleted_at is null
  where n.account_id = a.id and n.status = 'unread' and (
    n.item_id is null
    or t.id is not null and (
      (t.visibility = 'published' or t.author_id = a.id)
        and (p.id = t.id or p.visibility = 'published' or p.visibility = 'review' and p.author_id = a.id)
      or a.admin
      or exists (select from roles m where m.permissions && '{MANAGE_POSTS,ADMINISTRATOR}' and (
        m.id = '${builtIn.member}' or m.id in (select role_id from account_roles where account_id = a.id)))
    )
  ))`

type WithItem = NotificationRow & ItemRow

const hasItem = (row: NotificationRow): row is WithItem => row.id !== null

// An item is found at its thread's address, be it the thread or a reply.
const itemOf = (row: WithItem, catalogue: RoleCatalogue) =>
  ({ kind: "post", ref: postOf(row, row.title, row.slug, catalogue) }) as const

const aboutOf = (row: WithItem): StoredNotification["about"] => ({
  isThread: row.id === row.thread_id,
  post: { authorId: row.profile_id, visibility: row.visibility },
  thread: { authorId: row.thread_author_id, visibility: row.thread_visibility }
})

export const storedOf = (row: NotificationRow, catalogue: RoleCatalogue): StoredNotification => ({
  notification: {
    id: row.notification_id,
    created_at: shown(row.notified_at),
    event: row.event,
    ...(hasItem(row) ? { item: itemOf(row, catalogue) } : {}),
    ...(row.source === null ? {} : { source: profileOf(row.source, catalogue) }),
    status: row.status
  },
  about: hasItem(row) ? aboutOf(row) : undefined
})
