import { Effect, Layer, Option } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import type { NodeId, PostId, TagId } from "../../domain/shared/Id.ts"
import { itemsMax, recentMax } from "../../domain/tag/TagDetail.ts"
import { pageSize, type TagPage, TagStore } from "../../domain/tag/TagStore.ts"
import { type TagReference, tagColour } from "../../domain/vocabulary/Tag.ts"
import { QuickReads, SlowReads } from "../shared/Connections.ts"
import { fewPages, type PageSpan, spanOf, wholePage } from "../shared/PageSpan.ts"
import { all, containing, first } from "../shared/Query.ts"
import { withinSearchTime } from "../shared/Searching.ts"

interface TagRow {
  readonly name: string
  readonly item_count: number
}

/** The total with a tag of the page, or with none where the page is empty. */
type PageRow = { readonly total: number } & (TagRow | { readonly name: null })

const hasTag = (row: PageRow): row is PageRow & TagRow => row.name !== null

const referenceOf = ({ item_count, name }: TagRow): TagReference => ({
  name,
  colour: tagColour(name),
  item_count
})

const pageOf = (rows: ReadonlyArray<PageRow>): TagPage => ({
  total: rows[0]?.total ?? 0,
  tags: rows.filter(hasTag).map(referenceOf)
})

const order = `item_count desc, name collate "C"`
const reverseOrder = `item_count, name collate "C" desc`

/** A page of `source`, a list of tags, with the number of all as `total`; of no tag, one row without. */
const pageFrom = (
  sql: SqlClient.SqlClient,
  source: Statement.Fragment,
  total: Statement.Fragment,
  { backwards, offset }: PageSpan
) => sql<PageRow>`select counted.total, t.name, t.item_count from (select ${total} as total) counted
  left join (
    select name, item_count from ${source} order by ${sql.literal(backwards ? reverseOrder : order)}
    offset ${offset}::bigint limit ${sql.literal(String(pageSize))}
  ) t on true order by ${sql.literal(order)}`

export const layer = Layer.effect(
  TagStore,
  Effect.gen(function* () {
    const reads = yield* QuickReads
    const slow = yield* SlowReads

    const every = reads`tags`
    const counted = reads`(select sum(tags)::int from tag_totals)`

    return TagStore.of({
      list: Effect.fnUntraced(function* (page: number) {
        if (page <= fewPages) {
          return pageOf(yield* all(pageFrom(reads, every, counted, wholePage(page, pageSize))))
        }
        const found = yield* first(reads<{ readonly total: number }>`select ${counted} as total`)
        const total = found?.total ?? 0
        const span = spanOf(page, pageSize, total)
        if (span.size === 0) return { total, tags: [] }
        const { tags } = pageOf(yield* all(pageFrom(reads, every, reads`${total}::int`, span)))
        // Whole pages are read, and the page nearest to the end may be a short one.
        return { total, tags: span.backwards ? tags.slice(-span.size) : tags.slice(0, span.size) }
      }),

      search: (text, page) => {
        const statement = slow<PageRow>`with found as materialized (
            select name, item_count from tags where name like ${containing(text)}
          ) ${pageFrom(slow, slow`found`, slow`(select count(*)::int from found)`, wholePage(page, pageSize))}`
        return Effect.map(withinSearchTime(all(statement.unprepared)), pageOf)
      },

      findByName: (name) =>
        Effect.map(
          first(
            reads<TagRow & { readonly id: TagId }>`select id, name, item_count from tags where name = ${name}`
          ),
          (row) => (row === undefined ? Option.none() : Option.some({ id: row.id, ...referenceOf(row) }))
        ),

      recentThreads: (id) =>
        Effect.map(
          all(reads<{ readonly id: PostId }>`select t.id from (
              select thread_id from thread_tags where tag_id = ${id} and listed
              order by thread_id desc limit ${reads.literal(String(recentMax))}
            ) newest join threads t on t.id = newest.thread_id
            order by t.active_at desc, t.id desc limit ${reads.literal(String(itemsMax))}`),
          (rows) => rows.map((row) => row.id)
        ),

      recentNodes: (id) =>
        Effect.map(
          all(reads<{
            readonly node_id: NodeId
          }>`select node_id from node_tags where tag_id = ${id} and listed
            order by node_id desc limit ${reads.literal(String(itemsMax))}`),
          (rows) => rows.map((row) => row.node_id)
        )
    })
  })
)
