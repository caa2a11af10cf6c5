/** Which posts a reader may read: the policies of threads and replies as a condition. */
import type { SqlClient, Statement } from "effect/sql"
import { readableAs } from "../../domain/shared/Visibility.ts"
import { replyPolicy, threadPolicy } from "../../domain/thread/PostVisibility.ts"
import type { PostReader } from "../../domain/thread/ThreadRules.ts"
import { visibilityCondition } from "./VisibilitySql.ts"

/** The condition that a reader may read the post `p` of the thread `t`; nobody may read what is deleted. */
export const readablePost = (
  sql: SqlClient.SqlClient,
  { accountId, moderates }: PostReader
): Statement.Fragment =>
  sql`p.deleted_at is null and t.deleted_at is null
    and ${visibilityCondition(sql, "t", readableAs(threadPolicy, moderates), accountId)}
    and (p.id = t.id or ${visibilityCondition(sql, "p", readableAs(replyPolicy, moderates), accountId)})`
