import { Effect, Layer, Option } from "effect"
import type { NodeId, PostId, TagId } from "../../domain/shared/Id.ts"
import { itemsMax, recentMax } from "../../domain/tag/TagDetail.ts"
import { pageSize, type TagPage, TagStore } from "../../domain/tag/TagStore.ts"
import { type TagReference, tagColour } from "../../domain/vocabulary/Tag.ts"
import { QuickReads, SlowReads } from "../shared/Connections.ts"
import { type ListPage, pagedList, type Total } from "../shared/PagedList.ts"
import { containing, first, idsOf } from "../shared/Query.ts"

interface TagRow {
  readonly id: TagId
  readonly name: string
  readonly item_count: number
}

const referenceOf = ({ item_count, name }: TagRow): TagReference => ({
  name,
  colour: tagColour(name),
  item_count
})

const list = pagedList<TagRow>({
  table: "tags",
  row: "t",
  columns: "t.id, t.name, t.item_count",
  order: [
    ["t.item_count", "desc", "integer"],
    [`t.name collate "C"`, "asc", "text"]
  ],
  pageSize,
  isNarrow: true
})

const pageOf = ({ next, rows, total }: ListPage<Total, TagRow>): TagPage => ({
  total,
  next,
  tags: rows.map(referenceOf)
})

export const layer = Layer.effect(
  TagStore,
  Effect.gen(function* () {
    const reads = yield* QuickReads
    const slow = yield* SlowReads

    const facts = reads`select sum(tags)::int as total from tag_totals`

    return TagStore.of({
      list: (place) => Effect.map(list.page(reads, { place, conditions: [], facts }), pageOf),

      search: (text, place) =>
        Effect.map(list.search(slow, { place, conditions: [slow`t.name like ${containing(text)}`] }), pageOf),

      findByName: (name) =>
        Effect.map(first(reads<TagRow>`select id, name, item_count from tags where name = ${name}`), (row) =>
          row === undefined ? Option.none() : Option.some({ id: row.id, ...referenceOf(row) })
        ),

      recentThreads: (id) =>
        idsOf(reads<{ readonly id: PostId }>`select t.id from (
            select thread_id from thread_tags where tag_id = ${id} and listed
            order by thread_id desc limit ${reads.literal(String(recentMax))}
          ) newest join threads t on t.id = newest.thread_id
          order by t.active_at desc, t.id desc limit ${reads.literal(String(itemsMax))}`),

      recentNodes: (id) =>
        idsOf(reads<{ readonly id: NodeId }>`select node_id as id from node_tags
          where tag_id = ${id} and listed order by node_id desc limit ${reads.literal(String(itemsMax))}`)
    })
  })
)
