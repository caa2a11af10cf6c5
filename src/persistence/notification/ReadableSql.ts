/** Which notifications an account sees: those about what it may read. */
import type { SqlClient, Statement } from "effect/sql"
import type { Receiver } from "../../domain/notification/NotificationStore.ts"
import { readableAs } from "../../domain/shared/Visibility.ts"
import { replyPolicy, threadPolicy } from "../../domain/thread/ThreadRules.ts"
import { passing } from "../shared/VisibilitySql.ts"

/**
 * The condition on a row of `notifications n`; one that is about no post is always seen. Posts are looked up
 * one by one: a limit keeps the planner from reading all there are.
 */
export const isReadable = (
  sql: SqlClient.SqlClient,
  { accountId, moderates }: Receiver
): Statement.Fragment => {
  const isThreadReadable = passing(sql, "t", readableAs(threadPolicy, moderates), accountId)
  const isPostReadable = passing(sql, "p", readableAs(replyPolicy, moderates), accountId)
  return sql`(n.item_id is null or coalesce((
    select p.deleted_at is null and t.deleted_at is null and ${isThreadReadable}
      and (p.id = t.id or ${isPostReadable})
    from posts p join threads t on t.id = p.thread_id
    where p.id = coalesce(n.reply_id, n.item_id) limit 1), false))`
}
