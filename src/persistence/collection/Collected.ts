import { Effect } from "effect"
import type { AccountId, PostId } from "../../domain/shared/Id.ts"
import type { Collected } from "../../domain/thread/ThreadContent.ts"
import { QuickReads } from "../shared/Connections.ts"
import { all, isOneOf } from "../shared/Query.ts"
import { isInCollection } from "./MembershipSql.ts"

/** Which of these posts are in collections of an account. */
export const makeCollected = Effect.map(
  QuickReads,
  (sql) => (account: AccountId, posts: ReadonlyArray<PostId>) =>
    Effect.map(
      all(
        sql<{ readonly post_id: PostId }>`select distinct post_id from collection_items
          where owner_id = ${account} and ${sql.literal(isInCollection)} and ${isOneOf(sql, "post_id", posts)}`
      ),
      (rows): Collected => new Set(rows.map(({ post_id }) => post_id))
    )
)
