import { PgClient } from "@effect/sql-pg"
import { Array, Effect, Layer, Option } from "effect"
import { type Actor, accountIdOf } from "../../domain/shared/Actor.ts"
import type { AccountId, PostId } from "../../domain/shared/Id.ts"
import type { Visibility } from "../../domain/shared/Visibility.ts"
import { type PostState, PostStore } from "../../domain/thread/PostStore.ts"
import { makeLinkWriter } from "../link/LinkRows.ts"
import { type RoleCatalogue, roleCatalogue } from "../role/RoleRows.ts"
import { type Columns, rowsOf, selected } from "../shared/Columns.ts"
import { timestamp } from "../shared/Rows.ts"
import { orDefect } from "../shared/SqlErrors.ts"
import { type Opening, type PostRow, postColumns, postOf, postSlug, replyOf } from "./PostRows.ts"

interface StateRow {
  readonly id: PostId
  readonly author_id: AccountId
  readonly visibility: Visibility
  readonly thread_id: PostId
  readonly thread_author_id: AccountId
  readonly thread_visibility: Visibility
}

const stateOf = (row: StateRow): PostState => ({
  id: row.id,
  authorId: row.author_id,
  visibility: row.visibility,
  thread: {
    id: row.thread_id,
    authorId: row.thread_author_id,
    visibility: row.thread_visibility
  }
})

/** A post of a thread that post `o` opens. */
const singleColumns: Columns<PostRow & Opening & { readonly catalogue: RoleCatalogue }> = {
  ...postColumns,
  title: "o.title",
  slug: "o.slug",
  catalogue: roleCatalogue
}

export const layer = Layer.effect(
  PostStore,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const links = yield* makeLinkWriter
    const columns = sql.literal(selected(singleColumns))
    const rows = rowsOf(singleColumns)

    const state = (id: string) =>
      sql<StateRow>`select p.id, p.author_id, p.visibility, t.id as thread_id, t.author_id as thread_author_id,
          t.visibility as thread_visibility
        from posts p join threads t on t.id = p.thread_id
        where p.id = ${id} and p.deleted_at is null and t.deleted_at is null`.pipe(
        Effect.map((rows) => Option.map(Array.head(rows), stateOf)),
        orDefect
      )

    /**
     * Holds the post's thread, then reads the post: whoever held the thread
     * before may have deleted the post, which the statement that waited would
     * not see.
     */
    const lock = (id: string) =>
      sql`select from threads where id = (select thread_id from posts where id = ${id})
        for no key update`.pipe(orDefect, Effect.andThen(state(id)))

    /** The post, and the post it answers unless that is deleted. */
    const read = (id: PostId, viewer: Actor) =>
      rows(sql`with viewer as (select ${accountIdOf(viewer) ?? null}::text as id)
        select ${columns}
        from posts p
        join threads t on t.id = p.thread_id and t.deleted_at is null
        join posts o on o.id = t.id
        join accounts a on a.id = p.author_id
        where (p.id = ${id} or p.id = (select reply_to_id from posts where id = ${id})) and p.deleted_at is null
        order by p.id = ${id} desc`)

    /** After an undeleted reply comes or goes: what its thread says of its replies. */
    const touchThread = (threadId: string) =>
      sql`update threads t set version = version + 1, last_reply_at = newest.at,
          active_at = coalesce(newest.at, t.created_at)
        from (select (select created_at from posts where thread_id = ${threadId} and id <> thread_id
          and deleted_at is null order by created_at desc, id desc limit 1) as at) newest
        where t.id = ${threadId}`

    return PostStore.of({
      find: state,
      lock,

      insertReply: (reply) =>
        Effect.gen(function* () {
          const at = timestamp(reply.at)
          const linkIds = yield* links.resolve(reply.text.links, at)
          // Replies wait for each other at their thread, and whoever waited is not older than who went before.
          yield* sql`with thread as (
            update threads set reply_count = reply_count + 1, replies_made = replies_made + 1, version = version + 1,
              last_reply_at = greatest(last_reply_at, ${at}), active_at = greatest(last_reply_at, ${at})
            where id = ${reply.threadId}
            returning id, replies_made, last_reply_at
          ), taking_part as (
            insert into thread_participants as mine (thread_id, account_id, replies)
            values (${reply.threadId}, ${reply.authorId}, 1)
            on conflict (thread_id, account_id) do update set replies = mine.replies + 1
          )
          insert into posts (id, thread_id, ordinal, reply_to_id, author_id, created_at, updated_at, visibility,
            body, description, meta)
          select ${reply.id}, id, replies_made, ${reply.replyTo ?? null}, ${reply.authorId}, last_reply_at,
            last_reply_at, ${reply.visibility}, ${reply.text.body}, ${reply.text.description},
            ${sql.json(reply.meta)}::jsonb
          from thread`
          if (linkIds.length > 0) yield* links.setPostLinks(reply.id, linkIds)
        }).pipe(orDefect),

      updateReply: (reply, changes, at) =>
        Effect.gen(function* () {
          const now = timestamp(at)
          yield* sql`update posts set ${sql.update({
            updated_at: now,
            ...(changes.visibility === undefined ? {} : { visibility: changes.visibility }),
            ...(changes.meta === undefined ? {} : { meta: sql.json(changes.meta) }),
            ...(changes.text === undefined
              ? {}
              : { body: changes.text.body, description: changes.text.description })
          })} where id = ${reply.id}`
          yield* sql`update threads set version = version + 1 where id = ${reply.thread.id}`
          if (changes.text !== undefined) {
            yield* links.setPostLinks(reply.id, yield* links.resolve(changes.text.links, now))
          }
        }).pipe(orDefect),

      deleteReply: (reply, at) =>
        Effect.gen(function* () {
          yield* sql`update posts set deleted_at = ${timestamp(at)} where id = ${reply.id}`
          yield* sql`update thread_participants set replies = replies - 1
            where thread_id = ${reply.thread.id} and account_id = ${reply.authorId}`
          yield* sql`update threads set reply_count = reply_count - 1 where id = ${reply.thread.id}`
          yield* touchThread(reply.thread.id)
        }).pipe(orDefect),

      reply: (id, viewer) =>
        read(id, viewer).pipe(
          Effect.map(([row, quoted]) =>
            row?.id === id ? Option.some(replyOf(row, quoted, row, row.catalogue)) : Option.none()
          ),
          orDefect
        ),

      post: (id, viewer) =>
        read(id, viewer).pipe(
          Effect.map(([row]) =>
            row?.id === id
              ? Option.some(postOf(row, row.title, postSlug(row, row), row.catalogue))
              : Option.none()
          ),
          orDefect
        )
    })
  })
)
