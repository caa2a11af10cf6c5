/** The parts of a search: which texts there are to look into, and what contains a term. */
import type { SqlClient, Statement } from "effect/sql"
import { resultsMax } from "../../domain/search/Search.ts"
import type { SearchFilter } from "../../domain/search/SearchStore.ts"
import { searchKey } from "../../domain/text/SearchText.ts"
import { piecesIn } from "../../domain/text/Terms.ts"
import { beginningWith, containing } from "./Patterns.ts"
import { hasTrigram, sampleSize, type Way } from "./SearchPlan.ts"

type Part = Statement.Fragment

const quoted = (text: string) => `'${text.replace(/['\\]/g, "$&$&")}'`

/** A query for texts that have all the pieces, of a term that trigrams say nothing about; none for others. */
const piecesQuery = (term: string): string | undefined => {
  const pieces = hasTrigram(term) ? [] : piecesIn(term)
  if (pieces.length === 0) return undefined
  return pieces.map(({ isBeginning, text }) => `${quoted(text)}${isBeginning ? ":*" : ""}`).join(" & ")
}

/** Whether an index narrows what contains a term. */
export const isIndexed = (term: string): boolean => hasTrigram(term) || piecesQuery(term) !== undefined

/** Texts that are searched alike: of threads and replies, or of pages. */
interface Source {
  /** What the texts belong to, which decides on them, too; nothing, if they belong to nothing. */
  readonly join: Part
  /** Of the texts alone: what all readers may read, narrowed by all but the text. */
  readonly conditions: (filter: SearchFilter) => ReadonlyArray<Part>
  /** The same of what they belong to. */
  readonly joined: (filter: SearchFilter) => ReadonlyArray<Part>
  /** The condition that a text has a title, for which there is an index. */
  readonly titled: Part
  /** Whether texts with titles are meant. */
  readonly isTitled: (filter: SearchFilter) => boolean
  /** Bodies that contain the text, in conditions for which there are indexes. Titles are found by themselves. */
  readonly inBody: (filter: SearchFilter, text: string) => Part
  readonly hasPieces: (query: string) => Part
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
    inBody: (filter, text) => {
      const contains = sql`s.body like ${containing(text)}`
      const ofReplies = sql`(${untitled} and ${contains})`
      const ofOthers = sql`(${titled} and ${contains} and s.title not like ${containing(text)})`
      if (!isTitled(filter)) return ofReplies
      return filter.kinds.includes("reply") ? sql`(${ofReplies} or ${ofOthers})` : ofOthers
    },
    hasPieces: (query) => sql`s.pieces @@ ${query}::tsquery`
  }
}

// Pages have no category. The pieces of their properties are beside these.
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
  inBody: (_, text) => sql`s.body like ${containing(text)} and s.title not like ${containing(text)}`,
  hasPieces: (query) => sql`s.id in (
    select id from search_texts where kind = 'node' and pieces @@ ${query}::tsquery
    union all select node_id from property_values where pieces @@ ${query}::tsquery)`
})

/** How many of the newest texts of a source contain a text. */
export interface SampleRow {
  readonly source: SourceName
  readonly looked: number
  readonly found: number
}

export type SourceName = "posts" | "nodes"

/** Where to look for these kinds. */
export const sourcesOf = ({ kinds }: Pick<SearchFilter, "kinds">): ReadonlyArray<SourceName> => [
  ...(kinds.some((kind) => kind !== "node") ? (["posts"] as const) : []),
  ...(kinds.includes("node") ? (["nodes"] as const) : [])
]

export const makeFound = (sql: SqlClient.SqlClient) => {
  const sources: Readonly<Record<SourceName, Source>> = { posts: makePosts(sql), nodes: makeNodes(sql) }

  const newestFirst = sql.literal("order by s.created_at desc, s.id desc")
  // A constant, so that the planner knows how few rows are read.
  const atMost = (rows: number) => sql.literal(`limit ${rows}`)
  const together = (parts: ReadonlyArray<Part>) =>
    sql.join(" union all ", false)(parts.map((part) => sql`(${part})`))

  /** The texts of a source that all conditions leave. */
  const texts = (name: SourceName, filter: SearchFilter, more: ReadonlyArray<Part> = []) => {
    const { conditions, join, joined } = sources[name]
    return sql`from search_texts s ${join} where ${sql.and([...conditions(filter), ...joined(filter), ...more])}`
  }

  const sampleOf = (name: SourceName, filter: SearchFilter, text: string) =>
    sql`select ${sql.literal(`'${name}'`)} as source, count(*)::int as looked,
      (count(*) filter (where body like ${containing(text)}))::int as found
      from (select s.body ${texts(name, filter)} ${newestFirst} ${atMost(sampleSize)}) newest`

  /** How many of the newest of each source contain the text. */
  const sample = (filter: SearchFilter, text: string) =>
    sql<SampleRow>`${together(sourcesOf(filter).map((name) => sampleOf(name, filter, text)))}`

  const allOf = (name: SourceName, filter: SearchFilter): Part =>
    sql`select s.id, s.kind, s.created_at, false as in_title, 0 as rank
      ${texts(name, filter)} ${newestFirst} ${atMost(resultsMax)}`

  const all = (filter: SearchFilter): Part => together(sourcesOf(filter).map((name) => allOf(name, filter)))

  /** Of titles, those that are the text come first, then those that begin with it. */
  const byTitle = (name: SourceName, filter: SearchFilter, text: string): Part =>
    sql`select s.id, s.kind, s.created_at, true as in_title,
        (s.title = ${searchKey(text)}::text)::int + (s.title like ${beginningWith(text)})::int as rank
      ${texts(name, filter, [sources[name].titled, sql`s.title like ${containing(text)}`])}
      ${newestFirst} ${atMost(resultsMax)}`

  const newestBodies = (name: SourceName, filter: SearchFilter, text: string): Part =>
    sql`select s.id, s.kind, s.created_at, s.body ${texts(name, filter, [sources[name].inBody(filter, text)])}
      ${newestFirst} ${atMost(resultsMax)}`

  /**
   * An index may find far more than are shown. They are put into their order first, by what their own rows have; what
   * they belong to is asked of one after the other, until there are enough, and only the bodies of these are read again.
   */
  const indexedBodies = (name: SourceName, filter: SearchFilter, text: string): Part => {
    const { conditions, hasPieces, inBody, join, joined } = sources[name]
    const pieces = piecesQuery(text)
    const narrowed = [
      ...conditions(filter),
      inBody(filter, text),
      ...(pieces === undefined ? [] : [hasPieces(pieces)])
    ]
    // Without the offset, the planner may join first, or choose the other way.
    const found = sql`select s.id, s.created_at, s.thread_id from search_texts s where ${sql.and(narrowed)}
      ${newestFirst} offset 0`
    return sql`select s.id, s.kind, s.created_at, s.body from (
        select s.id from (${found}) s ${join} where ${sql.and(joined(filter))} ${newestFirst} ${atMost(resultsMax)}
      ) newest join search_texts s on s.id = newest.id`
  }

  /** What has the text in its body, with its rank: how often the beginning has the text, up to five times. */
  const byBody = (name: SourceName, filter: SearchFilter, text: string, way: Way): Part => {
    const found = way === "newest" ? newestBodies : indexedBodies
    // Without the offset, the beginning would be made three times.
    return sql`select id, kind, created_at, false as in_title,
        least(5, (length(beginning) - length(replace(beginning, ${searchKey(text)}, ''))) / length(${text}::text)) as rank
      from (
        select id, kind, created_at, left(body, 4000) as beginning from (${found(name, filter, text)}) found
        offset 0
      ) found`
  }

  /** What has the text in its title or body, of all sources; bodies are found in the way that is chosen for their source. */
  const containingText = (filter: SearchFilter, text: string, wayOf: (name: SourceName) => Way): Part =>
    together(
      sourcesOf(filter).flatMap((name) => [
        ...(sources[name].isTitled(filter) ? [byTitle(name, filter, text)] : []),
        byBody(name, filter, text, wayOf(name))
      ])
    )

  return { sample, all, byTitle, byBody, containingText } as const
}
