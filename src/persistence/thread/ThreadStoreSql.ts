import { PgClient } from "@effect/sql-pg"
import { Array, Effect, Layer, Option } from "effect"
import { CategoryUnknown } from "../../domain/category/Category.ts"
import type { LinkAddress } from "../../domain/link/Link.ts"
import type { AccountId, PostId } from "../../domain/shared/Id.ts"
import type { Visibility } from "../../domain/shared/Visibility.ts"
import type { PostText } from "../../domain/thread/PostText.ts"
import { ThreadStore } from "../../domain/thread/ThreadStore.ts"
import { makeLinkWriter } from "../link/LinkRows.ts"
import { timestamp } from "../shared/Rows.ts"
import { orDefect } from "../shared/SqlErrors.ts"
import { makeTagWriter } from "../tag/TagRows.ts"
import { makeThreadCounts } from "./ThreadCountsSql.ts"
import { makeThreadList } from "./ThreadListSql.ts"
import { makeThreadPage } from "./ThreadPageSql.ts"

interface StateRow {
  readonly id: PostId
  readonly author_id: AccountId
  readonly visibility: Visibility
  readonly category_id: string | null
}

/**
 * Every write takes what it shares with other writes in one order: the thread,
 * its category's key, links, tags, and last the counts.
 */
export const layer = Layer.effect(
  ThreadStore,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const tags = yield* makeTagWriter
    const links = yield* makeLinkWriter
    const count = yield* makeThreadCounts
    const page = yield* makeThreadPage
    const list = yield* makeThreadList

    const hold = (id: string) =>
      sql<StateRow>`select id, author_id, visibility, category_id from threads
        where id = ${id} and deleted_at is null for no key update`.pipe(Effect.map(Array.head))

    const checkCategory = Effect.fnUntraced(function* (id: string | undefined) {
      if (id === undefined) return
      const found = yield* sql`select 1 from categories where id = ${id} for key share`
      if (found.length === 0) {
        return yield* new CategoryUnknown({ metadata: { field: "category", id } })
      }
    })

    /** The link that the thread is about, and those in its text. */
    const resolveLinks = Effect.fnUntraced(function* (
      about: LinkAddress | undefined,
      text: PostText | undefined,
      at: Date
    ) {
      const inText = text?.links ?? []
      if (about === undefined) return { linkId: undefined, textLinkIds: yield* links.resolve(inText, at) }
      const [linkId, ...textLinkIds] = yield* links.resolve([about, ...inText], at)
      return { linkId, textLinkIds }
    })

    const tagIdsOf = (id: string) =>
      sql<{ readonly tag_id: string }>`select tag_id from thread_tags where thread_id = ${id}`.pipe(
        Effect.map((rows) => rows.map(({ tag_id }) => tag_id))
      )

    const addTags = (id: string, tagIds: ReadonlyArray<string>) =>
      sql`insert into thread_tags (thread_id, tag_id)
        select ${id}, unnest(${tagIds}::text[]) on conflict do nothing`

    return ThreadStore.of({
      page,
      list,

      insert: (thread) =>
        Effect.gen(function* () {
          const at = timestamp(thread.at)
          yield* checkCategory(thread.category)
          const { linkId, textLinkIds } = yield* resolveLinks(thread.link, thread.text, at)
          const tagIds = yield* tags.resolve(thread.tags, at)
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
          if (textLinkIds.length > 0) yield* links.setPostLinks(thread.id, textLinkIds)
          if (tagIds.length > 0) yield* addTags(thread.id, tagIds)
          const { category, visibility } = thread
          yield* count(thread.id, undefined, { visibility, categoryId: category ?? null, tagIds })
        }).pipe(Effect.catchTag("SqlError", (error) => orDefect(Effect.fail(error)))),

      lock: (id) =>
        hold(id).pipe(
          Effect.map(
            Option.map((row) => ({
              id: row.id,
              authorId: row.author_id,
              visibility: row.visibility
            }))
          ),
          orDefect
        ),

      update: (id, changes, at) =>
        Effect.gen(function* () {
          const now = timestamp(at)
          const before = yield* Effect.flatMap(hold(id), Effect.fromOption).pipe(
            Effect.catchTag("NoSuchElementError", Effect.die)
          )
          yield* checkCategory(changes.category)
          const visibility = changes.visibility ?? before.visibility
          const categoryId = changes.category ?? before.category_id
          const { linkId, textLinkIds } = yield* resolveLinks(changes.link, changes.text, now)
          const tagIdsBefore = yield* tagIdsOf(id)
          const tagIds = changes.tags === undefined ? tagIdsBefore : yield* tags.resolve(changes.tags, now)
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
          if (changes.text !== undefined) yield* links.setPostLinks(id, textLinkIds)
          if (changes.tags !== undefined) {
            yield* sql`delete from thread_tags where thread_id = ${id} and not tag_id = any(${tagIds}::text[])`
            yield* addTags(id, tagIds)
          }
          yield* count(
            id,
            { visibility: before.visibility, categoryId: before.category_id, tagIds: tagIdsBefore },
            { visibility, categoryId, tagIds }
          )
        }).pipe(Effect.catchTag("SqlError", (error) => orDefect(Effect.fail(error)))),

      delete: (id, at) =>
        Effect.gen(function* () {
          const before = Option.getOrUndefined(yield* hold(id))
          if (before === undefined) return
          yield* sql`update threads set deleted_at = ${timestamp(at)}, version = version + 1 where id = ${id}`
          yield* sql`update posts set deleted_at = ${timestamp(at)} where id = ${id}`
          const { category_id: categoryId, visibility } = before
          yield* count(id, { visibility, categoryId, tagIds: yield* tagIdsOf(id) }, undefined)
        }).pipe(orDefect),

      markRead: (accountId, id, at) =>
        sql`insert into read_marks (account_id, thread_id, read_at)
          select ${accountId}, id, ${timestamp(at)} from threads where id = ${id} and deleted_at is null
          on conflict (thread_id, account_id) do update set read_at = excluded.read_at`.pipe(
          Effect.asVoid,
          orDefect
        )
    })
  })
)
