/** The threads of a category that is deleted, deleted ones included. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { locking } from "../shared/Locks.ts"

export const makeCategoryThreads = Effect.map(SqlClient.SqlClient, (sql) => ({
  /** Lets nobody change them until the transaction ends. No thread may enter the category meanwhile. */
  lock: (category: string) =>
    locking("thread")(sql`select from threads where category_id = ${category} order by id for no key update`),

  move: (from: string, to: string) =>
    Effect.andThen(
      sql`update threads set category_id = ${to} where category_id = ${from}`,
      // Those of its authors.
      locking("author total")(sql`with gone as (
          delete from author_totals where category_id = ${from} returning author_id, published
        )
        insert into author_totals as t (author_id, category_id, published)
        select author_id, ${to}, published from gone order by author_id
        on conflict (author_id, category_id) do update set published = t.published + excluded.published`)
    )
}))
