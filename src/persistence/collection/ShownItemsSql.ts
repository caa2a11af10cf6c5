/** How many items of a collection a viewer sees: the rule of `mayShow` as a condition. */
import type { SqlClient, Statement } from "effect/sql"
import type { CollectionViewer } from "../../domain/collection/CollectionRules.ts"
import { nodePolicy } from "../../domain/library/NodeRules.ts"
import { readableAs, type VisibilityPolicy } from "../../domain/shared/Visibility.ts"
import { replyPolicy, threadPolicy } from "../../domain/thread/PostVisibility.ts"
import { readableNode } from "../visibility/ReadableNodeSql.ts"
import { readablePost } from "../visibility/ReadablePostSql.ts"
import { visibilityCondition } from "../visibility/VisibilitySql.ts"
import { isInCollection } from "./MembershipSql.ts"

/** How many items of `collections c` a viewer sees. */
export const shownItemCount = (sql: SqlClient.SqlClient, viewer: CollectionViewer): Statement.Fragment => {
  const { accountId, managesLibrary, moderates, readsNodes, readsPosts, seesAll } = viewer
  const seesAllOfIt =
    accountId === undefined
      ? sql`${seesAll}::boolean`
      : sql`(${seesAll}::boolean or c.owner_id = ${accountId})`
  const isViewer = (maker: string) =>
    accountId === undefined ? sql`false` : sql`${sql.literal(maker)} = ${accountId}`

  /** The condition that the account that added an item may read it without any permission of its roles. */
  const readsAsAdder = (table: string, maker: string, policy: VisibilityPolicy) => {
    const { others, own } = readableAs(policy, false)
    return sql`${sql.literal(table)}.visibility = any(
      case when ${sql.literal(`${table}.${maker}`)} = i.added_by then ${own}::text[] else ${others}::text[] end)`
  }
  const isForAll = (table: string, policy: VisibilityPolicy) =>
    visibilityCondition(sql, table, readableAs(policy, false), undefined)

  /**
   * The condition that an item is shown, made of the conditions for the viewer, for who added the item, and for
   * everyone.
   */
  const isShown = (
    maker: string,
    forViewer: Statement.Fragment,
    forAdder: Statement.Fragment,
    forAll: Statement.Fragment
  ) => sql`case when ${seesAllOfIt} then ${forViewer} or (i.added_by is not null and ${forAdder})
    when ${isViewer(maker)} then ${forViewer}
    else ${sql.literal(isInCollection)} and ${forAll} end`

  const post = isShown(
    "p.author_id",
    readablePost(sql, { accountId, moderates }),
    sql`${readsAsAdder("t", "author_id", threadPolicy)}
      and (p.id = t.id or ${readsAsAdder("p", "author_id", replyPolicy)})`,
    sql`${isForAll("t", threadPolicy)} and (p.id = t.id or ${isForAll("p", replyPolicy)})`
  )
  const node = isShown(
    "n.owner_id",
    readableNode(sql, "n", { accountId, manages: managesLibrary }),
    readsAsAdder("n", "owner_id", nodePolicy),
    isForAll("n", nodePolicy)
  )
  return sql`(select count(*)::int from collection_items i
    left join posts p on p.id = i.post_id left join threads t on t.id = i.thread_id
    left join nodes n on n.id = i.node_id
    where i.collection_id = c.id and i.owner_id = c.owner_id and case
      when n.id is not null then ${readsNodes}::boolean and ${node}
      when p.id is not null and p.deleted_at is null and t.deleted_at is null
        then ${readsPosts}::boolean and ${post} else false end)`
}
