/** The threads of a category that is deleted, deleted ones included. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { locking } from "../shared/Locks.ts"

export const makeCategoryThreads = Effect.map(SqlClient.SqlClient, (sql) => ({
  /** Lets nobody change them until the transaction ends. No thread may enter the category meanwhile. */
  lock: (category: string) =>
    locking("thread")(sql`select from threads where category_id = ${category} order by id for no key update`),

  move: (from: string, to: string) => sql`update threads set category_id = ${to} where category_id = ${from}`
}))
