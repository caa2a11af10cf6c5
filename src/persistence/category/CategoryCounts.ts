import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { locking } from "../shared/Locks.ts"

/** Changes the numbers of threads in categories; the changes must be sorted by id. */
export const makeCategoryCounts = Effect.map(
  SqlClient.SqlClient,
  (sql) => (changes: ReadonlyArray<{ readonly id: string; readonly by: -1 | 1 }>) =>
    Effect.forEach(
      changes,
      ({ by, id }) =>
        locking("category row")(sql`update categories set post_count = post_count + ${by} where id = ${id}`),
      { discard: true }
    )
)
