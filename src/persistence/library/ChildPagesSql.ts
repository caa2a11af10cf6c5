/** Pages of the children of a node, in the order that is asked for. */
import { Effect } from "effect"
import type { Statement } from "effect/sql"
import { comparedLength, type OwnField } from "../../domain/library/ChildSort.ts"
import { childrenShown } from "../../domain/library/LibraryLimits.ts"
import type { ChildPage, ChildQuery } from "../../domain/library/NodeQueries.ts"
import type { NodeId } from "../../domain/shared/Id.ts"
import type { RowKey } from "../../domain/shared/ListPlace.ts"
import { QuickReads, SlowReads } from "../shared/Connections.ts"
import { foundPage } from "../shared/FoundRows.ts"
import { containing, first, isOneOf } from "../shared/Query.ts"
import { checkKey, type KeyType, keyOf, type RowOrder } from "../shared/RowOrder.ts"
import { withinSearchTime } from "../shared/Searching.ts"
import { hasLarge, isSeenChild, offsetOf, ownSize } from "./ChildConditionsSql.ts"
import {
  isInIndex,
  makeChildFieldOrder,
  type Order,
  type SortedField,
  typedColumns
} from "./ChildFieldOrderSql.ts"

/** A page of children as if each took one place, and whether any of them may take more. */
interface PlainPage {
  readonly total: number
  /** One more than a page has, if there are more. */
  readonly ids: ReadonlyArray<NodeId>
  readonly keys: ReadonlyArray<string>
  readonly has_large: boolean
}

/** What rows of `nodes child` are sorted by, and what has to be joined for it. */
interface Sorting {
  readonly join: Statement.Fragment
  readonly key: string
  readonly type: KeyType
  readonly order: Order
}

/** The order of rows of `sortedBy`: those without a value are the last ones. */
const orderOf = ({ order, type }: Sorting): RowOrder => [
  ["lacks_key", "asc", "boolean"],
  ["key", order, type],
  [`id collate "C"`, "asc", "text"]
]

const nothingOf: { readonly [Type in KeyType]?: string } = { text: "''", numeric: "0", boolean: "false" }

/** The columns of the order, which are never null. */
const sortedBy = ({ key, type }: Sorting) =>
  `${key} is null as lacks_key, coalesce(${key}, ${nothingOf[type] ?? "null"}) as key`

const compared = (text: string) => `left(${text}, ${comparedLength}) collate "C"`

const ownKeys: { readonly [Field in OwnField]: string } = {
  name: compared("child.name"),
  description: compared("nullif(child.description, '')"),
  link: compared("l.url")
}

const isFiltered = ({ name, tags }: ChildQuery) => name !== undefined || tags.length > 0

const nothing: ChildPage = { total: 0, ids: [] }

const makeSortings = Effect.map(SlowReads, (sql) => ({
  byPlace: { join: sql``, key: "child.position", type: "text", order: "asc" } satisfies Sorting,

  byOwnField: (own: OwnField, order: Order): Sorting => ({
    join: own === "link" ? sql`left join links l on l.id = child.link_id` : sql``,
    key: ownKeys[own],
    type: "text",
    order
  }),

  byValue: ({ fid, type }: SortedField, order: Order): Sorting => {
    const column = `v.${typedColumns[type]}`
    const join = sql`left join property_values v on v.node_id = child.id and v.fid = ${fid}
      and ${sql.literal(column)} is not null`
    return type === "timestamp"
      ? { join, key: `extract(epoch from ${column})`, type: "numeric", order }
      : { join, key: column, type: type === "number" ? "numeric" : type, order }
  }
}))

export const makeChildPages = Effect.gen(function* () {
  const quick = yield* QuickReads
  const slow = yield* SlowReads
  const sortings = yield* makeSortings
  const { findField, inValueOrder } = yield* makeChildFieldOrder

  /**
   * A page of the children in the order that people gave them. The index that has this order also has who may see them.
   */
  const inPlace = (query: ChildQuery) => {
    const { after } = query.place
    const children = quick`from nodes child where ${isSeenChild(quick, "child", query)}`
    const following = after === undefined ? quick`` : quick`and child.position > ${after[1] ?? ""}`
    const limit = quick.literal(`limit ${childrenShown + 1}`)
    return first(quick<PlainPage>`select (select count(*)::int ${children}) as total, page.ids, page.keys,
        ${hasLarge(quick, query)}
      from (
        select coalesce(array_agg(id order by position), '{}') as ids,
          coalesce(array_agg(position order by position), '{}') as keys
        from (select child.id, child.position ${children} ${following} order by child.position
          offset ${offsetOf(query)}::bigint ${limit}) shown
      ) page`)
  }

  /** A page of the children, for which all that are asked for are found and sorted. */
  const inOrder = Effect.fnUntraced(function* (query: ChildQuery, sorting: Sorting) {
    const { name, place, tags } = query
    const order = orderOf(sorting)
    yield* checkKey(order, place)
    const named = name === undefined ? slow`` : slow`and child.name_form like ${containing(name)}`
    const tagged =
      tags.length === 0
        ? slow``
        : slow`and child.id in (select nt.node_id from node_tags nt join tags t on t.id = nt.tag_id
            where ${isOneOf(slow, "t.name", tags)})`
    const size = slow.literal(ownSize("child"))
    const listed = foundPage<{ readonly id: NodeId }>(slow, {
      place,
      pageSize: childrenShown,
      found: slow`select child.id, ${slow.literal(sortedBy(sorting))}, ${size} + shared.field_bytes as size
        from nodes child cross join (select field_bytes from nodes where id = ${query.parent}) shared ${sorting.join}
        where ${isSeenChild(slow, "child", query)} ${named} ${tagged}`,
      size: "found.size",
      order,
      columns: "page.id",
      isPrepared: false
    })
    const { next, rows, total } = yield* withinSearchTime(listed)
    return { total, next, ids: rows.map(({ id }) => id) } satisfies ChildPage
  })

  /** The key of a child, with which a walk goes on after it. */
  const keyOfChild = (sorting: Sorting, id: NodeId | undefined) =>
    Effect.map(
      first(slow<{ readonly row_key: RowKey }>`select ${slow.literal(keyOf(orderOf(sorting)))} as row_key
        from (select child.id, ${slow.literal(sortedBy(sorting))} from nodes child ${sorting.join}
          where child.id = ${id ?? ""}) found`),
      (row) => row?.row_key
    )

  const unsorted = Effect.fnUntraced(function* (query: ChildQuery) {
    yield* checkKey(orderOf(sortings.byPlace), query.place)
    const page = isFiltered(query) ? undefined : yield* inPlace(query)
    if (page === undefined || page.has_large) return yield* inOrder(query, sortings.byPlace)
    const ids = page.ids.slice(0, childrenShown)
    const [position, id] = [page.keys[ids.length - 1], ids.at(-1)]
    const isLast = page.ids.length === ids.length || position === undefined || id === undefined
    return { total: page.total, ids, next: isLast ? undefined : ["false", position, id] } satisfies ChildPage
  })

  const byProperty = Effect.fnUntraced(function* (query: ChildQuery, property: string, order: Order) {
    const field = yield* findField(property, query)
    if (field === undefined) return yield* unsorted(query)
    const sorting = sortings.byValue(field, order)
    // A walk begins with what the index has, and goes on by the keys of all.
    if (isFiltered(query) || query.place.after !== undefined || !isInIndex(field)) {
      return yield* inOrder(query, sorting)
    }
    const page = (yield* inValueOrder(query, field, order)) ?? nothing
    const hasMore = query.place.page * childrenShown < page.total
    return {
      ...page,
      next: hasMore ? yield* keyOfChild(sorting, page.ids.at(-1)) : undefined
    } satisfies ChildPage
  })

  return Effect.fn("NodeQueries.childPage")(function* (query: ChildQuery) {
    const { sort } = query
    if (sort === undefined) return yield* unsorted(query)
    const order = sort.descending ? "desc" : "asc"
    return "own" in sort
      ? yield* inOrder(query, sortings.byOwnField(sort.own, order))
      : yield* byProperty(query, sort.property, order)
  })
})
