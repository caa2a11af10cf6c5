/** Which notifications an account sees: those about what it may read. */
import type { SqlClient, Statement } from "effect/sql"
import type { Receiver } from "../../domain/notification/NotificationStore.ts"
import { profileSize } from "../sizes/ItemSizes.ts"
import { mostOfThread } from "../sizes/PostSize.ts"
import { readableNode } from "./ReadableNodeSql.ts"
import { readablePost } from "./ReadablePostSql.ts"

// Stands for the size of a node, which depends on the node above it as well.
const unknown = "2147483647"

/**
 * At least as many bytes as the item of a row of `notifications n` takes in an answer; null where its receiver may not
 * read what the row is about. A notification without an item is always seen. The kind of the item is that of the table
 * that has its id. Items are looked up one by one: a limit keeps the planner from reading all there are.
 */
export const readableSize = (sql: SqlClient.SqlClient, receiver: Receiver): Statement.Fragment =>
  sql`case when n.item_id is null then 0 else coalesce(
    (select case when ${receiver.readsThreads}::boolean and ${readablePost(sql, receiver)}
        then ${sql.literal(mostOfThread("t"))} end
      from posts p join threads t on t.id = p.thread_id
      where p.id = coalesce(n.reply_id, n.item_id) limit 1),
    (select case when ${receiver.readsLibrary}::boolean and ${readableNode(sql, "k", {
      accountId: receiver.accountId,
      manages: receiver.managesLibrary
    })} then ${sql.literal(unknown)} end from nodes k where k.id = n.item_id limit 1),
    (select case when ${receiver.readsProfiles}::boolean or a.id = ${receiver.accountId}
        then ${sql.literal(profileSize("a"))} end
      from accounts a where a.id = n.item_id limit 1)) end`

/** The condition that a row of `notifications n` is about what its receiver may read. */
export const isReadable = (sql: SqlClient.SqlClient, receiver: Receiver): Statement.Fragment =>
  sql`(${readableSize(sql, receiver)}) is not null`
