import type { SqlClient, Statement } from "effect/sql"
import type { ItemRef } from "../../domain/collection/Collectable.ts"

/** The condition that a row of `collection_items` is in its collection: it is no submission that awaits the owner. */
export const isInCollection = "(membership_type <> 'submission_review')"

/** The condition that a row of `collection_items` is this item. */
export const isItemOf = (sql: SqlClient.SqlClient, { id, kind }: ItemRef): Statement.Fragment =>
  kind === "post" ? sql`post_id = ${id}` : sql`node_id = ${id}`
