/** Changes of properties within a transaction that changes a page. */
import { Context, Effect, Layer } from "effect"
import { PropertyFieldId } from "../shared/Id.ts"
import { Ids } from "../shared/Ids.ts"
import type { NodeState } from "./NodeState.ts"
import type {
  PropertyFieldIdMissing,
  PropertyFieldTwice,
  PropertyFieldUnknown,
  PropertyMutation,
  PropertyNameTaken,
  PropertySchema,
  PropertySchemaChange,
  PropertyTypeMissing,
  TooManyPropertyFields
} from "./Property.ts"
import { decideArrival, decideMove, decideProperties, decideSchema, type NewField } from "./PropertyRules.ts"
import { type Group, PropertyStore } from "./PropertyStore.ts"

export type SchemaProblem =
  | PropertyFieldTwice
  | PropertyFieldUnknown
  | PropertyNameTaken
  | TooManyPropertyFields

export type PropertyProblem = SchemaProblem | PropertyFieldIdMissing | PropertyTypeMissing

interface Edits {
  /**
   * Makes these the properties of a page, and their fields those of its siblings. The group of the page must be
   * locked, and then the page. A page that is just being created takes over existing fields by their names.
   */
  readonly replace: (
    node: Pick<NodeState, "id" | "parentId">,
    properties: ReadonlyArray<PropertyMutation>,
    isNew: boolean
  ) => Effect.Effect<void, PropertyProblem>
  /**
   * Prepares a page for a move into another group, where `arrive` makes these its properties: other values do not come
   * along. Answers the fields of the group that it leaves. The tree must be locked.
   */
  readonly leave: (
    node: Pick<NodeState, "id" | "parentId">,
    properties: ReadonlyArray<PropertyMutation>
  ) => Effect.Effect<ReadonlyArray<PropertySchema>>
  /**
   * Makes these the properties of a page that has come from a group with the fields `left`. They may name those; the
   * fields of the group where it is now stay, as for a page that is created there.
   */
  readonly arrive: (
    node: Pick<NodeState, "id" | "parentId">,
    left: ReadonlyArray<PropertySchema>,
    properties: ReadonlyArray<PropertyMutation>
  ) => Effect.Effect<void, PropertyProblem>
  /** Makes these the fields of a group, which must be locked. */
  readonly define: (
    group: Group,
    changes: ReadonlyArray<PropertySchemaChange>
  ) => Effect.Effect<void, SchemaProblem>
  /**
   * Pages are in another group now: their values come with them, and fields that it lacks are added. Fields
   * of the group that they left are deleted if nothing is left in it. The tree must be locked. (Fields of a group
   * whose last page is deleted go by themselves.)
   */
  readonly follow: (
    nodes: ReadonlyArray<Pick<NodeState, "id">>,
    from: Group,
    to: Group
  ) => Effect.Effect<void, TooManyPropertyFields>
}

const make = Effect.gen(function* () {
  const store = yield* PropertyStore
  const ids = yield* Ids

  const identified = <New extends NewField>(fields: ReadonlyArray<New>) =>
    Effect.forEach(fields, (field) =>
      Effect.map(ids.next, (fid) => ({ ...field, fid: PropertyFieldId.make(fid) }))
    )

  const replaceAmong = Effect.fnUntraced(function* (
    fields: ReadonlyArray<PropertySchema>,
    node: Pick<NodeState, "id" | "parentId">,
    properties: ReadonlyArray<PropertyMutation>,
    isNew: boolean
  ) {
    const plan = yield* Effect.fromResult(decideProperties(fields, properties, isNew))
    const added = yield* identified(plan.added)
    yield* store.changeFields(node.parentId, { ...plan, added })
    yield* store.setValues(node.id, [...plan.values, ...added])
  })

  const replace: Edits["replace"] = Effect.fnUntraced(function* (node, properties, isNew) {
    const fields = yield* store.fieldsForUpdate(node.parentId)
    yield* replaceAmong(fields, node, properties, isNew)
  })

  const leave: Edits["leave"] = Effect.fnUntraced(function* ({ id, parentId }, properties) {
    yield* store.keepValues(
      id,
      properties.flatMap(({ fid, value }) => (fid === undefined || value === "" ? [] : [fid]))
    )
    return yield* store.fieldsForUpdate(parentId)
  })

  const arrive: Edits["arrive"] = Effect.fnUntraced(function* (node, left, properties) {
    const fields = yield* store.fieldsForUpdate(node.parentId)
    yield* replaceAmong(fields, node, decideArrival(left, fields, properties), true)
  })

  const define: Edits["define"] = Effect.fnUntraced(function* (group, changes) {
    const fields = yield* store.fieldsForUpdate(group)
    const plan = yield* Effect.fromResult(decideSchema(fields, changes))
    yield* store.changeFields(group, { ...plan, added: yield* identified(plan.added) })
  })

  const follow: Edits["follow"] = Effect.fnUntraced(function* (nodes, from, to) {
    if (from === to) return
    const here = yield* store.fieldsForUpdate(from)
    if (here.length === 0) return
    const pages = nodes.map(({ id }) => id)
    const used = yield* store.usedBy(
      pages,
      here.map(({ fid }) => fid)
    )
    const there = yield* store.fieldsForUpdate(to)
    const plan = yield* Effect.fromResult(decideMove(here, there, used))
    const added = yield* identified(plan.added)
    yield* store.changeFields(to, { deleted: [], changed: [], added })
    yield* store.moveValues(pages, [...plan.known, ...added.map(({ fid, from }) => ({ from, to: fid }))])
    const after = [...there, ...added]
    yield* store.moveDrafts(
      pages,
      here.map((field) => ({ ...field, to: after.find(({ name }) => name === field.name) }))
    )
    yield* store.deleteFieldsOfNobody(from)
  })

  return PropertyEdits.of({ replace, leave, arrive, define, follow })
})

export class PropertyEdits extends Context.Service<PropertyEdits, Edits>()("forum/domain/PropertyEdits") {
  static readonly layer = Layer.effect(PropertyEdits, make)
}
