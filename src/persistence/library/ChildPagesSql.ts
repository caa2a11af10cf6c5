/** Pages of the children of a node, in the order that is asked for. */

import { Effect } from "effect"
import type { Statement } from "effect/sql"
import { comparedLength, type OwnField } from "../../domain/library/ChildSort.ts"
import { childrenShown } from "../../domain/library/LibraryLimits.ts"
import type { ChildPage, ChildQuery } from "../../domain/library/NodeQueries.ts"
import type { NodeId } from "../../domain/shared/Id.ts"
import { numberedPage } from "../../domain/shared/ListPlace.ts"
import { QuickReads, SlowReads } from "../shared/Connections.ts"
import { foundPage } from "../shared/FoundRows.ts"
import { containing, first, isOneOf } from "../shared/Query.ts"
import { withinSearchTime } from "../shared/Searching.ts"
import { hasLarge, isSeenChild, offsetOf, ownSize, pageSize } from "./ChildConditionsSql.ts"
import {
  isInIndex,
  makeChildFieldOrder,
  type Order,
  type SortedField,
  typedColumns
} from "./ChildFieldOrderSql.ts"

/** A page of children as if each took one place, and whether any of them may take more. */
type PlainPage = ChildPage & { readonly has_large: boolean }

/** What rows of `nodes child` are sorted by, and what has to be joined for it. */
interface Sorting {
  readonly join: Statement.Fragment
  readonly key: string
  readonly order: Order
}

const compared = (text: string) => `left(${text}, ${comparedLength}) collate "C"`

const ownKeys: { readonly [Field in OwnField]: string } = {
  name: compared("child.name"),
  description: compared("nullif(child.description, '')"),
  link: compared("l.url")
}

const isFiltered = ({ name, tags }: ChildQuery) => name !== undefined || tags.length > 0

const nothing: ChildPage = { total: 0, ids: [] }

const makeSortings = Effect.map(SlowReads, (sql) => ({
  byPlace: { join: sql``, key: "child.position", order: "asc" } satisfies Sorting,

  byOwnField: (own: OwnField, order: Order): Sorting => ({
    join: own === "link" ? sql`left join links l on l.id = child.link_id` : sql``,
    key: ownKeys[own],
    order
  }),

  byValue: ({ fid, type }: SortedField, order: Order): Sorting => {
    const key = `v.${typedColumns[type]}`
    const join = sql`left join property_values v on v.node_id = child.id and v.fid = ${fid}
      and ${sql.literal(key)} is not null`
    return { join, key, order }
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
    const children = quick`from nodes child where ${isSeenChild(quick, "child", query)}`
    return first(quick<PlainPage>`select (select count(*)::int ${children}) as total,
      array(select child.id ${children} order by child.position
        offset ${offsetOf(query)}::bigint limit ${quick.literal(pageSize)}) as ids, ${hasLarge(quick, query)}`)
  }

  /** A page of the children, for which all that are asked for are found and sorted. */
  const inOrder = (query: ChildQuery, { join, key, order }: Sorting) => {
    const { name, tags } = query
    const named = name === undefined ? slow`` : slow`and child.name_form like ${containing(name)}`
    const tagged =
      tags.length === 0
        ? slow``
        : slow`and child.id in (select nt.node_id from node_tags nt join tags t on t.id = nt.tag_id
            where ${isOneOf(slow, "t.name", tags)})`
    const size = slow.literal(ownSize("child"))
    const listed = foundPage<{ readonly id: NodeId }>(slow, {
      place: numberedPage(query.page),
      pageSize: childrenShown,
      found: slow`select child.id, ${slow.literal(key)} as key, ${size} + shared.field_bytes as size
        from nodes child cross join (select field_bytes from nodes where id = ${query.parent}) shared ${join}
        where ${isSeenChild(slow, "child", query)} ${named} ${tagged}`,
      size: "found.size",
      order: [
        ["key is null", "asc", "boolean"],
        ["key", order, "text"],
        [`id collate "C"`, "asc", "text"]
      ],
      columns: "page.id",
      isPrepared: false
    })
    return Effect.map(
      withinSearchTime(listed),
      ({ rows, total }): ChildPage => ({ total, ids: rows.map(({ id }) => id) })
    )
  }

  const unsorted = Effect.fnUntraced(function* (query: ChildQuery) {
    const page = isFiltered(query) ? undefined : yield* inPlace(query)
    return page === undefined || page.has_large ? yield* inOrder(query, sortings.byPlace) : page
  })

  const byProperty = Effect.fnUntraced(function* (query: ChildQuery, property: string, order: Order) {
    const field = yield* findField(property, query)
    if (field === undefined) return yield* unsorted(query)
    return isFiltered(query) || !isInIndex(field)
      ? yield* inOrder(query, sortings.byValue(field, order))
      : yield* inValueOrder(query, field, order)
  })

  return Effect.fn("NodeQueries.childPage")(function* (query: ChildQuery) {
    const { sort } = query
    if (sort === undefined) return (yield* unsorted(query)) ?? nothing
    const order = sort.descending ? "desc" : "asc"
    return "own" in sort
      ? yield* inOrder(query, sortings.byOwnField(sort.own, order))
      : ((yield* byProperty(query, sort.property, order)) ?? nothing)
  })
})
