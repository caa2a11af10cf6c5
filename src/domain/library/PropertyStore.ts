/** What the rules of properties need from storage. */
import { Context, type DateTime, type Effect } from "effect"
import type { NodeId, PropertyFieldId } from "../shared/Id.ts"
import type { Property, PropertySchema } from "./Property.ts"
import type { FieldsPlan } from "./PropertyRules.ts"

/** The parent of a group of siblings; undefined is the top level. */
export type Group = NodeId | undefined

/** A value of a page. */
export interface FieldValue {
  readonly fid: PropertyFieldId
  readonly value: string
}

/** A field of a group that pages have left, and the one in its place where they are now. */
export interface MovedField extends PropertySchema {
  readonly to: PropertySchema | undefined
}

export class PropertyStore extends Context.Service<
  PropertyStore,
  {
    /** The fields of groups, by their parents, each in their order: by `sort`, then by id. */
    readonly fieldsOfGroups: (
      groups: ReadonlyArray<Group>
    ) => Effect.Effect<ReadonlyMap<Group, ReadonlyArray<PropertySchema>>>
    /** The properties of these pages: every field of their groups, with an empty value where they have none. */
    readonly propertiesOf: (
      pages: ReadonlyArray<{ readonly id: NodeId; readonly parentId: Group }>
    ) => Effect.Effect<ReadonlyMap<NodeId, ReadonlyArray<Property>>>

    /** The fields of a group, as the running transaction has them; the group must be locked. */
    readonly fieldsForUpdate: (group: Group) => Effect.Effect<ReadonlyArray<PropertySchema>>
    /** The properties of a page, as the running transaction has them. */
    readonly propertiesForUpdate: (page: NodeId, group: Group) => Effect.Effect<ReadonlyArray<Property>>
    /** Whether the group has any page, as the running transaction has it. */
    readonly hasPages: (group: Group) => Effect.Effect<boolean>
    /** Those of these fields that any of these pages has a value for. */
    readonly usedBy: (
      pages: ReadonlyArray<NodeId>,
      fids: ReadonlyArray<PropertyFieldId>
    ) => Effect.Effect<ReadonlySet<PropertyFieldId>>
    /** Deletes, changes and adds fields of a group; values go with their fields. */
    readonly changeFields: (group: Group, plan: FieldsPlan<PropertySchema>) => Effect.Effect<void>
    /** Makes these the values of a page. Empty ones are none. */
    readonly setValues: (page: NodeId, values: ReadonlyArray<FieldValue>) => Effect.Effect<void>
    /** Takes all values from a page but those for these fields. */
    readonly keepValues: (page: NodeId, fids: ReadonlyArray<PropertyFieldId>) => Effect.Effect<void>
    /** Makes the values that these pages have for some fields values for others. */
    readonly moveValues: (
      pages: ReadonlyArray<NodeId>,
      moves: ReadonlyArray<{ readonly from: PropertyFieldId; readonly to: PropertyFieldId }>
    ) => Effect.Effect<void>
    /**
     * Lets the drafts of these pages speak of other fields; of new ones, where there is none in the place of one. Other
     * fields that there are now are none that their authors have left out.
     */
    readonly moveDrafts: (
      pages: ReadonlyArray<NodeId>,
      fields: ReadonlyArray<MovedField>
    ) => Effect.Effect<void>
    /**
     * Notes when a page, which must be locked, was changed; a change of what versions have makes it no longer what
     * its current version says.
     */
    readonly noteEdit: (page: NodeId, at: DateTime.Utc, isVersioned: boolean) => Effect.Effect<void>
    /** Deletes the fields of a group that has no pages. */
    readonly deleteFieldsOfNobody: (group: Group) => Effect.Effect<void>
  }
>()("forum/domain/PropertyStore") {}
