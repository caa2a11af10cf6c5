/** The properties that nodes are shown with, read for many nodes at once. */
import { Effect } from "effect"
import type { Statement } from "effect/sql"
import type { NodeState } from "../../domain/library/NodeRules.ts"
import type { Property, PropertySchema, PropertyType } from "../../domain/library/Property.ts"
import type { NodeId, PropertyFieldId } from "../../domain/shared/Id.ts"
import { QuickReads } from "../shared/Connections.ts"
import { mapInSlices } from "../shared/mapInSlices.ts"
import { all, isOneOf } from "../shared/Query.ts"

interface FieldRow {
  readonly fid: PropertyFieldId
  readonly parent_id: NodeId | null
  readonly node_id: NodeId | null
  readonly name: string
  readonly type: PropertyType
  readonly sort: string
}

/** The values of a node by their fields. A node of a hundred others has thousands, and a row for each takes twice as long. */
interface ValuesRow {
  readonly node_id: NodeId
  readonly values: Readonly<Record<PropertyFieldId, string>>
}

const fieldOf = ({ fid, name, sort, type }: FieldRow): PropertySchema => ({ fid, name, type, sort })

const order = "sort, fid"

/** Groups fields: shared ones by the node whose children share them, others by the node that has them alone. */
const byGroup = (rows: ReadonlyArray<FieldRow>) => {
  const groups = {
    shared: new Map<NodeId, Array<PropertySchema>>(),
    own: new Map<NodeId, Array<PropertySchema>>()
  }
  for (const row of rows) {
    const [of, id] = row.parent_id === null ? [groups.own, row.node_id] : [groups.shared, row.parent_id]
    if (id === null) continue
    const fields = of.get(id)
    if (fields === undefined) of.set(id, [fieldOf(row)])
    else fields.push(fieldOf(row))
  }
  return groups
}

const noFields = Effect.succeed(byGroup([]))

export const makePropertyReads = Effect.gen(function* () {
  const reads = yield* QuickReads

  /** The fields that the children of these nodes share, and those that these nodes have themselves. */
  const fieldsBy = (parents: ReadonlyArray<NodeId>, owners: ReadonlyArray<NodeId>) => {
    const some = (column: "parent_id" | "node_id", ids: ReadonlyArray<NodeId>) =>
      reads`select fid, parent_id, node_id, name, type, sort
          from property_fields where ${isOneOf(reads, column, ids)}`
    const of = (found: Statement.Fragment) =>
      Effect.map(all(reads<FieldRow>`${found} order by ${reads.literal(order)}`), byGroup)
    if (parents.length === 0) return owners.length === 0 ? noFields : of(some("node_id", owners))
    const shared = some("parent_id", parents)
    return of(owners.length === 0 ? shared : reads`${shared} union all ${some("node_id", owners)}`)
  }

  const childFieldsOf = (parents: ReadonlyArray<NodeId>) =>
    Effect.map(fieldsBy(parents, []), ({ shared }) => shared)

  const valuesOf = (nodes: ReadonlyArray<NodeId>) =>
    all(
      reads<ValuesRow>`select node_id, json_object_agg(fid, value) as values from property_values
          where ${isOneOf(reads, "node_id", nodes)} group by node_id`
    )

  const propertiesOf = Effect.fnUntraced(function* (
    nodes: ReadonlyArray<Pick<NodeState, "id" | "parentId">>
  ) {
    if (nodes.length === 0) return new Map<NodeId, ReadonlyArray<Property>>()
    const parents = new Set(nodes.flatMap(({ parentId }) => parentId ?? []))
    const atTop = nodes.flatMap(({ id, parentId }) => (parentId === undefined ? [id] : []))
    const [groups, rows] = yield* Effect.all(
      [fieldsBy([...parents], atTop), valuesOf(nodes.map(({ id }) => id))],
      { concurrency: "unbounded" }
    )
    const values = new Map(rows.map((row) => [row.node_id, row.values]))
    return new Map(
      yield* mapInSlices(nodes, ({ id, parentId }): [NodeId, ReadonlyArray<Property>] => {
        const own = values.get(id)
        const fields = (parentId === undefined ? groups.own.get(id) : groups.shared.get(parentId)) ?? []
        return [id, fields.map((field) => ({ ...field, value: own?.[field.fid] ?? "" }))]
      })
    )
  })

  return { childFieldsOf, propertiesOf } as const
})
