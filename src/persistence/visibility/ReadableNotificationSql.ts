/** Which notifications an account sees: those about what it may read. */
import type { SqlClient, Statement } from "effect/sql"
import type { Receiver } from "../../domain/notification/NotificationStore.ts"
import { readableNode } from "./ReadableNodeSql.ts"
import { readablePost } from "./ReadablePostSql.ts"

/**
 * The condition on a row of `notifications n`; one without an item is always seen. What the item is, the one table
 * says that has its id. These are looked up one by one: a limit keeps the planner from reading all there are.
 */
export const isReadable = (sql: SqlClient.SqlClient, receiver: Receiver): Statement.Fragment =>
  sql`(n.item_id is null or coalesce(
    (select ${receiver.readsThreads}::boolean and ${readablePost(sql, receiver)}
      from posts p join threads t on t.id = p.thread_id
      where p.id = coalesce(n.reply_id, n.item_id) limit 1),
    (select ${receiver.readsLibrary}::boolean and ${readableNode(sql, "k", {
      accountId: receiver.accountId,
      manages: receiver.managesLibrary
    })} from nodes k where k.id = n.item_id limit 1),
    (select ${receiver.readsProfiles}::boolean or a.id = ${receiver.accountId}
      from accounts a where a.id = n.item_id limit 1),
    false))`
