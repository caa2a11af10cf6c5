/** Threads as lists and pages show them. */
import { Effect } from "effect"
import type { PostId } from "../../domain/shared/Id.ts"
import * as RichText from "../../domain/shared/RichText.ts"
import type { PostContent, ThreadReferenceContent } from "../../domain/thread/ThreadContent.ts"
import type { ListedHead } from "../../domain/thread/ThreadHead.ts"
import { makeCategoryReader } from "../category/CategoryRows.ts"
import { makeLinkReader } from "../link/LinkRows.ts"
import { QuickReads } from "../shared/Connections.ts"
import { all, isOneOf } from "../shared/Query.ts"
import { toTimestamp } from "../shared/Rows.ts"
import { makeTagReader, tagsOf } from "../tag/TagReader.ts"
import { collectedIn, makePostReader, type OpeningRow, openingColumns } from "./PostReader.ts"

const briefColumns = openingColumns
  .replace("body,", `'${RichText.empty}' as body,`)
  .replace("meta,", "'{}'::jsonb as meta,")
  .replace("react_count,", "0 as react_count,")
  .replace("link_count", "0 as link_count")

const isPresent = <A>(value: A | undefined): value is A => value !== undefined

export const makeThreadReader = Effect.gen(function* () {
  const sql = yield* QuickReads
  const categories = yield* makeCategoryReader
  const links = yield* makeLinkReader
  const tags = yield* makeTagReader
  const posts = yield* makePostReader

  const columns = sql.literal(openingColumns)

  /** Everything of these threads but their posts, which are put to it. */
  const headersOf = Effect.fnUntraced(function* (
    threads: ReadonlyArray<ListedHead>,
    catalogueVersion: string
  ) {
    const [tagOf, categoryOf, linkOf] = yield* Effect.all(
      [
        tags(
          threads.flatMap(({ tagIds }) => tagIds),
          catalogueVersion
        ),
        categories(threads.map(({ categoryId }) => categoryId).filter(isPresent), catalogueVersion),
        links.byId(threads.map(({ linkId }) => linkId).filter(isPresent))
      ],
      { concurrency: "unbounded" }
    )
    return (thread: ListedHead, post: PostContent): ThreadReferenceContent => {
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

  // What is brief has the same columns, empty.
  const read = { full: columns, brief: sql.literal(briefColumns) }

  const openingsOf = Effect.fnUntraced(function* (
    ids: ReadonlyArray<PostId>,
    peopleVersion: string,
    length: "full" | "brief"
  ) {
    const openings = yield* all(
      sql<OpeningRow>`select ${read[length]} from posts where ${isOneOf(sql, "id", ids)} and deleted_at is null`
    )
    return [openings, yield* posts.detailsOf(openings, peopleVersion)] as const
  })

  /** Threads in a list, in no order; their people are not older than the heads. */
  const references = Effect.fnUntraced(function* (
    threads: ReadonlyArray<ListedHead>,
    length: "full" | "brief"
  ) {
    const [any] = threads
    if (any === undefined) return []
    const byId = new Map(threads.map((thread) => [thread.id, thread]))
    const [header, [openings, details]] = yield* Effect.all(
      [headersOf(threads, any.catalogueVersion), openingsOf([...byId.keys()], any.peopleVersion, length)],
      { concurrency: "unbounded" }
    )
    return openings.flatMap((opening) => {
      const thread = byId.get(opening.id)
      return thread === undefined ? [] : [header(thread, details.post(opening, opening))]
    })
  })

  return { headersOf, references } as const
})

export type ThreadReader = Effect.Success<typeof makeThreadReader>
