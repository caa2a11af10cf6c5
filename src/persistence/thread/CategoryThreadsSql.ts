import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { CategoryThreads } from "../category/CategoryThreads.ts"
import { locking } from "../shared/Locks.ts"
import { run } from "../shared/Query.ts"

export const layer = Layer.effect(
  CategoryThreads,
  Effect.map(SqlClient.SqlClient, (sql) =>
    CategoryThreads.of({
      lock: (category) =>
        run(
          locking("thread")(
            sql`select from threads where category_id = ${category} order by id for no key update`
          )
        ),

      move: (from, to) =>
        Effect.andThen(
          run(sql`update threads set category_id = ${to} where category_id = ${from}`),
          // Those of its authors.
          run(
            locking("author total")(sql`with gone as (
              delete from author_totals where category_id = ${from} returning author_id, published
            )
            insert into author_totals as t (author_id, category_id, published)
            select author_id, ${to}, published from gone order by author_id
            on conflict (author_id, category_id) do update set published = t.published + excluded.published`)
          )
        )
    })
  )
)
