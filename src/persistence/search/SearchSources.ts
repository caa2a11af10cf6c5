/** The texts that a search looks into: those of threads and replies, and those of nodes. */
import type { SqlClient, Statement } from "effect/sql"
import type { SearchFilter } from "../../domain/search/SearchStore.ts"
import { piecesIn } from "../../domain/text/Terms.ts"
import { mostOfThread } from "../sizes/PostSize.ts"
import { hasTrigram, type Place } from "./SearchPlan.ts"

export type Part = Statement.Fragment

const quoted = (text: string) => `'${text.replace(/['\\]/g, "$&$&")}'`

/** A query for texts that have all the pieces of a term without trigrams; none for other terms. */
export const piecesQuery = (term: string): string | undefined => {
  const pieces = hasTrigram(term) ? [] : piecesIn(term)
  if (pieces.length === 0) return undefined
  return pieces.map(({ isBeginning, text }) => `${quoted(text)}${isBeginning ? ":*" : ""}`).join(" & ")
}

/** Whether an index narrows which titles or bodies contain a term. */
export const isIndexed = (place: Place, term: string): boolean =>
  hasTrigram(term) || (place === "body" && piecesQuery(term) !== undefined)

/** Whether more than a text and kinds narrows a search. */
export const isNarrowed = ({ authors, categories, tags }: SearchFilter): boolean =>
  authors.length + categories.length + tags.length > 0

/** Texts that are searched alike: those of threads and replies, or those of nodes. */
export interface Source {
  /** The join with what the texts belong to, which decides who may read them, too; empty if they belong to nothing. */
  readonly join: Part
  /**
   * The conditions on texts alone: that all readers may read them, and what the filter says, except the text to find.
   */
  readonly conditions: (filter: SearchFilter) => ReadonlyArray<Part>
  /** The conditions on what texts belong to: that all readers may read it, and what the filter says of it. */
  readonly joined: (filter: SearchFilter) => ReadonlyArray<Part>
  /** The condition that a text has a title, for which there is an index. */
  readonly titled: Part
  /** Whether a search asks for texts with titles. */
  readonly isTitled: (filter: SearchFilter) => boolean
  /** The condition that a body is like a pattern, for which there are indexes. Titles are found by themselves. */
  readonly inBody: (filter: SearchFilter, pattern: Part) => Part
  readonly hasPieces: (query: string) => Part
  /** At least as many bytes as an item takes in an answer, as far as what is joined tells; else null. */
  readonly most: Part
}

const makePosts = (sql: SqlClient.SqlClient): Source => {
  const titled = sql`s.kind = 'thread'`
  const untitled = sql`s.title is null`
  const isTitled = ({ kinds }: SearchFilter) => kinds.includes("thread")
  return {
    join: sql`join threads t on t.id = s.thread_id`,
    titled,
    isTitled,
    conditions: ({ authors, kinds, tags }) => [
      sql`s.visibility = 'published'`,
      ...(kinds.includes("thread") ? [] : [untitled]),
      ...(kinds.includes("reply") ? [] : [titled]),
      ...(authors.length === 0 ? [] : [sql`s.author_id = any(${authors}::text[])`]),
      ...(tags.length === 0
        ? []
        : [sql`s.thread_id in (select thread_id from thread_tags where tag_id = ${tags[0]})`])
    ],
    joined: ({ categories, tags }) => [
      sql`t.visibility = 'published'`,
      sql`t.deleted_at is null`,
      ...(categories.length === 0 ? [] : [sql`t.category_id = any(${categories}::text[])`]),
      ...(tags.length === 0 ? [] : [sql`t.tag_ids @> ${tags}::text[]`])
    ],
    inBody: (filter, pattern) => {
      const contains = sql`s.body like ${pattern}`
      const ofReplies = sql`(${untitled} and ${contains})`
      const ofOthers = sql`(${titled} and ${contains} and s.title not like ${pattern})`
      if (!isTitled(filter)) return ofReplies
      return filter.kinds.includes("reply") ? sql`(${ofReplies} or ${ofOthers})` : ofOthers
    },
    hasPieces: (query) => sql`s.pieces @@ ${query}::tsquery`,
    // A reply shows what it answers, too.
    most: sql.literal(`2 * ${mostOfThread("t")}`)
  }
}

// Nodes have no category. The pieces of their properties are in `property_values`.
const makeNodes = (sql: SqlClient.SqlClient): Source => ({
  join: sql``,
  titled: sql`s.kind = 'node'`,
  isTitled: () => true,
  conditions: ({ authors, tags }) => [
    sql`s.kind = 'node'`,
    sql`s.visibility = 'published'`,
    ...(authors.length === 0 ? [] : [sql`s.author_id = any(${authors}::text[])`]),
    ...(tags.length === 0
      ? []
      : [
          sql`s.id in (select g.node_id from node_tags g join nodes n on n.id = g.node_id
            where g.tag_id = ${tags[0]} and n.tag_ids @> ${tags}::text[])`
        ])
  ],
  joined: () => [],
  inBody: (_, pattern) => sql`s.body like ${pattern} and s.title not like ${pattern}`,
  hasPieces: (query) => sql`s.id in (
    select id from search_texts where kind = 'node' and pieces @@ ${query}::tsquery
    union all select node_id from property_values where pieces @@ ${query}::tsquery)`,
  most: sql`null::int`
})

export type SourceName = "posts" | "nodes"

/** The sources that have texts of these kinds. */
export const sourcesOf = ({ kinds }: Pick<SearchFilter, "kinds">): ReadonlyArray<SourceName> => [
  ...(kinds.some((kind) => kind !== "node") ? (["posts"] as const) : []),
  ...(kinds.includes("node") ? (["nodes"] as const) : [])
]

export const makeSources = (sql: SqlClient.SqlClient): Readonly<Record<SourceName, Source>> => ({
  posts: makePosts(sql),
  nodes: makeNodes(sql)
})

/** The conditions on texts alone; where titles are searched, that a text has one is among them. */
export const conditionsOf = (source: Source, place: Place, filter: SearchFilter) => [
  ...source.conditions(filter),
  ...(place === "title" ? [source.titled] : [])
]

export const placesOf = (source: Source, filter: SearchFilter): ReadonlyArray<Place> =>
  source.isTitled(filter) ? ["title", "body"] : ["body"]
