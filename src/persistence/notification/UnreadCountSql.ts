import { Effect } from "effect"
import type { AccountId } from "../../domain/shared/Id.ts"
import { readableAs } from "../../domain/shared/Visibility.ts"
import { replyPolicy, threadPolicy } from "../../domain/thread/ThreadRules.ts"
import { QuickReads } from "../shared/Connections.ts"
import { first } from "../shared/Query.ts"
import { passing } from "../shared/VisibilitySql.ts"

/** How many unread notifications an account finds in its list: those about what it may read. */
export const makeUnreadCount = Effect.map(QuickReads, (sql) => (id: AccountId, moderates: boolean) => {
  const isThreadReadable = passing(sql, "t", readableAs(threadPolicy, moderates), id)
  const isPostReadable = passing(sql, "p", readableAs(replyPolicy, moderates), id)
  return Effect.map(
    first(sql<{ readonly unread: number }>`select count(*)::int as unread from notifications n
      left join (posts p join threads t on t.id = p.thread_id and t.deleted_at is null)
        on p.id = n.item_id and p.deleted_at is null
      where n.account_id = ${id} and n.status = 'unread' and (n.item_id is null
        or (t.id is not null and ${isThreadReadable} and (p.id = t.id or ${isPostReadable})))`),
    (row) => row?.unread ?? 0
  )
})
