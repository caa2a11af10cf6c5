/** What the rules of properties need from storage. */
import { Context, type DateTime, type Effect } from "effect"
import type { NodeId, PropertyFieldId } from "../shared/Id.ts"
import type { NodeState } from "./NodeRules.ts"
import type { Property, PropertySchema } from "./Property.ts"
import type { FieldsPlan } from "./PropertyRules.ts"

/** Whose fields some are: of all children of a node, or of one node at the top level. */
export interface FieldGroup {
  readonly of: "children" | "node"
  readonly id: NodeId
}

/** The fields that a node has. */
export const fieldsOf = ({ id, parentId }: Pick<NodeState, "id" | "parentId">): FieldGroup =>
  parentId === undefined ? { of: "node", id } : childFields(parentId)

/** The fields that the children of a node share. */
export const childFields = (id: NodeId): FieldGroup => ({ of: "children", id })

/** A value of a node. */
export interface FieldValue {
  readonly fid: PropertyFieldId
  readonly value: string
}

/** A field that nodes had, and the one in its place where they are now. */
export interface MovedField {
  /** The node whose field it is, if each has one of its own. */
  readonly node?: NodeId
  readonly from: PropertyFieldId
  readonly to: PropertySchema
}

/** A field that a node has a value for. */
export interface UsedField {
  readonly node: NodeId
  readonly fid: PropertyFieldId
}

export class PropertyStore extends Context.Service<
  PropertyStore,
  {
    /** The fields that the children of these nodes share, each in their order: by `sort`, then by id. */
    readonly childFieldsOf: (
      parents: ReadonlyArray<NodeId>
    ) => Effect.Effect<ReadonlyMap<NodeId, ReadonlyArray<PropertySchema>>>
    /** The properties of these nodes: all their fields, with an empty value where they have none. */
    readonly propertiesOf: (
      nodes: ReadonlyArray<Pick<NodeState, "id" | "parentId">>
    ) => Effect.Effect<ReadonlyMap<NodeId, ReadonlyArray<Property>>>

    /** The fields of a group, as the running transaction has them; the group must be locked. */
    readonly fieldsForUpdate: (group: FieldGroup) => Effect.Effect<ReadonlyArray<PropertySchema>>
    /** The properties of a node, as the running transaction has them. */
    readonly propertiesForUpdate: (
      node: Pick<NodeState, "id" | "parentId">
    ) => Effect.Effect<ReadonlyArray<Property>>
    /** Whether a node contains any, as the running transaction has it. */
    readonly hasChildren: (node: NodeId) => Effect.Effect<boolean>
    /** Which of these fields any of these nodes has a value for. */
    readonly usedBy: (
      nodes: ReadonlyArray<NodeId>,
      fids: ReadonlyArray<PropertyFieldId>
    ) => Effect.Effect<ReadonlySet<PropertyFieldId>>
    /** For each of these nodes, which of these fields it has a value for. */
    readonly usedByEach: (
      nodes: ReadonlyArray<NodeId>,
      fids: ReadonlyArray<PropertyFieldId>
    ) => Effect.Effect<ReadonlyArray<UsedField>>
    /** How many values these nodes have. */
    readonly countValues: (nodes: ReadonlyArray<NodeId>) => Effect.Effect<number>
    /** Deletes, changes and adds fields of a group; values go with their fields. Answers how many went. */
    readonly changeFields: (group: FieldGroup, plan: FieldsPlan<PropertySchema>) => Effect.Effect<number>
    /** Gives nodes at the top level fields. */
    readonly addOwnFields: (
      fields: ReadonlyArray<PropertySchema & { readonly node: NodeId }>
    ) => Effect.Effect<void>
    /** Makes these the values of a node. Empty ones are none. */
    readonly setValues: (node: NodeId, values: ReadonlyArray<FieldValue>) => Effect.Effect<void>
    /** Removes all values of a node except the values for these fields. */
    readonly keepValues: (node: NodeId, fids: ReadonlyArray<PropertyFieldId>) => Effect.Effect<void>
    /** Makes the values that these nodes have for some fields values for others. */
    readonly moveValues: (
      nodes: ReadonlyArray<NodeId>,
      moves: ReadonlyArray<MovedField>
    ) => Effect.Effect<void>
    /**
     * Lets the drafts of these nodes, which had `fields`, speak of other ones; of new ones, where there is none in the
     * place of one. Other fields that there are now are none that their authors have left out.
     */
    readonly moveDrafts: (
      nodes: ReadonlyArray<NodeId>,
      fields: ReadonlyArray<PropertySchema>,
      moves: ReadonlyArray<MovedField>
    ) => Effect.Effect<void>
    /**
     * Notes when a node, which must be locked, was changed; a change of what versions have makes it no longer what
     * its current version says.
     */
    readonly noteEdit: (node: NodeId, at: DateTime.Utc, isVersioned: boolean) => Effect.Effect<void>
    /** Deletes the fields that the children of a node share if there are none, or those of a node below the top level. */
    readonly deleteFieldsOfNobody: (group: FieldGroup) => Effect.Effect<void>
  }
>()("forum/domain/PropertyStore") {}
