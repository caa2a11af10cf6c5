/** Posts as pages show them: their rows, then what belongs to them, each kind by one statement. */
import { Effect } from "effect"
import { type JsonObject, misc } from "../../domain/field/Json.ts"
import type { LinkReference } from "../../domain/link/Link.ts"
import type { AccountId, Id, PostId } from "../../domain/shared/Id.ts"
import type { Visibility } from "../../domain/shared/Visibility.ts"
import type { PostContent, ReplyContent } from "../../domain/thread/ThreadContent.ts"
import { ProfileCache, type Resolved } from "../account/ProfileCache.ts"
import { makeLinkReader } from "../link/LinkRows.ts"
import { QuickReads } from "../shared/Connections.ts"
import { all, isOneOf } from "../shared/Query.ts"
import { toTimestamp } from "../shared/Rows.ts"

export interface PostRow {
  readonly id: PostId
  readonly thread_id: PostId
  readonly reply_to_id: PostId | null
  readonly author_id: AccountId
  readonly created_at: Date
  readonly updated_at: Date
  readonly visibility: Visibility
  readonly body: string
  readonly description: string
  readonly meta: JsonObject
  readonly like_count: number
  readonly react_count: number
  readonly link_count: number
}

/** A post that opens a thread. */
export interface OpeningRow extends PostRow {
  readonly title: string
  readonly slug: string
}

export const postColumns = `id, thread_id, reply_to_id, author_id, created_at, updated_at, visibility, body,
  description, meta, like_count, react_count, link_count`

export const openingColumns = `${postColumns}, title, slug`

interface ReactRow {
  readonly post_id: PostId
  readonly id: typeof Id.Type
  readonly account_id: AccountId
  readonly emoji: string
}

/** What belongs to posts. */
interface Details {
  readonly reacts: ReadonlyMap<PostId, ReadonlyArray<ReactRow>>
  readonly links: ReadonlyMap<PostId, ReadonlyArray<LinkReference>>
}

const noCollections = { in_collections: 0, has_collected: false }

/** A post with the number of collections that contain it. */
export const collectedIn = <Content extends Pick<PostContent, "shared">>(
  collections: number,
  content: Content
): Content =>
  collections === 0
    ? content
    : {
        ...content,
        shared: { ...content.shared, collections: { ...noCollections, in_collections: collections } }
      }

const idsWith = (rows: ReadonlyArray<PostRow>, count: "react_count" | "link_count") =>
  rows.filter((row) => row[count] > 0).map(({ id }) => id)

/** The title and slug of a thread, which all its posts show. */
export type Heading = Pick<OpeningRow, "title" | "slug">

/** A post under its thread's title; `slug` is the post's own address. */
const contentOf = (
  row: PostRow,
  title: string,
  slug: string,
  details: Details,
  people: Resolved
): PostContent => ({
  shared: {
    id: row.id,
    createdAt: toTimestamp(row.created_at),
    updatedAt: toTimestamp(row.updated_at),
    misc,
    title,
    description: row.description,
    slug,
    visibility: row.visibility,
    assets: [],
    reacts: (details.reacts.get(row.id) ?? []).map(({ account_id, emoji, id }) => ({
      id,
      emoji,
      author: people.brief(account_id)
    })),
    collections: noCollections,
    meta: row.meta,
    body: row.body,
    body_links: details.links.get(row.id) ?? []
  },
  author: people.get(row.author_id),
  likes: row.like_count
})

/**
 * The address of a post: the slug of its thread, and for a reply its id as the fragment. The parts are joined, because
 * a concatenation stays in pieces, which the fast path of writing JSON does not take.
 */
export const postSlug = ({ slug }: Heading, row: PostRow) =>
  row.id === row.thread_id ? slug : [slug, "#", row.id].join("")

export const makePostReader = Effect.gen(function* () {
  const sql = yield* QuickReads
  const links = yield* makeLinkReader
  const people = yield* ProfileCache

  const columns = sql.literal(postColumns)

  const readReacts = Effect.fnUntraced(function* (posts: ReadonlyArray<PostId>) {
    if (posts.length === 0) return new Map<PostId, ReadonlyArray<ReactRow>>()
    const rows = yield* all(
      sql<ReactRow>`select post_id, id, account_id, emoji from reacts
        where ${isOneOf(sql, "post_id", posts)} order by post_id, created_at, id`
    )
    return Map.groupBy(rows, ({ post_id }) => post_id)
  })

  /** Undeleted posts by id, in no order. */
  const readPosts = (ids: ReadonlyArray<PostId>) =>
    ids.length === 0
      ? Effect.succeed([])
      : all(
          sql<PostRow>`select ${columns} from posts where ${isOneOf(sql, "id", ids)} and deleted_at is null`
        )

  /**
   * What belongs to these posts, and the people that they show, who are not older than a version that was read before.
   */
  const detailsOf = Effect.fnUntraced(function* (rows: ReadonlyArray<PostRow>, peopleVersion: string) {
    const [reacts, linked] = yield* Effect.all(
      [readReacts(idsWith(rows, "react_count")), links.ofPosts(idsWith(rows, "link_count"))],
      { concurrency: "unbounded" }
    )
    const authors = rows.map(({ author_id }) => author_id)
    const reacting = [...reacts.values()].flatMap((list) => list.map(({ account_id }) => account_id))
    const resolved = yield* people.resolve([...authors, ...reacting], peopleVersion)
    const details: Details = { reacts, links: linked }
    const post = (row: PostRow, heading: Heading): PostContent =>
      contentOf(row, heading.title, postSlug(heading, row), details, resolved)
    const reply = (row: PostRow, quoted: PostRow | undefined, heading: Heading): ReplyContent => {
      const { author, likes, shared } = post(row, heading)
      return {
        shared: { ...shared, root_id: row.thread_id, root_slug: heading.slug },
        author,
        likes,
        quoted: quoted === undefined ? undefined : reply(quoted, undefined, heading)
      }
    }
    return { post, reply } as const
  })

  /** The posts that these posts reply to, except those that are among these. */
  const readQuoted = (rows: ReadonlyArray<PostRow>) => {
    const here = new Set(rows.map(({ id }) => id))
    const quoted = rows.flatMap(({ reply_to_id }) =>
      reply_to_id === null || here.has(reply_to_id) ? [] : [reply_to_id]
    )
    return readPosts([...new Set(quoted)])
  }

  return { detailsOf, readPosts, readQuoted } as const
})
