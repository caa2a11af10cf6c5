/** When threads were last active: when the newest of their published replies was published, in a thread that is locked. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { PostState } from "../../domain/thread/PostVisibility.ts"

export const makeThreadActivity = Effect.map(SqlClient.SqlClient, (sql) => ({
  /** Notes that an existing reply has been published, at a time that is not before the last such one of the thread. */
  published: ({ id, thread }: PostState, at: Date) =>
    sql`with active as (
        update threads t set published_later = t.published_later + 1,
          last_reply_at = greatest(t.last_reply_at, p.created_at, ${at}),
          active_at = greatest(t.active_at, p.created_at, ${at})
        from posts p where t.id = ${thread.id} and p.id = ${id}
        returning t.last_reply_at, t.published_later
      )
      update posts set published_at = active.last_reply_at, publication = active.published_later,
        shown_in = pg_current_xact_id()
      from active where id = ${id}`,

  /** Notes that a published reply has been hidden or, if `less` is 1, deleted. */
  withdrawn: ({ thread: { id } }: PostState, less: 0 | 1) =>
    sql`update threads t set reply_count = t.reply_count - ${less}::int, last_reply_at = newest.at,
        active_at = coalesce(newest.at, t.created_at)
      from (select greatest(
        (select created_at from posts where thread_id = ${id} and ordinal > 0 and deleted_at is null
          and visibility = 'published' order by ordinal desc limit 1),
        (select published_at from posts where thread_id = ${id} and publication is not null and deleted_at is null
          and visibility = 'published' order by publication desc limit 1)
      ) as at) newest
      where t.id = ${id}`
}))
