/** The parts of a search: which texts there are to look into, and what contains a term. */
import type { SqlClient, Statement } from "effect/sql"
import { resultsMax } from "../../domain/search/Search.ts"
import type { SearchFilter } from "../../domain/search/SearchStore.ts"
import { searchKey } from "../../domain/text/SearchText.ts"
import { piecesIn } from "../../domain/text/Terms.ts"
import { beginningWith, containing } from "../shared/Query.ts"
import { mostOfThread } from "../sizes/PostSize.ts"
import { hasTrigram, type Place, type Sample, sampleSize, type Way } from "./SearchPlan.ts"

type Part = Statement.Fragment

const quoted = (text: string) => `'${text.replace(/['\\]/g, "$&$&")}'`

/** A query for texts that have all the pieces of a term without trigrams; none for other terms. */
const piecesQuery = (term: string): string | undefined => {
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
interface Source {
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

/** How many of the newest titles or bodies of a source contain a text. */
export interface SampleRow extends Sample {
  readonly source: SourceName
  readonly place: Place
}

export type SourceName = "posts" | "nodes"

/** The sources that have texts of these kinds. */
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

  /** The conditions on texts alone; where titles are searched, that a text has one is among them. */
  const conditionsOf = (name: SourceName, place: Place, filter: SearchFilter) => [
    ...sources[name].conditions(filter),
    ...(place === "title" ? [sources[name].titled] : [])
  ]

  const placesOf = (name: SourceName, filter: SearchFilter): ReadonlyArray<Place> =>
    sources[name].isTitled(filter) ? ["title", "body"] : ["body"]

  const sampleOf = (name: SourceName, place: Place, filter: SearchFilter, text: string) => {
    const { categories, tags } = filter
    const column = sql.literal(place)
    // What the texts belong to is read only where it narrows them, as that takes longer than all else.
    const isJoined = categories.length + tags.length > 0
    const conditions = conditionsOf(name, place, filter)
    return sql`select ${sql.literal(`'${name}'`)} as source, ${sql.literal(`'${place}'`)} as place,
        count(*)::int as looked, (count(*) filter (where ${column} like ${containing(searchKey(text))}))::int as found
      from (
        select s.${column} from search_texts s ${isJoined ? sources[name].join : sql.literal("")}
        where ${sql.and(isJoined ? [...conditions, ...sources[name].joined(filter)] : conditions)}
        ${newestFirst} ${atMost(sampleSize[place])}
      ) newest`
  }

  /**
   * How many of the newest texts of each source contain the text: of bodies, and of titles unless the search is
   * narrowed.
   */
  const sample = (filter: SearchFilter, text: string) =>
    sql<SampleRow>`${together(
      sourcesOf(filter).flatMap((name) =>
        placesOf(name, filter)
          .filter((place) => place === "body" || !isNarrowed(filter))
          .map((place) => sampleOf(name, place, filter, text))
      )
    )}`

  const allOf = (name: SourceName, filter: SearchFilter): Part => {
    const { conditions, join, joined, most } = sources[name]
    return sql`select s.id, s.kind, s.created_at, false as in_title, 0 as rank, ${most} as most
      from search_texts s ${join} where ${sql.and([...conditions(filter), ...joined(filter)])}
      ${newestFirst} ${atMost(resultsMax)}`
  }

  const all = (filter: SearchFilter): Part => together(sourcesOf(filter).map((name) => allOf(name, filter)))

  /** A pattern; where the plan is kept, the planner must not know it, so that one plan serves all. */
  const patternOf = (filter: SearchFilter, text: string) => {
    const pattern = sql`${containing(searchKey(text))}::text`
    return isNarrowed(filter) ? pattern : sql`(select ${pattern})`
  }

  /**
   * The newest texts of a source, or of those with titles, that conditions select, found in the way that was chosen. A
   * subquery with an offset lets no condition pass and keeps its order; where authors, a category or tags are named, the
   * planner knows best which of these conditions leaves few texts.
   */
  const newestWith = (
    name: SourceName,
    place: Place,
    filter: SearchFilter,
    way: Way,
    found: ReadonlyArray<Part>
  ): Part => {
    const { join, joined, most } = sources[name]
    const conditions = conditionsOf(name, place, filter)
    const more = [...found, ...joined(filter)]
    const columns = sql.literal("s.id, s.kind, s.created_at, s.title, s.body")
    if (way === "newest") {
      const [texts, where] = isNarrowed(filter)
        ? [sql`search_texts s`, [...conditions, ...more]]
        : [
            sql`(select ${columns}, s.thread_id from search_texts s where ${sql.and(conditions)}
              ${newestFirst} offset 0) s`,
            more
          ]
      return sql`select ${columns}, ${most} as most from ${texts} ${join} where ${sql.and(where)}
        ${newestFirst} ${atMost(resultsMax)}`
    }
    // An index may find far more than are shown. They are put into their order first, by what their own rows have; what
    // they belong to is asked of one after the other, until there are enough, and only these are read again.
    return sql`select ${columns}, newest.most from (
        select s.id, ${most} as most from (
          select s.id, s.created_at, s.thread_id from search_texts s
          where ${sql.and([...conditions, ...found])} ${newestFirst} offset 0
        ) s ${join} where ${sql.and(joined(filter))} ${newestFirst} ${atMost(resultsMax)}
      ) newest join search_texts s on s.id = newest.id`
  }

  /**
   * The items with the text in their titles, each with its rank: titles that are the text first, then those that begin
   * with it.
   */
  const byTitle = (name: SourceName, filter: SearchFilter, text: string, way: Way): Part => {
    const found = [sql`s.title like ${patternOf(filter, text)}`]
    return sql`select id, kind, created_at, true as in_title,
        (title = ${searchKey(text)}::text)::int + (title like ${beginningWith(searchKey(text))})::int as rank, most
      from (${newestWith(name, "title", filter, way, found)}) found`
  }

  /**
   * The items with the text in their bodies, each with its rank: how often the beginning has the text, up to five
   * times.
   */
  const byBody = (name: SourceName, filter: SearchFilter, text: string, way: Way): Part => {
    const { hasPieces, inBody } = sources[name]
    const pieces = way === "indexed" ? piecesQuery(text) : undefined
    const found = [
      inBody(filter, patternOf(filter, text)),
      ...(pieces === undefined ? [] : [hasPieces(pieces)])
    ]
    // Without the offset, the beginning would be made three times.
    return sql`select id, kind, created_at, false as in_title,
        least(5, (length(beginning) - length(replace(beginning, ${searchKey(text)}, ''))) / length(${text}::text)) as rank,
        most
      from (
        select id, kind, created_at, most, left(body, 4000) as beginning
        from (${newestWith(name, "body", filter, way, found)}) found offset 0
      ) found`
  }

  /**
   * The items of all sources with the text in their titles or bodies, each source searched in the way chosen for it.
   */
  const containingText = (
    filter: SearchFilter,
    text: string,
    wayOf: (name: SourceName, place: Place) => Way
  ): Part =>
    together(
      sourcesOf(filter).flatMap((name) =>
        placesOf(name, filter).map((place) =>
          (place === "title" ? byTitle : byBody)(name, filter, text, wayOf(name, place))
        )
      )
    )

  return { sample, all, byTitle, byBody, containingText } as const
}
