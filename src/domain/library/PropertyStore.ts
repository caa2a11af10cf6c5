/** What the rules of properties need from storage. */
import { Context, type Effect } from "effect"
import type { NodeId } from "../shared/Id.ts"
import type { Property, PropertySchema } from "./Property.ts"

/** The parent of a group of siblings; undefined is the top level. */
export type Group = NodeId | undefined

export class PropertyStore extends Context.Service<
  PropertyStore,
  {
    /** The fields of a group in their order: by `sort`, then by id. */
    readonly fieldsOf: (group: Group) => Effect.Effect<ReadonlyArray<PropertySchema>>
    /** The fields of the groups in which pages are, and of those that they contain, by the parent's id. */
    readonly fieldsOfGroups: (
      parents: ReadonlyArray<NodeId>
    ) => Effect.Effect<ReadonlyMap<NodeId, ReadonlyArray<PropertySchema>>>
    /** The properties of these pages: every field of their groups, with an empty value where they have none. */
    readonly propertiesOf: (
      pages: ReadonlyArray<{ readonly id: NodeId; readonly parentId: Group }>
    ) => Effect.Effect<ReadonlyMap<NodeId, ReadonlyArray<Property>>>
  }
>()("forum/domain/PropertyStore") {}
