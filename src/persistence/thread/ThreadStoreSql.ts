import { PgClient } from "@effect/sql-pg"
import { Effect, Layer } from "effect"
import type { SqlClient } from "effect/sql"
import type { AccountId, CalendarEventId, PostId } from "../../domain/shared/Id.ts"
import type { Visibility } from "../../domain/shared/Visibility.ts"
import type { LinkAddress } from "../../domain/text/LinkAddress.ts"
import type { PostText } from "../../domain/thread/PostText.ts"
import { ThreadStore } from "../../domain/thread/ThreadStore.ts"
import { ProfileCache } from "../account/ProfileCache.ts"
import { makeCollected } from "../collection/Collected.ts"
import { makeLinkWriter } from "../link/LinkWriter.ts"
import { makeSearchWriter } from "../search/SearchWriter.ts"
import { QuickReads } from "../shared/Connections.ts"
import { all, first, run } from "../shared/Query.ts"
import { toDate } from "../shared/Rows.ts"
import { orDefect } from "../shared/SqlErrors.ts"
import { makeTagWriter } from "../tag/TagWriter.ts"
import { type StandingRow, standingColumns, standingOfRow } from "../visibility/CalendarStandingSql.ts"
import { makeThreadCounts } from "./ThreadCountsSql.ts"
import { makeThreadList } from "./ThreadListSql.ts"
import { makeThreadPage } from "./ThreadPageSql.ts"
import { makeThreadReader } from "./ThreadReader.ts"
import { makeFindSummary, summaryWithCaller } from "./ThreadSummarySql.ts"

interface PlacementRow {
  readonly author_id: AccountId
  readonly visibility: Visibility
  readonly category_id: string | null
  readonly tag_ids: ReadonlyArray<string>
}

const makeParts = Effect.gen(function* () {
  return {
    sql: yield* PgClient.PgClient,
    reads: yield* QuickReads,
    tags: yield* makeTagWriter,
    links: yield* makeLinkWriter,
    searched: yield* makeSearchWriter,
    count: yield* makeThreadCounts,
    reader: yield* makeThreadReader
  } as const
})
type Parts = Effect.Success<typeof makeParts>

type Store = ThreadStore["Service"]

/** Where the thread is counted, as the transaction that has locked it sees it. */
const placementOf = Effect.fnUntraced(function* (sql: PgClient.PgClient, id: PostId) {
  const [row] = yield* sql<PlacementRow>`select author_id, visibility, category_id, tag_ids
    from threads where id = ${id}`
  if (row === undefined) return yield* Effect.die(new Error(`Thread ${id} was not locked`))
  const placement = { visibility: row.visibility, categoryId: row.category_id, tagIds: row.tag_ids }
  return [{ threadId: id, authorId: row.author_id }, placement] as const
})

/** The link that the thread is about, and those in its text. */
const resolveLinks = Effect.fnUntraced(function* (
  links: Effect.Success<typeof makeLinkWriter>,
  about: LinkAddress | null | undefined,
  text: PostText | undefined,
  at: Date
) {
  const inText = text?.links ?? []
  if (about === undefined || about === null) {
    return { linkId: about, textLinkIds: yield* links.resolve(inText, at) }
  }
  const [linkId, ...textLinkIds] = yield* links.resolve([about, ...inText], at)
  return { linkId, textLinkIds }
})

const addTags = (sql: PgClient.PgClient, id: string, tagIds: ReadonlyArray<string>) =>
  tagIds.length === 0
    ? Effect.void
    : sql`insert into thread_tags (thread_id, tag_id)
        select ${id}, unnest(${tagIds}::text[]) on conflict do nothing`

const insert = ({ count, links, searched, sql, tags }: Parts): Store["insert"] =>
  Effect.fnUntraced(function* (thread) {
    const at = toDate(thread.at)
    const { linkId, textLinkIds } = yield* resolveLinks(links, thread.link, thread.text, at)
    const tagIds = yield* tags.resolve(thread.tags, at)
    const categoryId = thread.category ?? null
    yield* sql`insert into threads
          (id, created_at, author_id, category_id, link_id, visibility, pinned, active_at, opening_weight)
        values (${thread.id}, ${at}, ${thread.authorId}, ${categoryId}, ${linkId ?? null},
          ${thread.visibility}, ${thread.pinned}, ${at},
          post_weight(${thread.text.body}, ${sql.json(thread.meta)}, 0, 0))`
    yield* sql`with opening as (
          insert into posts (id, thread_id, ordinal, author_id, created_at, updated_at, visibility,
            title, slug, body, description, meta)
          values (${thread.id}, ${thread.id}, 0, ${thread.authorId}, ${at}, ${at}, ${thread.visibility},
            ${thread.title}, ${thread.slug}, ${thread.text.body}, ${thread.text.description},
            ${sql.json(thread.meta)})
          returning id, thread_id, author_id, created_at, visibility
        )
        ${searched.insertFrom("opening", "thread", { heading: thread, body: thread.text.body })}`
    if (textLinkIds.length > 0) yield* links.setPostLinks(thread.id, textLinkIds)
    yield* addTags(sql, thread.id, tagIds)
    yield* count({ threadId: thread.id, authorId: thread.authorId }, undefined, {
      visibility: thread.visibility,
      categoryId,
      tagIds
    })
  }, orDefect)

const update = ({ count, links, searched, sql, tags }: Parts): Store["update"] =>
  Effect.fnUntraced(function* (id, changes, at) {
    const now = toDate(at)
    const [counted, before] = yield* placementOf(sql, id)
    const { linkId, textLinkIds } = yield* resolveLinks(links, changes.link, changes.text, now)
    const after = {
      visibility: changes.visibility ?? before.visibility,
      categoryId: changes.category ?? before.categoryId,
      tagIds: changes.tags === undefined ? before.tagIds : yield* tags.resolve(changes.tags, now)
    }
    yield* sql`update threads set visibility = ${after.visibility}, category_id = ${after.categoryId},
          link_id = case when ${linkId === undefined}::boolean then link_id else ${linkId ?? null}::text end,
          pinned = coalesce(${changes.pinned ?? null}::int, pinned)
        where id = ${id}`
    yield* sql`with opening as (
          update posts set updated_at = greatest(updated_at, ${now}), visibility = ${after.visibility},
            title = coalesce(${changes.title ?? null}, title), slug = coalesce(${changes.slug ?? null}, slug),
            meta = coalesce(${changes.meta === undefined ? null : sql.json(changes.meta)}, meta),
            body = coalesce(${changes.text?.body ?? null}, body),
            description = coalesce(${changes.text?.description ?? null}, description)
          where id = ${id}
        )
        ${searched.update(id, { title: changes.title, slug: changes.slug, body: changes.text?.body })}`
    if (changes.text !== undefined) yield* links.setPostLinks(id, textLinkIds)
    if (changes.tags !== undefined) {
      yield* sql`delete from thread_tags
          where thread_id = ${id} and not tag_id = any(${after.tagIds}::text[])`
      yield* addTags(sql, id, after.tagIds)
    }
    yield* count(counted, before, after)
  }, orDefect)

const findHeading =
  (sql: PgClient.PgClient): Store["findHeading"] =>
  (id) =>
    Effect.flatMap(
      first(
        sql<{
          readonly title: string
          readonly slug: string
        }>`select title, slug from posts where id = ${id}`
      ),
      (row) =>
        row === undefined ? Effect.die(new Error(`Thread ${id} was not locked`)) : Effect.succeed(row)
    )

const remove = ({ count, sql }: Parts): Store["delete"] =>
  Effect.fnUntraced(function* (id, at) {
    const [counted, before] = yield* placementOf(sql, id)
    const [calendarEvent] = yield* sql<StandingRow & { readonly id: CalendarEventId }>`with deleted as (
        update threads set deleted_at = ${toDate(at)} where id = ${id}
      )
      select id, ${sql.literal(standingColumns("e"))} from calendar_events e
      where thread_id = ${id} and deleted_at is null`
    yield* sql`update posts set deleted_at = ${toDate(at)} where id = ${id}`
    yield* count(counted, before, undefined)
    return calendarEvent && { id: calendarEvent.id, standing: standingOfRow(calendarEvent) }
  }, orDefect)

const liked =
  (reads: SqlClient.SqlClient): Store["liked"] =>
  (account: AccountId, posts: ReadonlyArray<PostId>) =>
    Effect.map(
      all(
        reads<{ readonly post_id: PostId }>`select post_id from likes
          where account_id = ${account} and post_id = any(${posts}::text[])`
      ),
      (rows) => new Set(rows.map(({ post_id }) => post_id))
    )

const markRead =
  (sql: PgClient.PgClient): Store["markRead"] =>
  (accountId, id, at) =>
    run(sql`insert into read_marks as mark (account_id, thread_id, read_at, replies_read, publications_read)
      select ${accountId}, id, ${toDate(at)}, replies_made, published_later
      from threads where id = ${id} and deleted_at is null
      on conflict (thread_id, account_id) do update set read_at = excluded.read_at,
        replies_read = greatest(mark.replies_read, excluded.replies_read),
        publications_read = greatest(mark.publications_read, excluded.publications_read)`)

export const layer = Layer.effect(
  ThreadStore,
  Effect.gen(function* () {
    const parts = yield* makeParts
    const { sql, reads, reader } = parts

    return ThreadStore.of({
      findSummary: yield* makeFindSummary,
      summary: summaryWithCaller,
      findPage: yield* makeThreadPage(reader),
      ...(yield* makeThreadList),
      references: reader.references,
      referencesInPart: reader.referencesInPart,
      insert: insert(parts),
      update: update(parts),
      findHeading: findHeading(sql),
      delete: remove(parts),
      collected: yield* makeCollected,
      liked: liked(reads),
      markRead: markRead(sql)
    })
  })
).pipe(Layer.provide(ProfileCache.layer))
