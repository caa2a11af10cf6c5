/** Threads as lists and pages show them. */
import { Effect } from "effect"
import type { PostId } from "../../domain/shared/Id.ts"
import type { OmittedThreadField } from "../../domain/thread/PostOmission.ts"
import type { PostContent, ThreadReferenceContent } from "../../domain/thread/ThreadContent.ts"
import type { WantedThread } from "../../domain/thread/ThreadStore.ts"
import type { ListedSummary } from "../../domain/thread/ThreadSummary.ts"
import { makeCategoryReader } from "../category/CategoryRows.ts"
import { makeLinkReader } from "../link/LinkRows.ts"
import { QuickReads } from "../shared/Connections.ts"
import { all, isOneOf } from "../shared/Query.ts"
import { toTimestamp } from "../shared/Rows.ts"
import { makeTagReader, tagsOf } from "../tag/TagReader.ts"
import { collectedIn, makePostReader, type OpeningRow, openingColumns } from "./PostReader.ts"

/** An opening post without those of its long fields that are not wanted, which `omitted` names. */
type PartRow = OpeningRow & { readonly omitted: ReadonlyArray<OmittedThreadField> }

const partColumns = `${openingColumns
  .replace("body,", "case when parts > 2 then body else '' end as body,")
  .replace("meta,", "case when parts > 0 then meta else '{}' end as meta,")
  .replace("react_count,", "case when parts > 1 then react_count else 0 end as react_count,")
  .replace("link_count", "case when parts > 2 then link_count else 0 end as link_count")},
  array_remove(array[case when parts < 1 and meta <> '{}' then 'meta' end,
    case when parts < 2 and react_count > 0 then 'reacts' end, case when parts < 3 then 'body' end,
    case when parts < 2 and exists (select from threads t where t.id = posts.id and t.tag_ids <> '{}') then 'tags' end,
    case when parts < 3 and link_count > 0 then 'body_links' end], null) as omitted`

const isPresent = <A>(value: A | undefined): value is A => value !== undefined

export const makeThreadReader = Effect.gen(function* () {
  const sql = yield* QuickReads
  const categories = yield* makeCategoryReader
  const links = yield* makeLinkReader
  const tags = yield* makeTagReader
  const posts = yield* makePostReader

  const columns = sql.literal(openingColumns)

  /** Everything that these threads show but their posts, which the caller adds. */
  const headersOf = Effect.fnUntraced(function* (
    threads: ReadonlyArray<ListedSummary>,
    tagsAndCategoriesVersion: string
  ) {
    const [tagOf, categoryOf, linkOf] = yield* Effect.all(
      [
        tags(
          threads.flatMap(({ tagIds }) => tagIds),
          tagsAndCategoriesVersion
        ),
        categories(threads.map(({ categoryId }) => categoryId).filter(isPresent), tagsAndCategoriesVersion),
        links.byId(threads.map(({ linkId }) => linkId).filter(isPresent))
      ],
      { concurrency: "unbounded" }
    )
    return (thread: ListedSummary, post: PostContent): ThreadReferenceContent => {
      const category = thread.categoryId === undefined ? undefined : categoryOf.get(thread.categoryId)
      const link = thread.linkId === undefined ? undefined : linkOf.get(thread.linkId)
      return {
        shared: {
          ...collectedIn(thread.inCollections, post).shared,
          pinned: thread.pinned,
          ...(category === undefined ? {} : { category }),
          ...(link === undefined ? {} : { link }),
          tags: tagsOf(tagOf, thread.tagIds),
          ...(thread.lastReplyAt === undefined ? {} : { last_reply_at: toTimestamp(thread.lastReplyAt) })
        },
        author: post.author,
        likes: post.likes,
        replies: thread.counts.replies
      }
    }
  })

  const openings = (ids: ReadonlyArray<PostId>) =>
    all(sql<OpeningRow>`select ${columns} from posts where ${isOneOf(sql, "id", ids)} and deleted_at is null`)

  const referencesFrom = Effect.fnUntraced(function* <Row extends OpeningRow>(
    threads: ReadonlyArray<ListedSummary>,
    reading: Effect.Effect<ReadonlyArray<Row>>
  ) {
    const [any] = threads
    if (any === undefined) return []
    const byId = new Map(threads.map((thread) => [thread.id, thread]))
    const detailed = Effect.gen(function* () {
      const rows = yield* reading
      return [rows, yield* posts.detailsOf(rows, any.peopleVersion)] as const
    })
    const [header, [rows, details]] = yield* Effect.all(
      [headersOf(threads, any.tagsAndCategoriesVersion), detailed],
      { concurrency: "unbounded" }
    )
    return rows.flatMap((row) => {
      const thread = byId.get(row.id)
      return thread === undefined ? [] : [{ row, reference: header(thread, details.post(row, row)) }]
    })
  })

  /** Threads in a list, in no order; their people are not older than the summaries. */
  const references = (threads: ReadonlyArray<ListedSummary>) =>
    Effect.map(referencesFrom(threads, openings(threads.map(({ id }) => id))), (found) =>
      found.map(({ reference }) => reference)
    )

  /**
   * Threads in a list, in no order, each with as many of its parts as is wanted, and the names of the fields that it
   * therefore lacks.
   */
  const referencesInPart = (wanted: ReadonlyArray<WantedThread>) => {
    const reading = all(
      sql<PartRow>`select ${sql.literal(partColumns)}
        from unnest(${wanted.map(({ summary }) => summary.id)}::text[], ${wanted.map(({ parts }) => parts)}::int[])
          w (wanted_id, parts)
        join posts on id = wanted_id where deleted_at is null`
    )
    return Effect.map(
      referencesFrom(
        wanted.map(({ summary }) => summary),
        reading
      ),
      (found) => found.map(({ reference, row: { omitted } }) => ({ reference, omitted }))
    )
  }

  return { headersOf, references, referencesInPart } as const
})

export type ThreadReader = Effect.Success<typeof makeThreadReader>
