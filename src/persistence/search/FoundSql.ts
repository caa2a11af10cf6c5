/** The parts of a search: samples of what there is to look into, and what contains a term. */
import type { SqlClient } from "effect/sql"
import { resultsMax } from "../../domain/search/Search.ts"
import type { SearchFilter } from "../../domain/search/SearchStore.ts"
import { searchKey } from "../../domain/text/SearchText.ts"
import { beginningWith, containing } from "../shared/Query.ts"
import { type Place, type Sample, sampleSize, type Way } from "./SearchPlan.ts"
import {
  conditionsOf,
  isNarrowed,
  makeSources,
  type Part,
  piecesQuery,
  placesOf,
  type SourceName,
  sourcesOf
} from "./SearchSources.ts"

/** How many of the newest titles or bodies of a source contain a text. */
export interface SampleRow extends Sample {
  readonly source: SourceName
  readonly place: Place
}

const makeParts = (sql: SqlClient.SqlClient) =>
  ({
    sql,
    sources: makeSources(sql),
    newestFirst: sql.literal("order by s.created_at desc, s.id desc"),
    // A constant, so that the planner knows how few rows are read.
    atMost: (rows: number) => sql.literal(`limit ${rows}`),
    together: (parts: ReadonlyArray<Part>) =>
      sql.join(" union all ", false)(parts.map((part) => sql`(${part})`))
  }) as const
type Parts = ReturnType<typeof makeParts>

const sampleOf = (
  { atMost, newestFirst, sources, sql }: Parts,
  name: SourceName,
  place: Place,
  filter: SearchFilter,
  text: string
) => {
  const { categories, tags } = filter
  const column = sql.literal(place)
  // What the texts belong to is read only where it narrows them, as that takes longer than all else.
  const isJoined = categories.length + tags.length > 0
  const conditions = conditionsOf(sources[name], place, filter)
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
const sample = (parts: Parts, filter: SearchFilter, text: string) =>
  parts.sql<SampleRow>`${parts.together(
    sourcesOf(filter).flatMap((name) =>
      placesOf(parts.sources[name], filter)
        .filter((place) => place === "body" || !isNarrowed(filter))
        .map((place) => sampleOf(parts, name, place, filter, text))
    )
  )}`

const allOf = (
  { atMost, newestFirst, sources, sql }: Parts,
  name: SourceName,
  filter: SearchFilter
): Part => {
  const { conditions, join, joined, most } = sources[name]
  return sql`select s.id, s.kind, s.created_at, false as in_title, 0 as rank, ${most} as most
    from search_texts s ${join} where ${sql.and([...conditions(filter), ...joined(filter)])}
    ${newestFirst} ${atMost(resultsMax)}`
}

const all = (parts: Parts, filter: SearchFilter): Part =>
  parts.together(sourcesOf(filter).map((name) => allOf(parts, name, filter)))

/** A pattern; where the plan is kept, the planner must not know it, so that one plan serves all. */
const patternOf = ({ sql }: Parts, filter: SearchFilter, text: string) => {
  const pattern = sql`${containing(searchKey(text))}::text`
  return isNarrowed(filter) ? pattern : sql`(select ${pattern})`
}

/**
 * The newest texts of a source, or of those with titles, that conditions select, found in the way that was chosen. A
 * subquery with an offset lets no condition pass and keeps its order; where authors, a category or tags are named, the
 * planner knows best which of these conditions leaves few texts.
 */
const newestWith = (
  { atMost, newestFirst, sources, sql }: Parts,
  name: SourceName,
  place: Place,
  filter: SearchFilter,
  way: Way,
  found: ReadonlyArray<Part>
): Part => {
  const { join, joined, most } = sources[name]
  const conditions = conditionsOf(sources[name], place, filter)
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
const byTitle = (parts: Parts, name: SourceName, filter: SearchFilter, text: string, way: Way): Part => {
  const { sql } = parts
  const found = [sql`s.title like ${patternOf(parts, filter, text)}`]
  return sql`select id, kind, created_at, true as in_title,
      (title = ${searchKey(text)}::text)::int + (title like ${beginningWith(searchKey(text))})::int as rank, most
    from (${newestWith(parts, name, "title", filter, way, found)}) found`
}

/**
 * The items with the text in their bodies, each with its rank: how often the beginning has the text, up to five
 * times.
 */
const byBody = (parts: Parts, name: SourceName, filter: SearchFilter, text: string, way: Way): Part => {
  const { sql } = parts
  const { hasPieces, inBody } = parts.sources[name]
  const pieces = way === "indexed" ? piecesQuery(text) : undefined
  const found = [
    inBody(filter, patternOf(parts, filter, text)),
    ...(pieces === undefined ? [] : [hasPieces(pieces)])
  ]
  // Without the offset, the beginning would be made three times.
  return sql`select id, kind, created_at, false as in_title,
      least(5, (length(beginning) - length(replace(beginning, ${searchKey(text)}, ''))) / length(${text}::text)) as rank,
      most
    from (
      select id, kind, created_at, most, left(body, 4000) as beginning
      from (${newestWith(parts, name, "body", filter, way, found)}) found offset 0
    ) found`
}

/**
 * The items of all sources with the text in their titles or bodies, each source searched in the way chosen for it.
 */
const containingText = (
  parts: Parts,
  filter: SearchFilter,
  text: string,
  wayOf: (name: SourceName, place: Place) => Way
): Part =>
  parts.together(
    sourcesOf(filter).flatMap((name) =>
      placesOf(parts.sources[name], filter).map((place) =>
        (place === "title" ? byTitle : byBody)(parts, name, filter, text, wayOf(name, place))
      )
    )
  )

/** The parts of searches over one connection. */
export const makeFound = (sql: SqlClient.SqlClient) => {
  const parts = makeParts(sql)
  return {
    sample: (filter: SearchFilter, text: string) => sample(parts, filter, text),
    all: (filter: SearchFilter) => all(parts, filter),
    byTitle: (name: SourceName, filter: SearchFilter, text: string, way: Way) =>
      byTitle(parts, name, filter, text, way),
    byBody: (name: SourceName, filter: SearchFilter, text: string, way: Way) =>
      byBody(parts, name, filter, text, way),
    containingText: (filter: SearchFilter, text: string, wayOf: (name: SourceName, place: Place) => Way) =>
      containingText(parts, filter, text, wayOf)
  } as const
}
