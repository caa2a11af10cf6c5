/** Changes of properties within a transaction that changes a node. */
import { Context, Effect, Layer } from "effect"
import type { NewEvent } from "../event/EventLog.ts"
import { makeFieldIds, makeFieldMoves } from "./FieldMoves.ts"
import type { NodeState } from "./NodeRules.ts"
import type { Group } from "./NodeStore.ts"
import type {
  PropertyFieldIdMissing,
  PropertyFieldsNotYours,
  PropertyFieldTwice,
  PropertyFieldUnknown,
  PropertyMutation,
  PropertyNameTaken,
  PropertySchema,
  PropertySchemaChange,
  PropertyTypeMissing,
  TooManyPropertyFields
} from "./Property.ts"
import {
  decideArrival,
  decideProperties,
  decideSchema,
  type FieldRight,
  type FieldsPlan
} from "./PropertyRules.ts"
import { type FieldGroup, fieldsOf, PropertyStore } from "./PropertyStore.ts"

export type SchemaProblem =
  | PropertyFieldsNotYours
  | PropertyFieldTwice
  | PropertyFieldUnknown
  | PropertyNameTaken
  | TooManyPropertyFields

export type PropertyProblem = SchemaProblem | PropertyFieldIdMissing | PropertyTypeMissing

type EditedNode = Pick<NodeState, "id" | "parentId">

/** What others may want to know of a change: that fields were deleted for which there were values. */
type Told = ReadonlyArray<NewEvent>

/** How a list of properties is taken. */
export interface Taking {
  /** What who sends it may do with the fields. */
  readonly right: FieldRight
  /** A node that is just being created takes over existing fields by their names, and deletes none. */
  readonly isNew: boolean
}

interface Edits {
  /**
   * Makes these the properties of a node, as far as somebody has a right to its fields. The group of the node must be
   * locked, and then the node.
   */
  readonly replace: (
    node: EditedNode,
    properties: ReadonlyArray<PropertyMutation>,
    taking: Taking
  ) => Effect.Effect<Told, PropertyProblem>
  /**
   * Prepares a node for a move into another group, where `arrive` makes these its properties: other values do not come
   * along. Answers the fields of the group that it leaves. The tree must be locked.
   */
  readonly leave: (
    node: EditedNode,
    properties: ReadonlyArray<PropertyMutation>
  ) => Effect.Effect<ReadonlyArray<PropertySchema>>
  /**
   * Makes these the properties of a node that has come from a group with the fields `left`. They may name those; the
   * fields of the group where it is now stay, as for a node that is created there.
   */
  readonly arrive: (
    node: EditedNode,
    left: ReadonlyArray<PropertySchema>,
    properties: ReadonlyArray<PropertyMutation>,
    right: FieldRight
  ) => Effect.Effect<Told, PropertyProblem>
  /** Makes these the fields of a group, which must be locked. */
  readonly define: (
    group: FieldGroup,
    changes: ReadonlyArray<PropertySchemaChange>,
    right: FieldRight
  ) => Effect.Effect<Told, SchemaProblem>
  /**
   * Lets properties follow nodes that are in another group now: their values come with them, and fields that the group
   * lacks are added, as far as who moves the nodes may add fields there. Fields of the group that they left are deleted
   * if nothing is left in it. The tree must be locked. (Fields of a group whose last node is deleted go by themselves.)
   */
  readonly follow: (
    nodes: ReadonlyArray<Pick<NodeState, "id">>,
    from: Group,
    to: Group,
    right: FieldRight
  ) => Effect.Effect<void, TooManyPropertyFields>
}

const make = Effect.gen(function* () {
  const store = yield* PropertyStore
  const identified = yield* makeFieldIds

  /** Carries out what was decided of fields. */
  const change = Effect.fnUntraced(function* (
    group: FieldGroup,
    fields: ReadonlyArray<PropertySchema>,
    plan: FieldsPlan<PropertySchema>
  ): Effect.fn.Return<Told> {
    const values = yield* store.changeFields(group, plan)
    if (values === 0) return []
    const names = fields.filter(({ fid }) => plan.deleted.includes(fid)).map(({ name }) => name)
    return [{ _tag: "NodeFieldsDeleted", id: group.id, names, values }]
  })

  const replaceAmong = Effect.fnUntraced(function* (
    fields: ReadonlyArray<PropertySchema>,
    node: EditedNode,
    properties: ReadonlyArray<PropertyMutation>,
    { isNew, right }: Taking
  ) {
    const plan = yield* Effect.fromResult(decideProperties(fields, properties, isNew, right))
    const added = yield* identified(plan.added)
    const told = yield* change(fieldsOf(node), fields, { ...plan, added })
    yield* store.setValues(node.id, [...plan.values, ...added])
    return told
  })

  const replace: Edits["replace"] = Effect.fnUntraced(function* (node, properties, taking) {
    const fields = yield* store.fieldsForUpdate(fieldsOf(node))
    return yield* replaceAmong(fields, node, properties, taking)
  })

  const leave: Edits["leave"] = Effect.fnUntraced(function* (node, properties) {
    yield* store.keepValues(
      node.id,
      properties.flatMap(({ fid, value }) => (fid === undefined || value === "" ? [] : [fid]))
    )
    return yield* store.fieldsForUpdate(fieldsOf(node))
  })

  const arrive: Edits["arrive"] = Effect.fnUntraced(function* (node, left, properties, right) {
    const fields = yield* store.fieldsForUpdate(fieldsOf(node))
    const list = decideArrival(left, fields, properties)
    return yield* replaceAmong(fields, node, list, { isNew: true, right })
  })

  const define: Edits["define"] = Effect.fnUntraced(function* (group, changes, right) {
    const fields = yield* store.fieldsForUpdate(group)
    const plan = yield* Effect.fromResult(decideSchema(fields, changes, right))
    return yield* change(group, fields, { ...plan, added: yield* identified(plan.added) })
  })

  return PropertyEdits.of({ replace, leave, arrive, define, follow: yield* makeFieldMoves })
})

export class PropertyEdits extends Context.Service<PropertyEdits, Edits>()("forum/domain/PropertyEdits") {
  static readonly layer = Layer.effect(PropertyEdits, make)
}
