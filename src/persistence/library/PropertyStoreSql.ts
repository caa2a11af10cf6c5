import { Effect, Layer } from "effect"
import type { Property, PropertySchema, PropertyType } from "../../domain/library/Property.ts"
import { type Group, PropertyStore } from "../../domain/library/PropertyStore.ts"
import type { NodeId, PropertyFieldId } from "../../domain/shared/Id.ts"
import { QuickReads } from "../shared/Connections.ts"
import { all } from "../shared/Query.ts"

interface FieldRow {
  readonly parent_id: NodeId | null
  readonly fid: PropertyFieldId
  readonly name: string
  readonly type: PropertyType
  readonly sort: string
}

interface ValueRow {
  readonly node_id: NodeId
  readonly fid: PropertyFieldId
  readonly value: string
}

const fieldOf = ({ fid, name, sort, type }: FieldRow): PropertySchema => ({ fid, name, type, sort })

export const layer = Layer.effect(
  PropertyStore,
  Effect.gen(function* () {
    const sql = yield* QuickReads

    const fieldsOf = (group: Group) =>
      Effect.map(
        all(sql<FieldRow>`select parent_id, fid, name, type, sort from property_fields
          where parent_id is not distinct from ${group ?? null} order by sort, fid`),
        (rows) => rows.map(fieldOf)
      )

    const fieldsOfGroups = (parents: ReadonlyArray<NodeId>) =>
      Effect.map(
        all(sql<FieldRow>`select parent_id, fid, name, type, sort from property_fields
          where parent_id = any(${parents}::text[]) order by sort, fid`),
        (rows) => {
          const groups = new Map<NodeId, Array<PropertySchema>>()
          for (const row of rows) {
            if (row.parent_id === null) continue
            const group = groups.get(row.parent_id)
            if (group === undefined) groups.set(row.parent_id, [fieldOf(row)])
            else group.push(fieldOf(row))
          }
          return groups
        }
      )

    return PropertyStore.of({
      fieldsOf,
      fieldsOfGroups,
      propertiesOf: Effect.fnUntraced(function* (pages) {
        const ids = pages.map(({ id }) => id)
        const parents = [...new Set(pages.flatMap(({ parentId }) => parentId ?? []))]
        const [values, groups, top] = yield* Effect.all(
          [
            all(sql<ValueRow>`select node_id, fid, value from property_values
              where node_id = any(${ids}::text[])`),
            fieldsOfGroups(parents),
            pages.some(({ parentId }) => parentId === undefined) ? fieldsOf(undefined) : Effect.succeed([])
          ],
          { concurrency: "unbounded" }
        )
        const byPage = Map.groupBy(values, ({ node_id }) => node_id)
        return new Map(
          pages.map(({ id, parentId }) => {
            const valueOf = new Map((byPage.get(id) ?? []).map(({ fid, value }) => [fid, value]))
            const fields = parentId === undefined ? top : (groups.get(parentId) ?? [])
            const properties = fields.map((field): Property => ({ ...field, value: valueOf.get(field.fid) ?? "" }))
            return [id, properties]
          })
        )
      })
    })
  })
)
