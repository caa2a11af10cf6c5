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

  /**
   * Pages are in another group now: their values come with them, and fields that it lacks are added, as far as who moves
   * them may add fields there. Fields of the group that they left are deleted if nothing is left in it. The tree must be
   * locked. (Fields of a group whose last page is deleted go by themselves.)
   */
  const follow = Effect.fnUntraced(function* (
    nodes: ReadonlyArray<Pick<NodeState, "id">>,
    from: Group,
    to: Group,
    right: FieldRight
  ) {
    if (from === to) return
    const pages = nodes.map(({ id }) => id)
    if (to === undefined) {
      if (from !== undefined) yield* scatter(pages, childFields(from))
      return
    }
    if (from !== undefined) return yield* gather(pages, childFields(from), childFields(to), right)
    for (const id of pages) yield* gather([id], { of: "page", id }, childFields(to), right)
  })

  return follow
})
