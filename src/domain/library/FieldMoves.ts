/** The properties of nodes follow them to another group. */
import { Effect } from "effect"
import { type NodeId, PropertyFieldId } from "../shared/Id.ts"
import { Ids } from "../shared/Ids.ts"
import type { NodeState } from "./NodeRules.ts"
import type { Group } from "./NodeStore.ts"
import type { PropertySchema } from "./Property.ts"
import { decideMove, type FieldRight, type NewField } from "./PropertyRules.ts"
import { childFields, type FieldGroup, PropertyStore, type UsedField } from "./PropertyStore.ts"

/** Gives new fields their ids. */
export const makeFieldIds = Effect.map(
  Ids,
  (ids) =>
    <New extends NewField>(fields: ReadonlyArray<New>) =>
      Effect.forEach(fields, (field) =>
        Effect.map(ids.next, (fid) => ({ ...field, fid: PropertyFieldId.make(fid) }))
      )
)

export const makeFieldMoves = Effect.gen(function* () {
  const store = yield* PropertyStore
  const ids = yield* Ids
  const identified = yield* makeFieldIds

  /** Gives nodes that come from a group with fields their values in one with others. */
  const gather = Effect.fnUntraced(function* (
    nodes: ReadonlyArray<NodeId>,
    from: FieldGroup,
    to: FieldGroup,
    right: FieldRight
  ) {
    const here = yield* store.fieldsForUpdate(from)
    if (here.length === 0) return
    const used = yield* store.usedBy(
      nodes,
      here.map(({ fid }) => fid)
    )
    const there = yield* store.fieldsForUpdate(to)
    const plan = yield* Effect.fromResult(decideMove(here, there, used, right))
    const added = yield* identified(plan.added)
    yield* store.changeFields(to, { deleted: [], changed: [], added })
    const moves = [...plan.known, ...added.map(({ from: fid, ...to }) => ({ from: fid, to }))]
    yield* store.moveValues(nodes, moves)
    yield* store.moveDrafts(nodes, here, moves)
    yield* store.deleteFieldsOfNobody(from)
  })

  /** The fields of their own for those that nodes have values for. */
  const identifiedMoves = (here: ReadonlyArray<PropertySchema>, used: ReadonlyArray<UsedField>) => {
    const nodesOf = Map.groupBy(used, ({ fid }) => fid)
    // In the order of the fields, as their ids decide where sort keys do not.
    return Effect.forEach(
      here.flatMap((field) => (nodesOf.get(field.fid) ?? []).map(({ node }) => ({ node, field }))),
      ({ field, node }) =>
        Effect.map(ids.next, (fid) => ({
          node,
          from: field.fid,
          to: { ...field, fid: PropertyFieldId.make(fid) }
        }))
    )
  }

  /** Gives nodes that come to the top level from a group fields of their own. */
  const scatter = Effect.fnUntraced(function* (nodes: ReadonlyArray<NodeId>, from: FieldGroup) {
    const here = yield* store.fieldsForUpdate(from)
    if (here.length === 0) return
    const used = yield* store.usedByEach(
      nodes,
      here.map(({ fid }) => fid)
    )
    const moves = yield* identifiedMoves(here, used)
    yield* store.addOwnFields(moves.map(({ node, to }) => ({ ...to, node })))
    yield* store.moveValues(nodes, moves)
    yield* store.moveDrafts(nodes, here, moves)
    yield* store.deleteFieldsOfNobody(from)
  })

  /**
   * Lets properties follow nodes that are in another group now: their values come with them, and fields that the group
   * lacks are added, as far as who moves the nodes may add fields there. Fields of the group that they left are deleted
   * if nothing is left in it. The tree must be locked. (Fields of a group whose last node is deleted go by themselves.)
   */
  const follow = Effect.fnUntraced(function* (
    moved: ReadonlyArray<Pick<NodeState, "id">>,
    from: Group,
    to: Group,
    right: FieldRight
  ) {
    if (from === to) return
    const nodes = moved.map(({ id }) => id)
    if (to === undefined) {
      if (from !== undefined) yield* scatter(nodes, childFields(from))
      return
    }
    if (from !== undefined) return yield* gather(nodes, childFields(from), childFields(to), right)
    for (const id of nodes) yield* gather([id], { of: "node", id }, childFields(to), right)
  })

  return follow
})
