/** What decides, by one row, whether a thread's page may be shown and whether it has changed. */
import { Effect, Option } from "effect"
import type { AccountId, CategoryId, LinkId, PostId, TagId } from "../../domain/shared/Id.ts"
import { readableAs, Visibility } from "../../domain/shared/Visibility.ts"
import { replyPolicy } from "../../domain/thread/PostVisibility.ts"
import { type ListedSummary, type ThreadSummary, tagSize } from "../../domain/thread/ThreadSummary.ts"
import { isInCollection } from "../collection/MembershipSql.ts"
import { askedWithCaller } from "../session/CallerSql.ts"
import { QuickReads } from "../shared/Connections.ts"
import { first } from "../shared/Query.ts"
import { toTimestamp } from "../shared/Rows.ts"

/**
 * A row for a summary; its versions are read in another way for one thread than for many. Numbers and lists that are
 * mostly zero or empty are null in that case, which takes less time to transfer and read. The driver makes objects of
 * rows by adding one property after the other: with more than 19 each takes three times as long to make and to read.
 */
export interface SummaryRow {
  readonly id: PostId
  readonly author_id: AccountId
  readonly visibility: Visibility
  readonly category_id: CategoryId | null
  readonly link_id: LinkId | null
  readonly tag_ids: ReadonlyArray<TagId>
  readonly pinned: number | null
  readonly reply_count: number
  readonly unpublished_replies: number | null
  readonly opening_weight: number
  readonly in_collections: number | null
  readonly read_at: Date | null
  readonly replied: number | null
  /** What the viewer has of the thread; null if nothing. */
  readonly for_viewer:
    | readonly [
        ownUnpublished: number,
        newReplies: number,
        newUnpublished: number,
        allOwnUnpublished?: number,
        newlyPublished?: number
      ]
    | null
  readonly has_likes: boolean | null
  readonly has_collected: boolean | null
}

/** What summaries show of a thread `t`. */
export const threadColumns = `t.id, t.author_id, t.visibility, t.category_id, t.link_id, t.tag_ids, nullif(t.pinned, 0) as pinned, t.reply_count,
  nullif(t.unpublished_replies, 0) as unpublished_replies, t.opening_weight,
  nullif(t.in_collections, 0) as in_collections`

const listOf = (visibilities: ReadonlyArray<Visibility>) =>
  visibilities.map((visibility) => `'${visibility}'`).join(", ")

const ownReadable = listOf(readableAs(replyPolicy, false).own)
const everyUnpublished = listOf(Visibility.literals.filter((visibility) => visibility !== "published"))

/**
 * The columns for what a viewer has of a thread `t`, read of the read mark `mark` and of the viewer's part in the
 * thread, `mine`. Where all of its replies are others' and shown to everyone, they are counted by their numbers alone.
 */
export const viewerColumns = `mark.read_at, mine.replies as replied,
  case when mark.replies_read < t.replies_made or mark.publications_read < t.published_later
      or (t.unpublished_replies > 0 and mine.replies > 0)
    then case when t.reply_count = t.replies_made and t.unpublished_replies = 0 and mine.replies is null
        and mark.publications_read = t.published_later
      then array[0, t.replies_made - mark.replies_read, 0]
      else replies_for(t.id, coalesce(mark.account_id, mine.account_id), array[${ownReadable}], mark.replies_read,
          t.replies_made, t.reply_count, t.unpublished_replies, mine.replies > 0)
        || (replies_for(t.id, mine.account_id, array[${everyUnpublished}], t.replies_made,
          t.replies_made, t.reply_count, t.unpublished_replies, mine.replies > 0))[1]
        || case when mark.publications_read < t.published_later
          then published_since(t.id, mark.account_id, mark.replies_read, mark.publications_read) else 0 end
      end end as for_viewer`

/** Whether a collection of the viewer contains a thread `t`; what no collection contains is not looked for. */
const hasCollected = (viewer: string) => `case when t.in_collections > 0 then exists (
  select from collection_items where post_id = t.id and owner_id = ${viewer} and ${isInCollection}) end`

/**
 * Up to how many people, and how many links, `thread_references` names for a thread. A thread with more counts as
 * changed whenever any person or link changes.
 */
const referencesMost = 32

/** The versions of what a thread `t` shows of others: of each of them, or of all there are where these are many. */
const versionsOf = (column: "people" | "links", table: string, own: string) =>
  `case when cardinality(refs.${column}) > ${referencesMost} then 'all' || versions.${column}
    else (select sum(shown_version) from ${table} where id = any(refs.${column} || ${own}))::text end`

const summaryQuery = (viewer: string, id: string) => `
  select ${threadColumns}, t.last_reply_at, t.replies_made, t.reply_weight, versions.people::text as people_version,
    versions.tags_and_categories::text as tags_and_categories_version,
    concat_ws('.', t.version, c.version, versions.roles, ${versionsOf("people", "accounts", "t.author_id")},
      coalesce(${versionsOf("links", "links", "t.link_id")}, ''), (select sum(version) from tags where id = any(t.tag_ids))
    ) as version,
    ${viewerColumns}, exists (select from likes where thread_id = t.id and account_id = ${viewer}) as has_likes,
    ${hasCollected(viewer)} as has_collected
  from threads t
  cross join (select sum(people) as people, sum(links) as links, sum(tags_and_categories) as tags_and_categories, sum(roles) as roles
    from change_versions) versions
  left join thread_references refs on refs.thread_id = t.id
  left join categories c on c.id = t.category_id
  left join read_marks mark on mark.thread_id = t.id and mark.account_id = ${viewer}
  left join thread_participants mine on mine.thread_id = t.id and mine.account_id = ${viewer}
  where t.id = ${id} and t.deleted_at is null`

/** The versions that a summary has: of the thread itself, and of the people, tags and categories that it shows. */
export type Versions = Pick<ThreadSummary, "version" | "peopleVersion" | "tagsAndCategoriesVersion">

const nothingForViewer = [0, 0, 0] as const

const stateOf = ({ for_viewer, has_collected, read_at, replied }: SummaryRow): ThreadSummary["state"] => {
  const [ownUnpublished, newReplies, newUnpublished, allOwnUnpublished = ownUnpublished, newlyPublished = 0] =
    for_viewer ?? nothingForViewer
  const lastReadAt = read_at === null ? undefined : toTimestamp(read_at)
  return {
    lastReadAt,
    replied: replied ?? 0,
    ownUnpublished,
    ownHidden: allOwnUnpublished - ownUnpublished,
    newReplies,
    newUnpublished,
    newlyPublished,
    hasCollected: has_collected ?? false
  }
}

export const summaryOf = (
  row: SummaryRow,
  lastReplyAt: Date | undefined,
  versions: Versions
): ListedSummary => ({
  id: row.id,
  authorId: row.author_id,
  visibility: row.visibility,
  ...versions,
  categoryId: row.category_id ?? undefined,
  linkId: row.link_id ?? undefined,
  tagIds: row.tag_ids,
  pinned: row.pinned ?? 0,
  lastReplyAt,
  counts: { replies: row.reply_count, unpublished: row.unpublished_replies ?? 0 },
  openingWeight: row.opening_weight + tagSize * row.tag_ids.length,
  inCollections: row.in_collections ?? 0,
  state: stateOf(row),
  hasLikes: row.has_likes ?? false
})

interface OneRow extends SummaryRow {
  readonly last_reply_at: Date | null
  readonly replies_made: number
  readonly reply_weight: number
  readonly version: string
  readonly people_version: string
  readonly tags_and_categories_version: string
}

const summaryOfOne = (row: OneRow): ThreadSummary => ({
  ...summaryOf(row, row.last_reply_at ?? undefined, {
    version: row.version,
    peopleVersion: row.people_version,
    tagsAndCategoriesVersion: row.tags_and_categories_version
  }),
  repliesMade: row.replies_made,
  replyWeight: row.reply_weight
})

const isOne = (row: object): row is OneRow => "id" in row && row.id !== null

/** The summary of a thread, for any caller. */
export const summaryWithCaller = askedWithCaller(summaryQuery, (row) =>
  isOne(row) ? Option.some(summaryOfOne(row)) : Option.none()
)

const summaryText = summaryQuery("$2::text", "$1")

/** The summary of a thread for an account, or for a guest. */
export const makeFindSummary = Effect.map(
  QuickReads,
  (sql) => (id: PostId, viewer: AccountId | undefined) =>
    Effect.map(first(sql.unsafe<OneRow>(summaryText, [id, viewer ?? null])), (row) =>
      row === undefined ? Option.none() : Option.some(summaryOfOne(row))
    )
)
