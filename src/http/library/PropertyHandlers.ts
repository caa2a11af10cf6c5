import { Effect } from "effect"
import { Properties } from "../../domain/library/Properties.ts"
import type { PropertyChanges, PropertySchemaChange } from "../../domain/library/Property.ts"

interface Of {
  readonly params: { readonly node_slug: string }
}

type SchemaChange = Of & { readonly payload: ReadonlyArray<PropertySchemaChange> }
type Change = Of & { readonly payload: PropertyChanges }

/** Handlers of the operations on properties. */
export const makePropertyHandlers = Effect.map(
  Properties,
  (properties) =>
    ({
      updateChildrenPropertySchema: ({ params, payload }: SchemaChange) =>
        properties.defineForChildren(params.node_slug, payload),
      updatePropertySchema: ({ params, payload }: SchemaChange) =>
        properties.define(params.node_slug, payload),
      updateProperties: ({ params, payload }: Change) => properties.set(params.node_slug, payload.properties)
    }) as const
)
