/** Children of a node in the order of a property that they share. */
import { Effect } from "effect"
import type { ChildPage, ChildQuery } from "../../domain/library/NodeQueries.ts"
import type { PropertyType } from "../../domain/library/Property.ts"
import type { NodeId, PropertyFieldId } from "../../domain/shared/Id.ts"
import { QuickReads, SlowReads } from "../shared/Connections.ts"
import { first } from "../shared/Query.ts"
import { withinSearchTime } from "../shared/Searching.ts"
import { hasLarge, isSeen, isSeenChild, offsetOf, pageSize } from "./ChildConditionsSql.ts"

/** A property that children are sorted by, and the few of them that the viewer does not see. */
export interface SortedField {
  readonly fid: PropertyFieldId
  readonly type: PropertyType
  /** The children that the viewer does not see; one more than `hiddenMax` if they are too many. */
  readonly hidden: ReadonlyArray<NodeId>
  /** Whether any child takes more than one place. */
  readonly has_large: boolean
}

export type Order = "asc" | "desc"

/**
 * Up to how many hidden children are compared with each value on the way to a page; with more, children and values are
 * joined.
 */
const hiddenMax = 500

/** The columns of `property_values` with the values that fit a type. */
export const typedColumns: { readonly [Type in PropertyType]: string } = {
  text: "as_text",
  number: "as_number",
  timestamp: "as_instant",
  boolean: "as_boolean"
}

/** Whether a page of the children can be read from the index of the values. */
export const isInIndex = ({ has_large, hidden }: SortedField): boolean =>
  !has_large && hidden.length <= hiddenMax

export const makeChildFieldOrder = Effect.gen(function* () {
  const quick = yield* QuickReads
  const slow = yield* SlowReads

  const findField = (property: string, query: ChildQuery) => {
    const { others, own } = query.visible
    // Where all see what is published, an index has the rest.
    const isPublic = others.includes("published") && own.includes("published")
    const rest = isPublic ? quick`and child.visibility <> 'published'` : quick``
    const hidden = quick`select child.id from nodes child where child.parent_id = ${query.parent} ${rest}
      and not (${isSeen(quick, "child", query)}) limit ${quick.literal(String(hiddenMax + 1))}`
    return first(quick<SortedField>`select fid, type, array(${hidden}) as hidden, ${hasLarge(quick, query)}
      from property_fields where parent_id = ${query.parent} and name = ${property}`)
  }

  /**
   * A page of children that take one place each, in the order of the values of a field. An index has these values in
   * their order, all of them of children of the same node, so the page is read from there without sorting. Children
   * without a value follow in the order of their ids.
   */
  const inValueOrder = (query: ChildQuery, { fid, hidden, type }: SortedField, order: Order) => {
    const column = slow.literal(`v.${typedColumns[type]}`)
    const size = slow.literal(pageSize)
    const offset = slow`${offsetOf(query)}::bigint`
    const values = slow`from property_values v where v.fid = ${fid} and ${column} is not null
      and v.node_id <> all(${hidden}::text[])`
    const children = slow`from nodes child where ${isSeenChild(slow, "child", query)}`
    const statement = slow<ChildPage>`with page as materialized (
        select (select count(*)::int ${children}) as total,
          array(select v.node_id ${values} order by ${column} ${slow.literal(order)}, v.node_id
            offset ${offset} limit ${size}) as ids
      )
      select total, ids || case when cardinality(ids) < ${size} and ${offset} + cardinality(ids) < total
        then array(select child.id ${children}
          and not exists (select from property_values v
            where v.node_id = child.id and v.fid = ${fid} and ${column} is not null)
          order by child.id collate "C" offset greatest(${offset} - (select count(*) ${values}), 0)
          limit ${size} - cardinality(ids))
        else '{}' end as ids from page`
    return withinSearchTime(first(statement.unprepared))
  }

  return { findField, inValueOrder } as const
})
