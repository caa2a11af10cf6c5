/** Which links a reader may read beside public ones: those that stand in what the reader may read. */
import type { SqlClient, Statement } from "effect/sql"
import { nodePolicy } from "../../domain/library/NodeRules.ts"
import { type LinkReader, readsOnlyPublic } from "../../domain/link/LinkStore.ts"
import { readableAs, type VisibilityPolicy } from "../../domain/shared/Visibility.ts"
import { replyPolicy, threadPolicy } from "../../domain/thread/PostVisibility.ts"
import { readableNode } from "../visibility/ReadableNodeSql.ts"
import { readablePost } from "../visibility/ReadablePostSql.ts"

/** A way in which links stand in posts or nodes: the rows that have the links, and which of them a reader may read. */
interface Use {
  readonly from: Statement.Fragment
  readonly link: Statement.Fragment
  readonly isReadable: Statement.Fragment
  /** Conditions that together select the rows that are not public, one for each table that decides on it. */
  readonly hidden: ReadonlyArray<Statement.Fragment>
}

/** The rows of a table that are not published, and that this reader may see by their own visibility. */
const unpublished = (
  sql: SqlClient.SqlClient,
  table: string,
  policy: VisibilityPolicy,
  isStaff: boolean,
  viewer: string | undefined,
  maker: string
) => {
  const filter = readableAs(policy, isStaff)
  const isHidden = sql`${sql(`${table}.visibility`)} <> 'published'`
  // An index has what is not published by who made it.
  return filter.others.some((visibility) => visibility !== "published")
    ? isHidden
    : sql`${isHidden} and ${sql(`${table}.${maker}`)} = ${viewer ?? null}`
}

const usesInPosts = (
  sql: SqlClient.SqlClient,
  reader: NonNullable<LinkReader["posts"]>
): ReadonlyArray<Use> => {
  const { accountId, moderates } = reader
  const inThreads = unpublished(sql, "t", threadPolicy, moderates, accountId, "author_id")
  const inReplies = unpublished(sql, "p", replyPolicy, moderates, accountId, "author_id")
  return [
    {
      from: sql`threads t join posts p on p.id = t.id`,
      link: sql`t.link_id`,
      isReadable: readablePost(sql, reader),
      hidden: [inThreads]
    },
    {
      from: sql`post_links pl join posts p on p.id = pl.post_id join threads t on t.id = p.thread_id`,
      link: sql`pl.link_id`,
      isReadable: readablePost(sql, reader),
      hidden: [inThreads, sql`p.link_count > 0 and ${inReplies}`]
    }
  ]
}

const usesInPages = (
  sql: SqlClient.SqlClient,
  reader: NonNullable<LinkReader["library"]>
): ReadonlyArray<Use> => {
  const { accountId, manages } = reader
  const hidden = [unpublished(sql, "n", nodePolicy, manages, accountId, "owner_id")]
  const isReadable = readableNode(sql, "n", reader)
  return [
    { from: sql`nodes n`, link: sql`n.link_id`, isReadable, hidden },
    {
      from: sql`node_links nl join nodes n on n.id = nl.node_id`,
      link: sql`nl.link_id`,
      isReadable,
      hidden
    }
  ]
}

const usesOf = (sql: SqlClient.SqlClient, { library, posts }: LinkReader): ReadonlyArray<Use> => [
  ...(posts === undefined ? [] : usesInPosts(sql, posts)),
  ...(library === undefined ? [] : usesInPages(sql, library))
]

/** The condition that a reader may read the row of `links` under this name. */
export const readableLink = (
  sql: SqlClient.SqlClient,
  name: string,
  reader: LinkReader
): Statement.Fragment =>
  sql.or([
    sql`${sql(`${name}.is_public`)}`,
    ...usesOf(sql, reader).map(
      ({ from, isReadable, link }) =>
        sql`exists (select from ${from} where ${link} = ${sql(`${name}.id`)} and ${isReadable})`
    )
  ])

/**
 * The ids of the links that a reader may read and that may not be public, found from what is not public, of which a
 * reader sees little; undefined for a reader of public links only.
 */
export const hiddenLinks = (sql: SqlClient.SqlClient, reader: LinkReader): Statement.Fragment | undefined =>
  readsOnlyPublic(reader)
    ? undefined
    : sql.join(
        " union all ",
        false
      )(
        usesOf(sql, reader).flatMap(({ from, hidden, isReadable, link }) =>
          hidden.map(
            (part) =>
              sql`select ${link} as id from ${from} where ${link} is not null and ${part} and ${isReadable}`
          )
        )
      )
