import { Effect, Layer } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import { ChildOrder, type ChildPage, type ChildQuery } from "../../domain/library/ChildOrder.ts"
import { comparedLength, type OwnField } from "../../domain/library/ChildSort.ts"
import { childrenShown } from "../../domain/library/LibraryLimits.ts"
import type { PropertyType } from "../../domain/library/Property.ts"
import type { NodeId, PropertyFieldId } from "../../domain/shared/Id.ts"
import { QuickReads, SlowReads } from "../shared/Connections.ts"
import { foundPage } from "../shared/FoundRows.ts"
import { lightMax } from "../shared/Places.ts"
import { containing, first, isOneOf } from "../shared/Query.ts"
import { withinSearchTime } from "../shared/Searching.ts"
import { visibilityCondition } from "../visibility/VisibilitySql.ts"

interface FieldRow {
  readonly fid: PropertyFieldId
  readonly type: PropertyType
  /** The children that the viewer does not see; one more than `hiddenMax` if they are too many. */
  readonly hidden: ReadonlyArray<NodeId>
  readonly has_large: boolean
}

/** A page of children as it is if each takes one place. */
type PlainPage = ChildPage & { readonly has_large: boolean }

/** What pages `nodes n` are sorted by, and what has to be joined for it. */
interface Sorting {
  readonly join: Statement.Fragment
  readonly key: string
  readonly order: "asc" | "desc"
}

/** A property that children are sorted by, and the few of them that the viewer does not see. */
interface SortedField {
  readonly fid: PropertyFieldId
  readonly key: string
  readonly order: Sorting["order"]
  readonly hidden: ReadonlyArray<NodeId>
  /** Whether any child takes more than one place. */
  readonly hasLarge: boolean
}

/** So many ids are compared with each value on the way to a page; beyond that, children and values are joined. */
const hiddenMax = 500

/** The values that fit a type. */
const typedColumns: { readonly [Type in PropertyType]: string } = {
  text: "v.as_text",
  number: "v.as_number",
  timestamp: "v.as_instant",
  boolean: "v.as_boolean"
}

const compared = (text: string) => `left(${text}, ${comparedLength}) collate "C"`

const ownKeys: { readonly [Field in OwnField]: string } = {
  name: compared("n.name"),
  description: compared("nullif(n.description, '')"),
  link: compared("l.url")
}

const pageOf = (row: ChildPage | undefined): ChildPage => row ?? { total: 0, ids: [] }

const size = String(childrenShown)

// As in the index that finds the largest child.
const ownSize = "n.weight + n.field_bytes + octet_length(n.description)"
const largerThan = String(lightMax(childrenShown))

export const layer = Layer.effect(
  ChildOrder,
  Effect.gen(function* () {
    const quick = yield* QuickReads
    const slow = yield* SlowReads

    const offsetOf = ({ page }: ChildQuery) => (page - 1) * childrenShown

    /** Whether any child may take more than one place, visible or not: the largest one is found in an index. */
    const hasLarge = ({ parent }: ChildQuery) =>
      quick`coalesce((select max(${quick.literal(ownSize)}) from nodes n where n.parent_id = ${parent})
        + (select field_bytes from nodes where id = ${parent}) > ${quick.literal(largerThan)}, false) as has_large`

    const isSeen = (sql: SqlClient.SqlClient, { viewer, visible }: ChildQuery) =>
      visibilityCondition(sql, "n", visible, viewer, "owner_id")

    const seen = (sql: SqlClient.SqlClient, query: ChildQuery) =>
      sql`n.parent_id = ${query.parent} and ${isSeen(sql, query)}`

    /** In the order that they are put into by hand: an index has it, and who may see them. */
    const inPlace = (query: ChildQuery) => {
      const children = quick`from nodes n where ${seen(quick, query)}`
      return first(quick<PlainPage>`select (select count(*)::int ${children}) as total,
        array(select n.id ${children} order by n.position
          offset ${offsetOf(query)}::bigint limit ${quick.literal(size)}) as ids, ${hasLarge(query)}`)
    }

    const byPlace: Sorting = { join: slow``, key: "n.position", order: "asc" }

    const ownSorting = (own: OwnField, order: Sorting["order"]): Sorting => ({
      join: own === "link" ? slow`left join links l on l.id = n.link_id` : slow``,
      key: ownKeys[own],
      order
    })

    const valueSorting = ({ fid, key, order }: SortedField): Sorting => ({
      join: slow`left join property_values v on v.node_id = n.id and v.fid = ${fid}
        and ${slow.literal(key)} is not null`,
      key,
      order
    })

    const fieldOf = (property: string, order: Sorting["order"], query: ChildQuery) => {
      const { others, own } = query.visible
      // Where all see what is published, an index has the rest.
      const isPublic = others.includes("published") && own.includes("published")
      const rest = isPublic ? quick`and n.visibility <> 'published'` : quick``
      const hidden = quick`select n.id from nodes n where n.parent_id = ${query.parent} ${rest}
        and not (${isSeen(quick, query)}) limit ${quick.literal(String(hiddenMax + 1))}`
      return Effect.map(
        first(quick<FieldRow>`select fid, type, array(${hidden}) as hidden, ${hasLarge(query)}
          from property_fields where parent_id = ${query.parent} and name = ${property}`),
        (field): SortedField | undefined =>
          field && {
            fid: field.fid,
            key: typedColumns[field.type],
            order,
            hidden: field.hidden,
            hasLarge: field.has_large
          }
      )
    }

    /**
     * The values of a field are in an index in their order, and all of them are of children of the same page. So a page
     * of the list is read from there, without putting anything into order; those without a value follow by their ids.
     * For children that take one place each.
     */
    const inValueOrder = (query: ChildQuery, { fid, hidden, key, order }: SortedField) => {
      const column = slow.literal(key)
      const offset = slow`${offsetOf(query)}::bigint`
      const values = slow`from property_values v where v.fid = ${fid} and ${column} is not null
        and v.node_id <> all(${hidden}::text[])`
      const children = slow`from nodes n where ${seen(slow, query)}`
      const statement = slow<ChildPage>`with page as materialized (
          select (select count(*)::int ${children}) as total,
            array(select v.node_id ${values} order by ${column} ${slow.literal(order)}, v.node_id
              offset ${offset} limit ${slow.literal(size)}) as ids
        )
        select total, ids || case when cardinality(ids) < ${slow.literal(size)} and ${offset} + cardinality(ids) < total
          then array(select n.id ${children}
            and not exists (select from property_values v
              where v.node_id = n.id and v.fid = ${fid} and ${column} is not null)
            order by n.id collate "C" offset greatest(${offset} - (select count(*) ${values}), 0)
            limit ${slow.literal(size)} - cardinality(ids))
          else '{}' end as ids from page`
      return withinSearchTime(first(statement.unprepared))
    }

    /** All that are asked for are put into their order, of which a page is answered. */
    const inOrder = (query: ChildQuery, { join, key, order }: Sorting) => {
      const { name, tags } = query
      const named = name === undefined ? slow`` : slow`and n.name_form like ${containing(name)}`
      const tagged =
        tags.length === 0
          ? slow``
          : slow`and n.id in (select nt.node_id from node_tags nt join tags t on t.id = nt.tag_id
              where ${isOneOf(slow, "t.name", tags)})`
      const listed = foundPage<{ readonly id: NodeId }>(slow, {
        page: query.page,
        pageSize: childrenShown,
        found: slow`select n.id, ${slow.literal(key)} as key, ${slow.literal(ownSize)} + shared.field_bytes as size
          from nodes n cross join (select field_bytes from nodes where id = ${query.parent}) shared ${join}
          where ${seen(slow, query)} ${named} ${tagged}`,
        size: "found.size",
        order: `key ${order} nulls last, id collate "C"`,
        columns: "page.id",
        isPrepared: false
      })
      return Effect.map(
        withinSearchTime(listed),
        ({ rows, total }): ChildPage => ({ total, ids: rows.map(({ id }) => id) })
      )
    }

    const isFiltered = ({ name, tags }: ChildQuery) => name !== undefined || tags.length > 0

    const byField = (query: ChildQuery, field: SortedField) =>
      isFiltered(query) || field.hasLarge || field.hidden.length > hiddenMax
        ? inOrder(query, valueSorting(field))
        : inValueOrder(query, field)

    const unsorted = Effect.fnUntraced(function* (query: ChildQuery) {
      const page = isFiltered(query) ? undefined : yield* inPlace(query)
      return page === undefined || page.has_large ? yield* inOrder(query, byPlace) : page
    })

    return ChildOrder.of({
      page: Effect.fnUntraced(function* (query) {
        const { sort } = query
        if (sort === undefined) return pageOf(yield* unsorted(query))
        const order = sort.descending ? "desc" : "asc"
        if ("own" in sort) return pageOf(yield* inOrder(query, ownSorting(sort.own, order)))
        const field = yield* fieldOf(sort.property, order, query)
        return pageOf(yield* field === undefined ? unsorted(query) : byField(query, field))
      })
    })
  })
)
