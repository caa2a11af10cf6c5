/** The parts of a search: which texts there are to look into, and what contains a term. */
import type { SqlClient, Statement } from "effect/sql"
import { resultsMax } from "../../domain/search/Search.ts"
import type { SearchFilter } from "../../domain/search/SearchStore.ts"
import { piecesIn } from "../../domain/search/Terms.ts"
import { searchKey } from "../../domain/thread/SearchText.ts"
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

export const makeFound = (sql: SqlClient.SqlClient) => {
  const titled = sql`s.title is not null`
  const untitled = sql`s.title is null`

  /** What all readers may read, narrowed by all but the text. */
  const conditions = ({ authors, categories, kinds, tags }: SearchFilter): ReadonlyArray<Part> => [
    sql`s.visibility = 'published'`,
    sql`t.visibility = 'published'`,
    sql`t.deleted_at is null`,
    ...(kinds.includes("thread") ? [] : [untitled]),
    ...(kinds.includes("reply") ? [] : [titled]),
    ...(authors.length === 0 ? [] : [sql`s.author_id = any(${authors}::text[])`]),
    ...(categories.length === 0 ? [] : [sql`t.category_id = any(${categories}::text[])`]),
    ...(tags.length === 0
      ? []
      : [
          sql`s.thread_id in (select thread_id from thread_tags where tag_id = ${tags[0]})`,
          sql`t.tag_ids @> ${tags}::text[]`
        ])
  ]

  const from = sql`from search_texts s join threads t on t.id = s.thread_id`
  const newestFirst = sql.literal("order by s.created_at desc, s.id desc")
  // A constant, so that the planner knows how few rows are read.
  const atMost = (rows: number) => sql.literal(`limit ${rows}`)

  /** A condition for each of the indexes. Titles are found by themselves. */
  const inBody = (filter: SearchFilter, text: string): Part => {
    const contains = sql`s.body like ${containing(text)}`
    const ofReplies = sql`(${untitled} and ${contains})`
    const ofOthers = sql`(${titled} and ${contains} and s.title not like ${containing(text)})`
    if (!filter.kinds.includes("thread")) return ofReplies
    return filter.kinds.includes("reply") ? sql`(${ofReplies} or ${ofOthers})` : ofOthers
  }

  /** How many of the newest contain the text. */
  const sample = (filter: SearchFilter, text: string) =>
    sql<{ readonly looked: number; readonly found: number }>`select count(*)::int as looked,
      (count(*) filter (where body like ${containing(text)}))::int as found
      from (select s.body ${from} where ${sql.and(conditions(filter))} ${newestFirst} ${atMost(sampleSize)}) newest`

  const all = (filter: SearchFilter): Part =>
    sql`select s.id, s.kind, s.created_at, false as in_title, 0 as rank
      ${from} where ${sql.and(conditions(filter))} ${newestFirst} ${atMost(resultsMax)}`

  /** Of titles, those that are the text come first, then those that begin with it. */
  const byTitle = (filter: SearchFilter, text: string): Part =>
    sql`select s.id, s.kind, s.created_at, true as in_title,
        (s.title = ${searchKey(text)}::text)::int + (s.title like ${beginningWith(text)})::int as rank
      ${from} where ${sql.and([...conditions(filter), sql`s.title like ${containing(text)}`])}
      ${newestFirst} ${atMost(resultsMax)}`

  /** Of bodies, those come first whose beginning has the text more often, up to five times. */
  const byBody = (filter: SearchFilter, text: string, way: Way): Part => {
    const pieces = piecesQuery(text)
    const narrowed = [
      ...conditions(filter),
      inBody(filter, text),
      ...(way === "newest" || pieces === undefined ? [] : [sql`s.pieces @@ ${pieces}::tsquery`])
    ]
    // Without the offset, the planner may choose the other way.
    const found = sql`select s.id, s.kind, s.created_at, s.body ${from} where ${sql.and(narrowed)}
      ${sql.literal(way === "newest" ? "" : "offset 0")}`
    return sql`select id, kind, created_at, false as in_title,
        least(5, (length(beginning) - length(replace(beginning, ${searchKey(text)}, ''))) / length(${text}::text)) as rank
      from (
        select s.id, s.kind, s.created_at, left(s.body, 4000) as beginning from (${found}) s
        ${newestFirst} ${atMost(resultsMax)}
      ) found`
  }

  return { sample, all, byTitle, byBody } as const
}
