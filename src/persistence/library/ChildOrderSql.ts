import { Effect, Layer } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import { ChildOrder, type ChildPage, type ChildQuery } from "../../domain/library/ChildOrder.ts"
import { type ChildSort, comparedLength, type OwnField } from "../../domain/library/ChildSort.ts"
import { childrenShown } from "../../domain/library/LibraryLimits.ts"
import type { PropertyType } from "../../domain/library/Property.ts"
import type { PropertyFieldId } from "../../domain/shared/Id.ts"
import { QuickReads, SlowReads } from "../shared/Connections.ts"
import { containing, first, isOneOf } from "../shared/Query.ts"
import { withinSearchTime } from "../shared/Searching.ts"
import { passing } from "../shared/VisibilitySql.ts"

interface FieldRow {
  readonly fid: PropertyFieldId
  readonly type: PropertyType
}

/** What pages `nodes n` are sorted by, and what has to be joined for it. */
interface Sorting {
  readonly join: Statement.Fragment
  readonly key: string
  readonly order: "asc" | "desc"
}

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

export const layer = Layer.effect(
  ChildOrder,
  Effect.gen(function* () {
    const quick = yield* QuickReads
    const slow = yield* SlowReads

    const offsetOf = ({ page }: ChildQuery) => (page - 1) * childrenShown

    const seen = (sql: SqlClient.SqlClient, { parent, viewer, visible }: ChildQuery) =>
      sql`n.parent_id = ${parent} and ${passing(sql, "n", visible, viewer, "owner_id")}`

    /** In the order that they are put into by hand: an index has it, and who may see them. */
    const inPlace = (query: ChildQuery) => {
      const children = quick`from nodes n where ${seen(quick, query)}`
      return first(quick<ChildPage>`select (select count(*)::int ${children}) as total,
        array(select n.id ${children} order by n.position
          offset ${offsetOf(query)}::bigint limit ${quick.literal(size)}) as ids`)
    }

    const byPlace: Sorting = { join: slow``, key: "n.position", order: "asc" }

    const sortedBy = (sort: ChildSort, { parent }: ChildQuery): Effect.Effect<Sorting> => {
      const order = sort.descending ? "desc" : "asc"
      if ("own" in sort) {
        const join = sort.own === "link" ? slow`left join links l on l.id = n.link_id` : slow``
        return Effect.succeed({ join, key: ownKeys[sort.own], order })
      }
      return Effect.map(
        first(quick<FieldRow>`select fid, type from property_fields
          where parent_id = ${parent} and name = ${sort.property}`),
        (field) => {
          if (field === undefined) return byPlace
          const key = typedColumns[field.type]
          const join = slow`left join property_values v on v.node_id = n.id and v.fid = ${field.fid}
            and ${slow.literal(key)} is not null`
          return { join, key, order }
        }
      )
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
      const found = slow`select n.id, ${slow.literal(key)} as key from nodes n ${join}
        where ${seen(slow, query)} ${named} ${tagged}`
      const statement = slow<ChildPage>`with found as materialized (${found})
        select (select count(*)::int from found) as total,
          array(select id from found order by key ${slow.literal(order)} nulls last, id collate "C"
            offset ${offsetOf(query)}::bigint limit ${slow.literal(size)}) as ids`
      return withinSearchTime(first(statement.unprepared))
    }

    const isFiltered = ({ name, tags }: ChildQuery) => name !== undefined || tags.length > 0

    return ChildOrder.of({
      page: Effect.fnUntraced(function* (query) {
        const sorting = query.sort === undefined ? byPlace : yield* sortedBy(query.sort, query)
        return pageOf(
          yield* sorting === byPlace && !isFiltered(query) ? inPlace(query) : inOrder(query, sorting)
        )
      })
    })
  })
)
