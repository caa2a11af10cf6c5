import { Effect, Layer } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import { handleKey } from "../../domain/account/Handle.ts"
import type { Titled } from "../../domain/search/Matches.ts"
import { type DatagraphMatch, pageSize, resultsMax } from "../../domain/search/Search.ts"
import {
  type FoundItem,
  type SearchFilter,
  type SearchPage,
  SearchStore
} from "../../domain/search/SearchStore.ts"
import { AccountId, CategoryId, TagId } from "../../domain/shared/Id.ts"
import { formOfKey } from "../../domain/text/SearchText.ts"
import { QuickReads, SlowReads } from "../shared/Connections.ts"
import { foundPage } from "../shared/FoundRows.ts"
import { all } from "../shared/Query.ts"
import { orderText, type RowOrder } from "../shared/RowOrder.ts"
import { withinSearchTime } from "../shared/Searching.ts"
import { discussedSize, nodeItemSize, sizeFrom } from "../sizes/ItemSizes.ts"
import { makeFound } from "./FoundSql.ts"
import { decideWay, type Place } from "./SearchPlan.ts"
import { isIndexed, isNarrowed, type SourceName } from "./SearchSources.ts"

interface NamedRow {
  readonly what: "author" | "category" | "tag"
  readonly id: string
}

type MatchRow = DatagraphMatch & { readonly description: string }

// With eight words and the phrase they make, at most nine hundred titles of each kind to choose the best from.
const titlesOfEach = 100

const lastCharacter = "\u{10ffff}"

const bestFirst: RowOrder = [
  ["in_title", "desc", "boolean"],
  ["rank", "desc", "integer"],
  ["created_at", "desc", "timestamptz"],
  ["id", "desc", "text"]
]
const size = sizeFrom(
  "found.most",
  pageSize,
  `case found.kind when 'node' then ${nodeItemSize("found.id")} else ${discussedSize("found.id")} end`
)

const makeSearch = (sql: SqlClient.SqlClient) => {
  const parts = makeFound(sql)

  /** A page of what was found, of which only the best results are shown. */
  const pageIn = (found: Statement.Fragment, filter: SearchFilter) =>
    Effect.map(
      foundPage<FoundItem>(sql, {
        place: filter.place,
        pageSize,
        found: sql`select * from (${found}) found
          order by ${sql.literal(orderText(bestFirst, false))} limit ${sql.literal(String(resultsMax))}`,
        size,
        order: bestFirst,
        columns: "page.id, page.kind",
        // Narrowed searches have too many different texts to keep their statements prepared.
        isPrepared: !isNarrowed(filter)
      }),
      ({ next, rows, total }): SearchPage => ({ total, next, found: rows })
    )

  return Effect.fnUntraced(function* (filter: SearchFilter) {
    const { text } = filter
    if (text === undefined) return yield* pageIn(parts.all(filter), filter)
    const sample = parts.sample(filter, text)
    const samples = yield* all(isNarrowed(filter) ? sample.unprepared : sample)
    const wayOf = (name: SourceName, place: Place) => {
      const found = samples.find((one) => one.source === name && one.place === place)
      return decideWay(place, found ?? { looked: 0, found: 0 }, isIndexed(place, text))
    }
    return yield* pageIn(parts.containingText(filter, text, wayOf), filter)
  })
}

export const layer = Layer.effect(
  SearchStore,
  Effect.gen(function* () {
    const reads = yield* QuickReads
    const search = makeSearch(yield* SlowReads)

    return SearchStore.of({
      resolve: Effect.fnUntraced(function* ({ authors, categories, tags }) {
        // An id goes first: the handle of another account may look like it.
        const rows = yield* all(
          reads<NamedRow>`select 'author' as what, id from (
              select distinct on (asked.text) a.id
              from unnest(${authors}::text[], ${authors.map(handleKey)}::text[]) asked (text, key)
              join accounts a on a.handle_key = asked.key or a.id = asked.text
              order by asked.text, a.id = asked.text desc
            ) author
            union all select 'category', id from categories
              where id = any(${categories}::text[]) or slug = any(${categories}::text[])
            union all select 'tag', id from tags where name = any(${tags}::text[])`
        )
        const idsOf = (what: NamedRow["what"]) => rows.flatMap((row) => (row.what === what ? [row.id] : []))
        return {
          authors: idsOf("author").map((id) => AccountId.make(id)),
          categories: idsOf("category").map((id) => CategoryId.make(id)),
          tags: idsOf("tag").map((id) => TagId.make(id))
        }
      }),

      search: (filter) => withinSearchTime(search(filter)),

      titlesWith: (beginnings, kinds) =>
        Effect.map(
          all(
            reads<Titled<string>>`select s.id, s.title from (
              select distinct w.item_id from unnest(${beginnings}::text[]) beginning
              cross join unnest(${kinds}::text[]) asked (kind)
              cross join lateral (
                select item_id from search_words
                where kind = asked.kind and word >= beginning and word < beginning || ${lastCharacter}::text
                order by word, item_id desc limit ${reads.literal(String(titlesOfEach))}
              ) w
            ) found
            join search_texts s on s.id = found.item_id
            left join threads t on t.id = s.thread_id
            where s.visibility = 'published'
              and (s.kind = 'node' or (t.visibility = 'published' and t.deleted_at is null))`
          ),
          (rows) => rows.map(({ id, title }) => ({ id, title: formOfKey(title) }))
        ),

      findMatches: (ids) =>
        ids.length === 0
          ? Effect.succeed([])
          : Effect.map(
              all(
                reads<MatchRow>`select id, 'thread' as kind, slug, title as name, description from posts
                    where id = any(${ids}::text[]) and visibility = 'published' and deleted_at is null
                  union all select id, 'node', slug, name, description from nodes
                    where id = any(${ids}::text[]) and visibility = 'published'`
              ),
              (rows) =>
                rows.map(({ description, ...match }) => ({
                  ...match,
                  ...(description === "" ? {} : { description })
                }))
            )
    })
  })
)
