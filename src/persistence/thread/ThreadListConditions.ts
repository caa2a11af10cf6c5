/** Which threads a list has, as SQL: the conditions that narrow it, and how many threads fulfil them. */
import type { SqlClient, Statement } from "effect/sql"
import type { AccountId } from "../../domain/shared/Id.ts"
import type { Visibility } from "../../domain/shared/Visibility.ts"
import { searchKey } from "../../domain/text/SearchText.ts"
import type { ThreadListFilter } from "../../domain/thread/ThreadStore.ts"
import { containing } from "../shared/Query.ts"
import { visibilityCondition } from "../visibility/VisibilitySql.ts"

const isUnpublished = (visibility: Visibility) => visibility !== "published"

/** The condition on a thread's category, unless it may be any. A single one is compared by `=`, which an index orders. */
const inCategories = (
  sql: SqlClient.SqlClient,
  categories: ThreadListFilter["categories"]
): Array<Statement.Fragment> => {
  if (categories === null) return [sql`t.category_id is null`]
  if (categories.length === 0) return []
  return categories.length === 1
    ? [sql`t.category_id = (select id from categories where slug = ${categories[0]})`]
    : [sql`t.category_id in (select id from categories where slug = any(${categories}::text[]))`]
}

/** How many threads an author has published in these categories, as a sum of numbers that writes keep. */
const publishedBy = (
  sql: SqlClient.SqlClient,
  author: AccountId,
  categories: ThreadListFilter["categories"]
): Statement.Fragment =>
  sql`(select coalesce(sum(published), 0)::int from author_totals t
    where ${sql.and([sql`t.author_id = ${author}`, ...inCategories(sql, categories)])})`

/** How many published threads there are in these categories, as a sum of numbers that writes keep. */
const publishedIn = (
  sql: SqlClient.SqlClient,
  categories: ThreadListFilter["categories"]
): Statement.Fragment => {
  if (categories === null) {
    return sql`(select sum(published)::int from thread_totals)
      - (select coalesce(sum(post_count), 0)::int from categories)`
  }
  return categories.length === 0
    ? sql`(select sum(published)::int from thread_totals)`
    : sql`(select coalesce(sum(post_count), 0)::int from categories where slug = any(${categories}::text[]))`
}

/** How many published threads carry one of these tags, which an index has. */
const publishedWith = (sql: SqlClient.SqlClient, tags: ThreadListFilter["tags"]): Statement.Fragment =>
  tags.length === 1
    ? sql`(select count(*)::int from thread_tags where tag_id = ${tags[0]} and listed)`
    : sql`(select count(distinct thread_id)::int from thread_tags where tag_id = any(${tags}::text[]) and listed)`

/** How many published threads a list has, where numbers that writes keep or an index tell it; none for other lists. */
const publishedOf = (
  sql: SqlClient.SqlClient,
  { author, categories, tags, text }: ThreadListFilter
): Statement.Fragment | undefined => {
  if (text !== undefined) return undefined
  if (tags.length === 0) {
    return author === undefined ? publishedIn(sql, categories) : publishedBy(sql, author, categories)
  }
  return author === undefined && categories?.length === 0 ? publishedWith(sql, tags) : undefined
}

/**
 * The filter of a list by author without a difference between own threads and others: all are the viewer's own, or none
 * is.
 */
export const seenOf = (list: ThreadListFilter): ThreadListFilter => {
  if (list.author === undefined) return list
  const seen = list.author === list.viewer ? list.filter.own : list.filter.others
  return { ...list, filter: { others: seen, own: seen } }
}

/** The condition that a filter passes a thread: one text for all viewers where the author is given (see `seenOf`). */
export const isSeen = (
  sql: SqlClient.SqlClient,
  { author, viewer }: ThreadListFilter,
  filter: ThreadListFilter["filter"]
): Statement.Fragment => visibilityCondition(sql, "t", filter, author === undefined ? viewer : undefined)

/** The ids of the threads that have a text in their titles, slugs or bodies. */
export const threadsWith = (sql: SqlClient.SqlClient, text: string): Statement.Fragment => {
  const pattern = containing(searchKey(text))
  return sql`select id from search_texts where kind = 'thread'
    and (title like ${pattern} or slug like ${pattern} or body like ${pattern})`
}

/** Everything that narrows a list but the visibility. */
export const narrowings = (sql: SqlClient.SqlClient, filter: ThreadListFilter): Array<Statement.Fragment> => {
  const { author, categories, tags, text } = filter
  return [
    ...(author === undefined ? [] : [sql`t.author_id = ${author}`]),
    ...inCategories(sql, categories),
    ...(tags.length === 0
      ? []
      : [sql`t.id in (select thread_id from thread_tags where tag_id = any(${tags}::text[]))`]),
    ...(text === undefined ? [] : [sql`t.id in (${threadsWith(sql, text)})`])
  ]
}

/**
 * The number of threads in a list. Published threads are counted as they come and go: all of them, in each category and
 * of each author. Only what else the viewer sees is counted here.
 */
export const totalOf = (
  sql: SqlClient.SqlClient,
  list: ThreadListFilter,
  narrowed: ReadonlyArray<Statement.Fragment>
): Statement.Fragment => {
  const { filter, viewer } = list
  const { others, own } = filter
  const published =
    others.includes("published") && own.includes("published") ? publishedOf(sql, list) : undefined
  if (published === undefined) {
    const conditions = [sql`t.deleted_at is null`, isSeen(sql, list, filter), ...narrowed]
    return sql`(select count(*)::int from threads t where ${sql.and(conditions)})`
  }
  const unpublished = { others: others.filter(isUnpublished), own: own.filter(isUnpublished) }
  const isListed =
    unpublished.others.length > 0
      ? isSeen(sql, list, unpublished)
      : sql`t.author_id = ${viewer ?? null} and t.visibility = any(${unpublished.own}::text[])`
  const conditions = [sql`t.deleted_at is null`, sql`t.visibility <> 'published'`, isListed, ...narrowed]
  return sql`(${published} + (select count(*)::int from threads t where ${sql.and(conditions)}))`
}
