import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Option } from "effect"
import type { Statement } from "effect/sql"
import type { AccountId, PostId } from "../../domain/shared/Id.ts"
import type { RichText } from "../../domain/shared/RichText.ts"
import type { Visibility } from "../../domain/shared/Visibility.ts"
import { excerptOf } from "../../domain/thread/Excerpt.ts"
import type { PostState } from "../../domain/thread/PostState.ts"
import { type PostSize, PostStore, ThreadChanged } from "../../domain/thread/PostStore.ts"
import { People, peopleVersion } from "../account/People.ts"
import { EventSignal, makeRecording } from "../event/EventLogSql.ts"
import { makeLinkWriter } from "../link/LinkWriter.ts"
import { makeSearchWriter } from "../search/SearchWriter.ts"
import { companions } from "../session/CallerSql.ts"
import { QuickReads } from "../shared/Connections.ts"
import { locking } from "../shared/Locks.ts"
import { all, first, isOneOf } from "../shared/Query.ts"
import { toDate } from "../shared/Rows.ts"
import { orDefect } from "../shared/SqlErrors.ts"
import { makePostPlaces } from "./PostPlaceSql.ts"
import {
  collectedIn,
  type Heading,
  makePostReader,
  type PostRow,
  postColumns,
  postSize
} from "./PostReader.ts"
import { type StateRow, stateColumns, stateOf } from "./PostStateSql.ts"

const stateQuery = (id: string) => `select ${stateColumns}
  from posts p join threads t on t.id = p.thread_id
  where p.id = ${id} and p.deleted_at is null and t.deleted_at is null`

const isState = (row: object): row is StateRow => "id" in row && row.id !== null

const ahead = companions(
  (_, id) => stateQuery(id),
  (row) => (isState(row) ? Option.some(stateOf(row)) : Option.none())
)

/** A thread and its opening post are equally visible. */
const openingOf = (row: StateRow): PostState => {
  const { thread } = stateOf(row)
  return { ...thread, thread }
}

type ReplyRow = PostRow & Heading & { readonly people_version: string }

type ItemRow = Omit<ReplyRow, "body"> & {
  /** None where it is not to be read. */
  readonly body: string | null
  readonly thread_author_id: AccountId
  readonly thread_visibility: Visibility
  readonly in_collections: number | null
}

/** A post whose text is not read shows the beginning of it, no links and no reactions. */
const shortenedRow = ({ body, ...row }: ItemRow) =>
  body === null
    ? { ...row, body: excerptOf(row.description), link_count: 0, react_count: 0 }
    : { ...row, body }

const threadOf = (row: Omit<ItemRow, "body">) => ({
  id: row.thread_id,
  slug: row.slug,
  authorId: row.thread_author_id,
  visibility: row.thread_visibility
})

export const layer = Layer.effect(
  PostStore,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const reads = yield* QuickReads
    const links = yield* makeLinkWriter
    const recording = yield* makeRecording
    const searched = yield* makeSearchWriter
    const posts = yield* makePostReader
    const places = yield* makePostPlaces

    const state = sql.literal(stateColumns)

    const find = (id: PostId) =>
      Effect.map(first(sql.unsafe<StateRow>(stateQuery("$1"), [id])), (row) =>
        row === undefined ? Option.none() : Option.some(stateOf(row))
      )

    /** Posts that are left, each with the title and address of its thread; long texts only where they are needed. */
    const itemRows = (ids: ReadonlyArray<PostId>, whole: ReadonlyArray<PostId>) =>
      all(
        reads<ItemRow>`select p.id, p.thread_id, p.reply_to_id, p.author_id, p.created_at, p.updated_at,
            p.visibility, case when p.id = any(${whole}::text[]) then p.body end as body, p.description, p.meta, p.like_count, p.react_count, p.link_count,
            case when p.id = t.id then nullif(t.in_collections, 0) end as in_collections,
            o.title, o.slug, t.author_id as thread_author_id, t.visibility as thread_visibility,
            ${reads.literal(peopleVersion)} as people_version
          from posts p join threads t on t.id = p.thread_id join posts o on o.id = p.thread_id
          where ${isOneOf(reads, "p.id", ids)} and p.deleted_at is null and t.deleted_at is null`
      )

    const items = (ids: ReadonlyArray<PostId>, whole: ReadonlyArray<PostId>) =>
      ids.length === 0
        ? Effect.succeed([])
        : Effect.map(itemRows(ids, whole), (rows) => rows.map(shortenedRow))

    const replyOf = Effect.fnUntraced(function* (row: ReplyRow) {
      const [quoted] = yield* posts.readQuoted([row])
      const details = yield* posts.detailsOf(quoted === undefined ? [row] : [row, quoted], row.people_version)
      return details.reply(row, quoted, row)
    })

    return PostStore.of({
      ...places,
      find,
      ahead,

      findForUpdate: Effect.fnUntraced(function* (id) {
        const locked = yield* first(
          locking("thread")(sql<StateRow>`select ${state} from threads t
            join posts p on p.thread_id = t.id
            where p.id = ${id} and t.deleted_at is null for no key update of t`)
        )
        if (locked === undefined) return Option.none()
        // What a thread's row says is as of now. A reply is read again once its thread is locked: the
        // transaction that had the lock before may have changed or deleted it.
        return locked.id === locked.thread_id ? Option.some(openingOf(locked)) : yield* find(id)
      }),

      insertReply: Effect.fnUntraced(function* ({ thread, ...reply }, event) {
        const at = toDate(reply.at)
        const linkIds = yield* links.resolve(reply.text.links, at)
        // The thread's row is the first that is written: once this transaction has it, the condition is about
        // what others have committed. Replies take their numbers from it, and none is older than the one before or
        // the thread.
        const statementWith = (insertEvent: Statement.Fragment) => sql<ReplyRow>`with given as (
            select ${reply.text.body}::text as body, ${sql.json(reply.meta)}::jsonb as meta
          ), thread as (
            update threads set reply_count = reply_count + 1, replies_made = replies_made + 1,
              reply_weight = greatest(reply_weight, (select post_weight(body, meta, 0, 0) from given)),
              unpublished_replies = unpublished_replies + ${reply.visibility === "published" ? 0 : 1}::int,
              last_reply_at = greatest(coalesce(last_reply_at, created_at), ${at}),
              active_at = greatest(coalesce(last_reply_at, created_at), ${at})
            where id = ${thread.id} and visibility = ${thread.visibility} and deleted_at is null
            returning id, replies_made, last_reply_at
          ), taking_part as (
            insert into thread_participants as mine (thread_id, account_id, replies)
            select id, ${reply.authorId}, 1 from thread
            on conflict (thread_id, account_id) do update set replies = mine.replies + 1
          ), logged as (
            ${insertEvent}
          ), reply as (
            insert into posts (id, thread_id, ordinal, reply_to_id, author_id, created_at, updated_at, visibility,
              body, description, meta)
            select ${reply.id}, id, replies_made, ${reply.replyTo ?? null}, ${reply.authorId}, last_reply_at,
              last_reply_at, ${reply.visibility}, given.body, ${reply.text.description}, given.meta
            from thread, given returning ${sql.literal(postColumns)}
          ), searched as (
            ${searched.insertFrom("reply", "reply", { body: reply.text.body })}
          )
          select reply.*, opening.title, opening.slug, ${sql.literal(peopleVersion)} as people_version
          from reply join posts opening on opening.id = reply.thread_id`
        const isWritten = sql`exists (select from thread)`
        const [row] = yield* recording(reply.at, reply.authorId, [event], isWritten, statementWith)
        if (row === undefined) return yield* new ThreadChanged()
        if (linkIds.length > 0) yield* links.setPostLinks(reply.id, linkIds)
        return replyOf({ ...row, link_count: linkIds.length })
      }, orDefect),

      updateReply: Effect.fnUntraced(function* (reply, changes, at) {
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
      }, orDefect),

      deleteReply: Effect.fnUntraced(function* (reply, at) {
        const { id, thread } = reply
        yield* sql`update posts set deleted_at = ${toDate(at)} where id = ${id}`
        yield* sql`update thread_participants set replies = replies - 1
            where thread_id = ${thread.id} and account_id = ${reply.authorId}`
        yield* sql`update threads t set reply_count = reply_count - 1, last_reply_at = newest.at,
              active_at = coalesce(newest.at, t.created_at)
            from (select (select created_at from posts where thread_id = ${thread.id} and ordinal > 0
              and deleted_at is null order by ordinal desc limit 1) as at) newest
            where t.id = ${thread.id}`
      }, orDefect),

      findContent: (id) =>
        Effect.flatMap(
          first(
            sql<{ readonly title: string | null; readonly body: RichText }>`
              select title, body from posts where id = ${id}`
          ),
          (row) =>
            row === undefined
              ? Effect.die(new Error(`Post ${id} was not locked`))
              : Effect.succeed({ title: row.title ?? undefined, body: row.body })
        ),

      findPosts: Effect.fnUntraced(function* (ids, whole) {
        const rows = yield* items(ids, whole)
        const [any] = rows
        if (any === undefined) return []
        const details = yield* posts.detailsOf(rows, any.people_version)
        return rows.map((row) => ({
          post: collectedIn(row.in_collections ?? 0, details.post(row, row)),
          thread: threadOf(row)
        }))
      }),

      findReplies: Effect.fnUntraced(function* (ids, whole) {
        const rows = yield* items(ids, whole)
        const [any] = rows
        if (any === undefined) return []
        const quotedBy = (replies: typeof rows) => [
          ...new Set(replies.flatMap(({ reply_to_id }) => reply_to_id ?? []))
        ]
        const wholeIds = new Set(whole)
        const quoted = yield* items(quotedBy(rows), quotedBy(rows.filter(({ id }) => wholeIds.has(id))))
        const byId = new Map(quoted.map((row) => [row.id, row]))
        const details = yield* posts.detailsOf([...rows, ...quoted], any.people_version)
        return rows.map((row) => ({
          reply: details.reply(row, row.reply_to_id === null ? undefined : byId.get(row.reply_to_id), row),
          thread: threadOf(row)
        }))
      }),

      sizesOf: (ids) =>
        Effect.map(
          ids.length === 0
            ? Effect.succeed([])
            : all(
                reads<PostSize & { readonly id: PostId }>`select p.id, ${reads.literal(postSize("p"))} as own,
                    coalesce(${reads.literal(postSize("q"))}, 0) as quoted
                  from posts p left join posts q on q.id = p.reply_to_id where ${isOneOf(reads, "p.id", ids)}`
              ),
          (rows) => new Map(rows.map((row) => [row.id, row]))
        )
    })
  })
).pipe(Layer.provide(Layer.mergeAll(People.layer, EventSignal.layer)))
