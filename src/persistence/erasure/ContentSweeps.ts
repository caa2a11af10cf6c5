/** What an account made: what nobody reads any more is emptied, and the rest is of nobody. */
import type { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"
import type { Sweep } from "../../domain/erasure/RemainsStore.ts"
import { empty } from "../../domain/text/RichText.ts"
import { all, first, run } from "../shared/Query.ts"
import { rowsAtOnce } from "./GenericSweeps.ts"

/** What titles and names are that say nothing any more. */
const nothing = "Deleted"

/** The events of threads that are deleted. */
const emptyEvents = (sql: PgClient.PgClient): Sweep => ({
  name: "calendar_events of deleted threads",
  step: ({ accountId }) =>
    Effect.as(
      run(sql`update calendar_events e set name = ${nothing}, slug = 'deleted-' || e.id, description = '',
          location = null, meta = '{}', search = ''
        from threads t where t.id = e.thread_id and t.author_id = ${accountId} and e.deleted_at is not null`),
      false
    )
})

/**
 * Posts, one thread after the other, which is locked first, as by all who write posts. What is deleted says nothing any
 * more, to nobody.
 */
const leavePosts = (sql: PgClient.PgClient): Sweep => ({
  name: "posts",
  step: Effect.fnUntraced(function* ({ accountId }) {
    const thread = yield* first(sql<{ readonly thread_id: string }>`select thread_id from posts
      where author_id = ${accountId} limit 1`)
    if (thread === undefined) return false
    yield* run(sql`with held as materialized (
        select id, deleted_at from threads where id = ${thread.thread_id} for no key update
      ), chosen as materialized (
        select p.id, p.deleted_at is not null or held.deleted_at is not null as is_gone
        from held join posts p on p.thread_id = held.id where p.author_id = ${accountId} limit ${rowsAtOnce}
      ), opened as (
        update threads t set author_id = nobody() from held where t.id = held.id and t.author_id = ${accountId}
      )
      update posts p set author_id = nobody(),
        title = case when is_gone and p.title is not null then ${nothing} else p.title end,
        slug = case when is_gone and p.slug is not null then 'deleted-' || p.id else p.slug end,
        body = case when is_gone then ${empty} else p.body end,
        description = case when is_gone then '' else p.description end,
        meta = case when is_gone then '{}' else p.meta end
      from chosen where p.id = chosen.id`)
    return true
  })
})

/** Drafts of pages, also of pages of others. */
const deleteDrafts = (sql: PgClient.PgClient): Sweep => ({
  name: "drafts of pages",
  step: ({ accountId }) =>
    Effect.as(run(sql`delete from node_versions where author_id = ${accountId} and status = 'draft'`), false)
})

/** Events that the account hosted alone keep a host, so that staff find them. */
const leaveEvents = (sql: PgClient.PgClient): Sweep => ({
  name: "calendar_participants",
  step: ({ accountId }) =>
    run(sql`update calendar_participants p set account_id = nobody()
      where p.account_id = ${accountId} and p.role = 'host' and not exists (
        select from calendar_participants o where o.event_id = p.event_id and o.account_id = nobody())`).pipe(
      Effect.andThen(
        all(sql`delete from calendar_participants where ctid = any(array(
        select ctid from calendar_participants where account_id = ${accountId} limit ${rowsAtOnce})) returning event_id`)
      ),
      Effect.map((rows) => rows.length === rowsAtOnce)
    )
})

/** What was said in reports. That something was reported stays. */
const emptyReports = (sql: PgClient.PgClient): Sweep => ({
  name: "reports.comment",
  step: ({ accountId, keepPosts }) =>
    keepPosts
      ? Effect.succeed(false)
      : Effect.as(
          run(
            sql`update reports set comment = null where reported_by = ${accountId} and comment is not null`
          ),
          false
        )
})

/** In this order, before what is declared for whole columns. */
export const makeContentSweeps = (sql: PgClient.PgClient): ReadonlyArray<Sweep> => [
  emptyEvents(sql),
  leavePosts(sql),
  deleteDrafts(sql),
  leaveEvents(sql),
  emptyReports(sql)
]
