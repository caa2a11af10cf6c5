/** Changes of properties within a transaction that changes a page. */
import { Context, Effect, Layer } from "effect"
import type { DomainEvent } from "../event/EventLog.ts"
import { type NodeId, PropertyFieldId } from "../shared/Id.ts"
import { Ids } from "../shared/Ids.ts"
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
  decideMove,
  decideProperties,
  decideSchema,
  type FieldRight,
  type FieldsPlan,
  type NewField
} from "./PropertyRules.ts"
import { childFields, type FieldGroup, fieldsOf, PropertyStore, type UsedField } from "./PropertyStore.ts"

export type SchemaProblem =
  | PropertyFieldsNotYours
  | PropertyFieldTwice
  | PropertyFieldUnknown
  | PropertyNameTaken
  | TooManyPropertyFields

export type PropertyProblem = SchemaProblem | PropertyFieldIdMissing | PropertyTypeMissing

type Page = Pick<NodeState, "id" | "parentId">

/** What others may want to know of a change: that fields were deleted for which there were values. */
type Told = ReadonlyArray<DomainEvent>

/** How a list of properties is taken. */
export interface Taking {
  /** What who sends it may do with the fields. */
  readonly right: FieldRight
  /** A page that is just being created takes over existing fields by their names, and deletes none. */
  readonly isNew: boolean
}

interface Edits {
  /**
   * Makes these the properties of a page, as far as somebody has a right to its fields. The group of the page must be
   * locked, and then the page.
   */
  readonly replace: (
    node: Page,
    properties: ReadonlyArray<PropertyMutation>,
    taking: Taking
  ) => Effect.Effect<Told, PropertyProblem>
  /**
   * Prepares a page for a move into another group, where `arrive` makes these its properties: other values do not come
   * along. Answers the fields of the group that it leaves. The tree must be locked.
   */
  readonly leave: (
    node: Page,
    properties: ReadonlyArray<PropertyMutation>
  ) => Effect.Effect<ReadonlyArray<PropertySchema>>
  /**
   * Makes these the properties of a page that has come from a group with the fields `left`. They may name those; the
   * fields of the group where it is now stay, as for a page that is created there.
   */
  readonly arrive: (
    node: Page,
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
   * Pages are in another group now: their values come with them, and fields that it lacks are added, as far as who moves
   * them may add fields there. Fields of the group that they left are deleted if nothing is left in it. The tree must be
   * locked. (Fields of a group whose last page is deleted go by themselves.)
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
  const ids = yield* Ids

  const identified = <New extends NewField>(fields: ReadonlyArray<New>) =>
    Effect.forEach(fields, (field) =>
      Effect.map(ids.next, (fid) => ({ ...field, fid: PropertyFieldId.make(fid) }))
    )

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
    node: Page,
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

  /** Gives pages that come from a group with fields their values in one with others. */
  const gather = Effect.fnUntraced(function* (
    pages: ReadonlyArray<NodeId>,
    from: FieldGroup,
    to: FieldGroup,
    right: FieldRight
  ) {
    const here = yield* store.fieldsForUpdate(from)
    if (here.length === 0) return
    const used = yield* store.usedBy(
      pages,
      here.map(({ fid }) => fid)
    )
    const there = yield* store.fieldsForUpdate(to)
    const plan = yield* Effect.fromResult(decideMove(here, there, used, right))
    const added = yield* identified(plan.added)
    yield* store.changeFields(to, { deleted: [], changed: [], added })
    const moves = [...plan.known, ...added.map(({ from: fid, ...to }) => ({ from: fid, to }))]
    yield* store.moveValues(pages, moves)
    yield* store.moveDrafts(pages, here, moves)
    yield* store.deleteFieldsOfNobody(from)
  })

  /** Gives pages that come to the top level from a group fields of their own. */
  const scatter = Effect.fnUntraced(function* (pages: ReadonlyArray<NodeId>, from: FieldGroup) {
    const here = yield* store.fieldsForUpdate(from)
    if (here.length === 0) return
    const used = yield* store.usedByEach(
      pages,
      here.map(({ fid }) => fid)
    )
    const moves = yield* identifiedMoves(here, used)
    yield* store.addOwnFields(moves.map(({ page, to }) => ({ ...to, page })))
    yield* store.moveValues(pages, moves)
    yield* store.moveDrafts(pages, here, moves)
    yield* store.deleteFieldsOfNobody(from)
  })

  /** The fields of their own for those that pages have values for. */
  const identifiedMoves = (here: ReadonlyArray<PropertySchema>, used: ReadonlyArray<UsedField>) => {
    const pagesOf = Map.groupBy(used, ({ fid }) => fid)
    // In the order of the fields, as their ids decide where sort keys do not.
    return Effect.forEach(
      here.flatMap((field) => (pagesOf.get(field.fid) ?? []).map(({ page }) => ({ page, field }))),
      ({ field, page }) =>
        Effect.map(ids.next, (fid) => ({
          page,
          from: field.fid,
          to: { ...field, fid: PropertyFieldId.make(fid) }
        }))
    )
  }

  const follow: Edits["follow"] = Effect.fnUntraced(function* (nodes, from, to, right) {
    if (from === to) return
    const pages = nodes.map(({ id }) => id)
    if (to === undefined) {
      if (from !== undefined) yield* scatter(pages, childFields(from))
      return
    }
    if (from !== undefined) return yield* gather(pages, childFields(from), childFields(to), right)
    for (const id of pages) yield* gather([id], { of: "page", id }, childFields(to), right)
  })

  return PropertyEdits.of({ replace, leave, arrive, define, follow })
})

export class PropertyEdits extends Context.Service<PropertyEdits, Edits>()("forum/domain/PropertyEdits") {
  static readonly layer = Layer.effect(PropertyEdits, make)
}
