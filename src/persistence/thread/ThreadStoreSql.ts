import { PgClient } from "@effect/sql-pg"
import { Array, Effect, Layer, Option } from "effect"
import { CategoryUnknown } from "../../domain/category/Category.ts"
import type { LinkAddress } from "../../domain/link/Link.ts"
import { AccountId, PostId } from "../../domain/shared/Id.ts"
import type { Visibility } from "../../domain/shared/Visibility.ts"
import { publishedChange } from "../../domain/thread/ThreadRules.ts"
import { ThreadStore } from "../../domain/thread/ThreadStore.ts"
import { makeLinkWriter } from "../link/LinkRows.ts"
import { timestamp } from "../shared/Rows.ts"
import { orDefect } from "../shared/SqlErrors.ts"
import { makeTagWriter } from "../tag/TagRows.ts"
import { makeThreadList } from "./ThreadListSql.ts"
import { makeThreadPage } from "./ThreadPageSql.ts"

interface StateRow {
  readonly id: string
  readonly author_id: string
  readonly visibility: Visibility
  readonly category_id: string | null
}

/** What the counters of a thread's surroundings depend on. */
interface Counted {
  readonly visibility: Visibility
  readonly categoryId: string | null
}

const shards = 16
const shardOf = (id: string) => (id.charCodeAt(18) + id.charCodeAt(17)) % shards

export const layer = Layer.effect(
  ThreadStore,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const tags = yield* makeTagWriter
    const links = yield* makeLinkWriter
    const page = yield* makeThreadPage
    const list = yield* makeThreadList

    const state = (id: string) =>
      sql<StateRow>`select id, author_id, visibility, category_id from threads
        where id = ${id} and deleted_at is null for no key update`.pipe(Effect.map(Array.head))

    const checkCategory = Effect.fnUntraced(function* (id: string | undefined) {
      if (id === undefined) return
      const found = yield* sql`select 1 from categories where id = ${id} for key share`
      if (found.length === 0) {
        return yield* new CategoryUnknown({ metadata: { field: "category", id } })
      }
    })

    const resolveLink = Effect.fnUntraced(function* (address: LinkAddress | undefined, at: Date) {
      if (address === undefined) return undefined
      const [id] = yield* links.resolve([address], at)
      return id
    })

    /** Keeps the counts of published threads: of the instance, of categories, of tags. */
    const recount = Effect.fnUntraced(function* (id: string, before?: Counted, after?: Counted) {
      const change = publishedChange(before?.visibility, after?.visibility)
      if (change !== 0) {
        yield* sql`update thread_totals set published = published + ${change} where shard = ${shardOf(id)}`
        yield* sql`update tags set item_count = item_count + ${change}
          where id in (select tag_id from thread_tags where thread_id = ${id} order by tag_id)`
      }
      const left = before?.visibility === "published" ? before.categoryId : null
      const joined = after?.visibility === "published" ? after.categoryId : null
      if (left === joined) return
      const changes = [
        { id: left, by: -1 },
        { id: joined, by: 1 }
      ].toSorted((a, b) => ((a.id ?? "") < (b.id ?? "") ? -1 : 1))
      for (const { by, id: category } of changes) {
        if (category !== null) {
          yield* sql`update categories set post_count = post_count + ${by}, version = version + 1
            where id = ${category}`
        }
      }
    })

    /** Makes these the thread's tags; counts the difference if the thread is among the published. */
    const setTags = Effect.fnUntraced(function* (
      id: string,
      names: ReadonlyArray<string>,
      published: boolean,
      at: Date
    ) {
      const wanted = yield* tags.resolve(names, at)
      const removed = yield* sql<{ readonly tag_id: string }>`delete from thread_tags
        where thread_id = ${id} and not tag_id = any(${wanted}::text[]) returning tag_id`
      const added = yield* sql<{ readonly tag_id: string }>`insert into thread_tags (thread_id, tag_id)
        select ${id}, unnest(${wanted}::text[]) on conflict do nothing returning tag_id`
      if (!published) return
      const changes = [
        ...removed.map(({ tag_id }) => ({ tag_id, by: -1 })),
        ...added.map(({ tag_id }) => ({ tag_id, by: 1 }))
      ].toSorted((a, b) => (a.tag_id < b.tag_id ? -1 : 1))
      for (const { by, tag_id } of changes) {
        yield* sql`update tags set item_count = item_count + ${by} where id = ${tag_id}`
      }
    })

    return ThreadStore.of({
      page,
      list,

      insert: (thread) =>
        Effect.gen(function* () {
          const at = timestamp(thread.at)
          yield* checkCategory(thread.category)
          const linkId = yield* resolveLink(thread.link, at)
          yield* sql`insert into threads ${sql.insert({
            id: thread.id,
            created_at: at,
            author_id: thread.authorId,
            category_id: thread.category ?? null,
            link_id: linkId ?? null,
            visibility: thread.visibility,
            pinned: thread.pinned,
            active_at: at
          })}`
          yield* sql`insert into posts ${sql.insert({
            id: thread.id,
            thread_id: thread.id,
            author_id: thread.authorId,
            created_at: at,
            updated_at: at,
            visibility: thread.visibility,
            title: thread.title,
            slug: thread.slug,
            body: thread.text.body,
            description: thread.text.description,
            meta: sql.json(thread.meta)
          })}`
          if (thread.text.links.length > 0) yield* links.setPostLinks(thread.id, thread.text.links, at)
          if (thread.tags.length > 0) yield* setTags(thread.id, thread.tags, false, at)
          yield* recount(thread.id, undefined, {
            visibility: thread.visibility,
            categoryId: thread.category ?? null
          })
        }).pipe(Effect.catchTag("SqlError", (error) => orDefect(Effect.fail(error)))),

      lock: (id) =>
        state(id).pipe(
          Effect.map(
            Option.map((row) => ({
              id: PostId.make(row.id),
              authorId: AccountId.make(row.author_id),
              visibility: row.visibility
            }))
          ),
          orDefect
        ),

      update: (id, changes, at) =>
        Effect.gen(function* () {
          const now = timestamp(at)
          const before = yield* Effect.flatMap(state(id), Effect.fromOption).pipe(
            Effect.catchTag("NoSuchElementError", Effect.die)
          )
          yield* checkCategory(changes.category)
          const visibility = changes.visibility ?? before.visibility
          const categoryId = changes.category ?? before.category_id
          const linkId = yield* resolveLink(changes.link, now)
          yield* sql`update threads set ${sql.update({
            visibility,
            category_id: categoryId,
            ...(linkId === undefined ? {} : { link_id: linkId }),
            ...(changes.pinned === undefined ? {} : { pinned: changes.pinned })
          })}, version = version + 1 where id = ${id}`
          yield* sql`update posts set ${sql.update({
            updated_at: now,
            visibility,
            ...(changes.title === undefined ? {} : { title: changes.title }),
            ...(changes.meta === undefined ? {} : { meta: sql.json(changes.meta) }),
            ...(changes.text === undefined
              ? {}
              : { body: changes.text.body, description: changes.text.description })
          })} where id = ${id}`
          if (changes.text !== undefined) yield* links.setPostLinks(id, changes.text.links, now)
          yield* recount(
            id,
            { visibility: before.visibility, categoryId: before.category_id },
            { visibility, categoryId }
          )
          if (changes.tags !== undefined) {
            yield* setTags(id, changes.tags, visibility === "published", now)
          }
        }).pipe(Effect.catchTag("SqlError", (error) => orDefect(Effect.fail(error)))),

      delete: (id, at) =>
        Effect.gen(function* () {
          const before = Option.getOrUndefined(yield* state(id))
          if (before === undefined) return
          yield* sql`update threads set deleted_at = ${timestamp(at)}, version = version + 1 where id = ${id}`
          yield* sql`update posts set deleted_at = ${timestamp(at)} where id = ${id}`
          yield* recount(id, { visibility: before.visibility, categoryId: before.category_id })
        }).pipe(orDefect),

      findAuthor: (handleOrId) =>
        sql<{
          readonly id: string
        }>`select id from accounts where handle = ${handleOrId} or id = ${handleOrId}
          order by handle = ${handleOrId} desc limit 1`.pipe(
          Effect.map((rows) => Option.map(Array.head(rows), ({ id }) => AccountId.make(id))),
          orDefect
        ),

      markRead: (accountId, id, at) =>
        sql`insert into read_marks (account_id, thread_id, read_at)
          select ${accountId}, id, ${timestamp(at)} from threads where id = ${id} and deleted_at is null
          on conflict (account_id, thread_id) do update set read_at = excluded.read_at`.pipe(
          Effect.asVoid,
          orDefect
        )
    })
  })
)
