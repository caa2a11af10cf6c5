/** Threads as lists and pages show them. */
import { Effect } from "effect"
import type { CategoryId, LinkId, PostId } from "../../domain/shared/Id.ts"
import type { PostContent, ThreadReferenceContent } from "../../domain/thread/ThreadContent.ts"
import { makeCategoryReader } from "../category/CategoryRows.ts"
import { makeLinkReader } from "../link/LinkRows.ts"
import { QuickReads } from "../shared/Connections.ts"
import { all, isOneOf } from "../shared/Query.ts"
import { toTimestamp } from "../shared/Rows.ts"
import { makeTagReader } from "../tag/TagReader.ts"
import { makePostReader, type OpeningRow, openingColumns } from "./PostReader.ts"

interface ThreadRow {
  readonly id: PostId
  readonly category_id: CategoryId | null
  readonly link_id: LinkId | null
  readonly pinned: number
  readonly reply_count: number
  readonly last_reply_at: Date | null
}

const isPresent = <A>(value: A | null): value is A => value !== null

export const makeThreadReader = Effect.gen(function* () {
  const sql = yield* QuickReads
  const categories = yield* makeCategoryReader
  const links = yield* makeLinkReader
  const tags = yield* makeTagReader
  const posts = yield* makePostReader

  const columns = sql.literal(openingColumns)

  const readThreads = (ids: ReadonlyArray<PostId>) =>
    all(
      sql<ThreadRow>`select id, category_id, link_id, pinned, reply_count, last_reply_at
        from threads where ${isOneOf(sql, "id", ids)} and deleted_at is null`
    )

  /** Everything of these threads but their posts, which are put to it. */
  const headersOf = Effect.fnUntraced(function* (ids: ReadonlyArray<PostId>) {
    const [rows, tagsOf] = yield* Effect.all([readThreads(ids), tags(ids)], { concurrency: "unbounded" })
    const [categoryOf, linkOf] = yield* Effect.all(
      [
        categories(rows.map(({ category_id }) => category_id).filter(isPresent)),
        links.byId(rows.map(({ link_id }) => link_id).filter(isPresent))
      ],
      { concurrency: "unbounded" }
    )
    const byId = new Map(rows.map((row) => [row.id, row]))
    return (opening: OpeningRow, post: PostContent): ThreadReferenceContent | undefined => {
      const row = byId.get(opening.id)
      if (row === undefined) return undefined
      const category = row.category_id === null ? undefined : categoryOf.get(row.category_id)
      const link = row.link_id === null ? undefined : linkOf.get(row.link_id)
      return {
        shared: {
          ...post.shared,
          pinned: row.pinned,
          ...(category === undefined ? {} : { category }),
          ...(link === undefined ? {} : { link }),
          tags: tagsOf.get(opening.id) ?? [],
          ...(row.last_reply_at === null ? {} : { last_reply_at: toTimestamp(row.last_reply_at) })
        },
        likes: post.likes,
        replies: row.reply_count
      }
    }
  })

  const readOpenings = (ids: ReadonlyArray<PostId>) =>
    all(sql<OpeningRow>`select ${columns} from posts where ${isOneOf(sql, "id", ids)} and deleted_at is null`)

  /** Threads in a list, in no order; their people are not older than a version that was read before. */
  const references = Effect.fnUntraced(function* (ids: ReadonlyArray<PostId>, peopleVersion: string) {
    if (ids.length === 0) return []
    const [headers, [openings, details]] = yield* Effect.all(
      [
        headersOf(ids),
        Effect.flatMap(readOpenings(ids), (openings) =>
          Effect.map(posts.detailsOf(openings, peopleVersion), (details) => [openings, details] as const)
        )
      ],
      { concurrency: "unbounded" }
    )
    return openings.flatMap((opening) => headers(opening, details.post(opening, opening)) ?? [])
  })

  return { headersOf, references } as const
})
