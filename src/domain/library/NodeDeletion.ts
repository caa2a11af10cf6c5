import { DateTime, Effect, Option } from "effect"
import type { AccountActor } from "../shared/Actor.ts"
import type { NodeId } from "../shared/Id.ts"
import { childrenMovedMax, fieldsMax, valuesMovedMax } from "./LibraryLimits.ts"
import { makeNodeAccess } from "./NodeAccess.ts"
import { makeNodeMoving } from "./NodeMoving.ts"
import { NodeInItself, TooManyChildren } from "./NodeProblems.ts"
import { makeNodeRemoval } from "./NodeRemoval.ts"
import type { NodeState } from "./NodeRules.ts"
import { type Child, NodeStore } from "./NodeStore.ts"
import { decideFieldRight } from "./PropertyRules.ts"
import { PropertyStore } from "./PropertyStore.ts"

/** Deletes nodes, for those who may change them. */
export const makeNodeDeletion = Effect.gen(function* () {
  const nodes = yield* NodeStore
  const removal = yield* makeNodeRemoval
  const moving = yield* makeNodeMoving
  const properties = yield* PropertyStore
  const { getForUpdate, getOwn, meet } = yield* makeNodeAccess

  /** Where the nodes go that a deleted one contains. */
  const getTarget = Effect.fnUntraced(function* (
    node: NodeState,
    mark: string | undefined,
    actor: AccountActor
  ) {
    if (mark === undefined) return undefined
    const target = yield* meet(mark, actor)
    return target.id === node.id ? yield* new NodeInItself() : target
  })

  /** Fails if the nodes have too many values: each of them gets fields of its own when it comes to the top level. */
  const checkValues = Effect.fnUntraced(function* (children: ReadonlyArray<Child>) {
    if (children.length * fieldsMax <= valuesMovedMax) return
    if ((yield* properties.countValues(children.map(({ id }) => id))) > valuesMovedMax) {
      return yield* new TooManyChildren({ metadata: { maximum: valuesMovedMax } })
    }
  })

  /** Deletes a node; those that it contains move. Answers the id of the node where they are, if it is not the top level. */
  return Effect.fn("NodeMoves.remove")(function* (mark: string, targetMark: string | undefined) {
    const { actor, node: found } = yield* getOwn(mark)
    const target = yield* getTarget(found, targetMark, actor)
    const writing = Effect.gen(function* () {
      const node = yield* getForUpdate(found.id)
      if (target !== undefined) {
        yield* getForUpdate(target.id)
        if ((yield* nodes.above(target.id)).includes(node.id)) return yield* new NodeInItself()
      }
      const children = yield* nodes.children(node.id, childrenMovedMax + 1)
      if (children.length > childrenMovedMax) {
        return yield* new TooManyChildren({ metadata: { maximum: childrenMovedMax } })
      }
      if (target === undefined) yield* checkValues(children)
      const right = decideFieldRight(target, actor)
      yield* removal.remove(actor.accountId, node, children, target?.id, right, yield* DateTime.now)
    })
    yield* moving.inTree(writing)
    return target === undefined ? Option.none<NodeId>() : Option.some(target.id)
  })
})
