import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Option } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import type { AccountId, PostId } from "../../domain/shared/Id.ts"
import type { Visibility } from "../../domain/shared/Visibility.ts"
import type { RichText } from "../../domain/text/RichText.ts"
import { allParts, type OmittedPostField } from "../../domain/thread/PostOmission.ts"
import { PostStore, ThreadChanged, type WantedPost } from "../../domain/thread/PostStore.ts"
import type { PostState } from "../../domain/thread/PostVisibility.ts"
import { publishedChange } from "../../domain/thread/ThreadRules.ts"
import { ProfileCache, peopleVersion } from "../account/ProfileCache.ts"
import { EventSignal, makeWriteWithEvents } from "../event/EventLogSql.ts"
import { makeLinkWriter } from "../link/LinkWriter.ts"
import { makeSearchWriter } from "../search/SearchWriter.ts"
import { askedWithCaller } from "../session/CallerSql.ts"
import { QuickReads } from "../shared/Connections.ts"
import { locking } from "../shared/Locks.ts"
import { all, first, isOneOf } from "../shared/Query.ts"
import { toDate } from "../shared/Rows.ts"
import { orDefect } from "../shared/SqlErrors.ts"
import { postPartSizes } from "../sizes/PostSize.ts"
import { makePostPlaces } from "./PostPlaceSql.ts"
import { collectedIn, type Heading, makePostReader, type PostRow, postColumns } from "./PostReader.ts"
import { type StateRow, stateColumns, stateOf } from "./PostStateSql.ts"
import { makeThreadActivity } from "./ThreadActivitySql.ts"

const stateQuery = (id: string) => `select ${stateColumns}
  from posts p join threads t on t.id = p.thread_id
  where p.id = ${id} and p.deleted_at is null and t.deleted_at is null`

const isState = (row: object): row is StateRow => "id" in row && row.id !== null

const ahead = askedWithCaller(
  (_, id) => stateQuery(id),
  (row) => (isState(row) ? Option.some(stateOf(row)) : Option.none())
)

/** The state of an opening post, which always has the visibility of its thread. */
const openingOf = (row: StateRow): PostState => {
  const { thread } = stateOf(row)
  return { ...thread, thread }
}

type ReplyRow = PostRow & Heading & { readonly people_version: string }

type ItemRow = ReplyRow & {
  readonly omitted: ReadonlyArray<OmittedPostField>
  readonly thread_author_id: AccountId
  readonly thread_visibility: Visibility
  readonly in_collections: number | null
}

interface SizeRow {
  readonly id: PostId
  readonly sizes: ReadonlyArray<number>
}

const threadOf = (row: ItemRow) => ({
  id: row.thread_id,
  slug: row.slug,
  authorId: row.thread_author_id,
  visibility: row.thread_visibility
})

const makeParts = Effect.gen(function* () {
  return {
    sql: yield* PgClient.PgClient,
    reads: yield* QuickReads,
    links: yield* makeLinkWriter,
    writeWithEvents: yield* makeWriteWithEvents,
    searched: yield* makeSearchWriter,
    posts: yield* makePostReader,
    activity: yield* makeThreadActivity
  } as const
})
type Parts = Effect.Success<typeof makeParts>

type Store = PostStore["Service"]

const find =
  (sql: PgClient.PgClient): Store["find"] =>
  (id) =>
    Effect.map(first(sql.unsafe<StateRow>(stateQuery("$1"), [id])), (row) =>
      row === undefined ? Option.none() : Option.some(stateOf(row))
    )

/**
 * The wanted posts that still exist, each with the title and address of its thread; long parts are read only where
 * wanted.
 */
const items = (reads: SqlClient.SqlClient, wanted: ReadonlyArray<WantedPost>) =>
  wanted.length === 0
    ? Effect.succeed([])
    : all(
        reads<ItemRow>`select p.id, p.thread_id, p.reply_to_id, p.author_id, p.created_at, p.updated_at,
        p.visibility, case when w.parts > 2 then p.body else '' end as body, p.description,
        case when w.parts > 0 then p.meta else '{}' end as meta, p.like_count,
        case when w.parts > 1 then p.react_count else 0 end as react_count,
        case when w.parts > 2 then p.link_count else 0 end as link_count,
        array_remove(array[case when w.parts < 1 and p.meta <> '{}' then 'meta' end,
          case when w.parts < 2 and p.react_count > 0 then 'reacts' end, case when w.parts < 3 then 'body' end,
          case when w.parts < 3 and p.link_count > 0 then 'body_links' end], null) as omitted,
        case when p.id = t.id then nullif(t.in_collections, 0) end as in_collections,
        o.title, o.slug, t.author_id as thread_author_id, t.visibility as thread_visibility,
        ${reads.literal(peopleVersion)} as people_version
      from unnest(${wanted.map(({ id }) => id)}::text[], ${wanted.map(({ parts }) => parts)}::int[]) w (id, parts)
      join posts p on p.id = w.id join threads t on t.id = p.thread_id join posts o on o.id = p.thread_id
      where p.deleted_at is null and t.deleted_at is null`
      )

const wholeOnes = (reads: SqlClient.SqlClient, ids: ReadonlyArray<PostId>) =>
  items(
    reads,
    ids.map((id) => ({ id, parts: allParts }))
  )

const replyOf = Effect.fnUntraced(function* ({ posts }: Parts, row: ReplyRow) {
  const [quoted] = yield* posts.readQuoted([row])
  const details = yield* posts.detailsOf(quoted === undefined ? [row] : [row, quoted], row.people_version)
  return details.reply(row, quoted, row)
})

const findForUpdate = (sql: PgClient.PgClient): Store["findForUpdate"] =>
  Effect.fnUntraced(function* (id) {
    const locked = yield* first(
      locking("thread")(sql<StateRow>`select ${sql.literal(stateColumns)} from threads t
        join posts p on p.thread_id = t.id
        where p.id = ${id} and t.deleted_at is null for no key update of t`)
    )
    if (locked === undefined) return Option.none()
    // What a thread's row says is as of now. A reply is read again once its thread is locked: the
    // transaction that had the lock before may have changed or deleted it.
    return locked.id === locked.thread_id ? Option.some(openingOf(locked)) : yield* find(sql)(id)
  })

const insertReply = (parts: Parts): Store["insertReply"] =>
  Effect.fnUntraced(function* ({ thread, ...reply }, event) {
    const { links, searched, sql, writeWithEvents } = parts
    const at = toDate(reply.at)
    const isPublished = reply.visibility === "published"
    const linkIds = yield* links.resolve(reply.text.links, at)
    // The thread's row is the first that is written: once this transaction has it, the condition is about
    // what others have committed. Replies take their numbers from it, and none is older than the one before or
    // the thread.
    const statementWith = (insertEvent: Statement.Fragment) => sql<ReplyRow>`with given as (
        select ${reply.text.body}::text as body, ${sql.json(reply.meta)}::jsonb as meta
      ), thread as (
        update threads set reply_count = reply_count + 1, replies_made = replies_made + 1,
          reply_weight = greatest(reply_weight, (select post_weight(body, meta, 0, 0) from given)),
          unpublished_replies = unpublished_replies + ${isPublished ? 0 : 1}::int,
          last_made_at = greatest(last_made_at, created_at, ${at}),
          last_reply_at = case when ${isPublished}::boolean
            then greatest(last_reply_at, last_made_at, created_at, ${at}) else last_reply_at end,
          active_at = case when ${isPublished}::boolean
            then greatest(active_at, last_made_at, ${at}) else active_at end
        where id = ${thread.id} and visibility = ${thread.visibility} and deleted_at is null
        returning id, replies_made, last_made_at
      ), taking_part as (
        insert into thread_participants as mine (thread_id, account_id, replies)
        select id, ${reply.authorId}, 1 from thread
        on conflict (thread_id, account_id) do update set replies = mine.replies + 1
      ), logged as (
        ${insertEvent}
      ), reply as (
        insert into posts (id, thread_id, ordinal, reply_to_id, author_id, created_at, updated_at, visibility,
          told, body, description, meta)
        select ${reply.id}, id, replies_made, ${reply.replyTo ?? null}, ${reply.authorId}, last_made_at,
          last_made_at, ${reply.visibility}, ${isPublished}, given.body, ${reply.text.description}, given.meta
        from thread, given returning ${sql.literal(postColumns)}
      ), searched as (
        ${searched.insertFrom("reply", "reply", { body: reply.text.body })}
      )
      select reply.*, opening.title, opening.slug, ${sql.literal(peopleVersion)} as people_version
      from reply join posts opening on opening.id = reply.thread_id`
    const isWritten = sql`exists (select from thread)`
    const [row] = yield* writeWithEvents(reply.at, reply.authorId, [event], isWritten, statementWith)
    if (row === undefined) return yield* new ThreadChanged()
    if (linkIds.length > 0) yield* links.setPostLinks(reply.id, linkIds)
    return replyOf(parts, { ...row, link_count: linkIds.length })
  }, orDefect)

const updateReply = ({ activity, links, searched, sql }: Parts): Store["updateReply"] =>
  Effect.fnUntraced(function* (reply, changes, at) {
    const now = toDate(at)
    const linkIds = yield* links.resolve(changes.text?.links ?? [], now)
    yield* sql`with reply as (
          update posts set updated_at = greatest(updated_at, ${now}),
            visibility = coalesce(${changes.visibility ?? null}, visibility),
            meta = coalesce(${changes.meta === undefined ? null : sql.json(changes.meta)}, meta),
            body = coalesce(${changes.text?.body ?? null}, body),
            description = coalesce(${changes.text?.description ?? null}, description)
          where id = ${reply.id}
        )
        ${searched.update(reply.id, { body: changes.text?.body })}`
    if (changes.text !== undefined) yield* links.setPostLinks(reply.id, linkIds)
    const published = publishedChange(reply.visibility, changes.visibility ?? reply.visibility)
    if (published === 1) yield* activity.published(reply, now)
    if (published === -1) yield* activity.withdrawn(reply, 0)
  }, orDefect)

const reveal =
  (sql: PgClient.PgClient): Store["reveal"] =>
  ({ id }) =>
    Effect.map(
      first(
        sql<{ readonly id: PostId | null; readonly author_id: AccountId | null }>`with revealed as (
            update posts set told = true where id = ${id} and not told returning reply_to_id
          )
          select answered.id, answered.author_id from revealed left join posts answered
            on answered.id = revealed.reply_to_id and answered.ordinal > 0 and answered.deleted_at is null`
      ),
      (row) => {
        if (row === undefined) return Option.none()
        const { author_id: authorId, id: answered } = row
        return Option.some(answered === null || authorId === null ? undefined : { id: answered, authorId })
      }
    )

const deleteReply = ({ activity, sql }: Parts): Store["deleteReply"] =>
  Effect.fnUntraced(function* (reply, at) {
    const { id, thread } = reply
    yield* sql`update posts set deleted_at = ${toDate(at)} where id = ${id}`
    yield* sql`update thread_participants set replies = replies - 1
        where thread_id = ${thread.id} and account_id = ${reply.authorId}`
    yield* activity.withdrawn(reply, 1)
  }, orDefect)

const findContent =
  (sql: PgClient.PgClient): Store["findContent"] =>
  (id) =>
    Effect.flatMap(
      first(
        sql<{ readonly title: string | null; readonly body: RichText }>`
          select title, body from posts where id = ${id}`
      ),
      (row) =>
        row === undefined
          ? Effect.die(new Error(`Post ${id} was not locked`))
          : Effect.succeed({ title: row.title ?? undefined, body: row.body })
    )

const findPosts = ({ posts, reads }: Parts): Store["findPosts"] =>
  Effect.fnUntraced(function* (wanted) {
    const rows = yield* items(reads, wanted)
    const [any] = rows
    if (any === undefined) return []
    const details = yield* posts.detailsOf(rows, any.people_version)
    return rows.map((row) => ({
      post: collectedIn(row.in_collections ?? 0, details.post(row, row)),
      omitted: row.omitted,
      thread: threadOf(row)
    }))
  })

const findReplies = ({ posts, reads }: Parts): Store["findReplies"] =>
  Effect.fnUntraced(function* (ids) {
    const rows = yield* wholeOnes(reads, ids)
    const [any] = rows
    if (any === undefined) return []
    const quoted = yield* wholeOnes(reads, [...new Set(rows.flatMap(({ reply_to_id }) => reply_to_id ?? []))])
    const byId = new Map(quoted.map((row) => [row.id, row]))
    const details = yield* posts.detailsOf([...rows, ...quoted], any.people_version)
    return rows.map((row) => ({
      reply: details.reply(row, row.reply_to_id === null ? undefined : byId.get(row.reply_to_id), row),
      thread: threadOf(row)
    }))
  })

const sizesOf =
  (reads: SqlClient.SqlClient): Store["sizesOf"] =>
  (ids) =>
    Effect.map(
      ids.length === 0
        ? Effect.succeed([])
        : all(
            reads<SizeRow>`select p.id, ${reads.literal(postPartSizes("p"))} as sizes
              from posts p where ${isOneOf(reads, "p.id", ids)}`
          ),
      (rows) => new Map(rows.map(({ id, sizes }) => [id, sizes]))
    )

export const layer = Layer.effect(
  PostStore,
  Effect.gen(function* () {
    const parts = yield* makeParts
    const { sql, reads } = parts

    return PostStore.of({
      ...(yield* makePostPlaces),
      find: find(sql),
      ahead,
      findForUpdate: findForUpdate(sql),
      insertReply: insertReply(parts),
      updateReply: updateReply(parts),
      reveal: reveal(sql),
      deleteReply: deleteReply(parts),
      findContent: findContent(sql),
      findPosts: findPosts(parts),
      findReplies: findReplies(parts),
      sizesOf: sizesOf(reads)
    })
  })
).pipe(Layer.provide(Layer.mergeAll(ProfileCache.layer, EventSignal.layer)))
