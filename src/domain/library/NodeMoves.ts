/** Where nodes of the library are: which contains which, and in which order. */
import { Context, DateTime, Effect, Layer } from "effect"
import { EventLog } from "../event/EventLog.ts"
import { CurrentAccount } from "../shared/Actor.ts"
import type { NodeId } from "../shared/Id.ts"
import type { NodePosition } from "./Node.ts"
import { makeNodeAccess } from "./NodeAccess.ts"
import { makeNodeDeletion } from "./NodeDeletion.ts"
import { updatedEvent } from "./NodeEvents.ts"
import { makeNodeMoving } from "./NodeMoving.ts"
import { NodeInItself, NodeNotYours } from "./NodeProblems.ts"
import { decideFieldRight } from "./PropertyRules.ts"
import { checkSibling, decideSpot, mayRelate, type Spot } from "./TreeRules.ts"

/** Puts nodes into others, and takes them out. */
const makeChildMoves = Effect.gen(function* () {
  const events = yield* EventLog
  const moving = yield* makeNodeMoving
  const { getForUpdate, meet } = yield* makeNodeAccess

  /** Two nodes of which the caller may put one into the other, and take it out. */
  const getRelated = Effect.fnUntraced(function* (parentMark: string, childMark: string) {
    const actor = yield* CurrentAccount
    const parent = yield* meet(parentMark, actor)
    const child = yield* meet(childMark, actor)
    if (!mayRelate(parent, child, actor)) return yield* new NodeNotYours()
    if (parent.id === child.id) return yield* new NodeInItself()
    return { actor, parent, child }
  })

  /** Answers the id of the parent. */
  const addChild = Effect.fn("NodeMoves.addChild")(function* (parentMark: string, childMark: string) {
    const found = yield* getRelated(parentMark, childMark)
    const writing = Effect.gen(function* () {
      const child = yield* getForUpdate(found.child.id)
      const parent = yield* getForUpdate(found.parent.id)
      const right = decideFieldRight(parent, found.actor)
      const nodes = yield* moving.move(child, parent, right, { _tag: "Last" }, yield* DateTime.now)
      yield* events.append(found.actor.accountId, ...nodes.map(updatedEvent))
    })
    yield* moving.inTree(writing)
    return found.parent.id
  })

  /** Answers the id of the child. */
  const removeChild = Effect.fn("NodeMoves.removeChild")(function* (parentMark: string, childMark: string) {
    const { actor, child: found, parent } = yield* getRelated(parentMark, childMark)
    const writing = Effect.gen(function* () {
      const child = yield* getForUpdate(found.id)
      if (child.parentId !== parent.id) return
      // The top level takes nodes of any visibility, any depth and with any fields: each node has its own there.
      const nodes = yield* moving.move(child, undefined, "own", { _tag: "Last" }, yield* DateTime.now).pipe(
        Effect.catchTags({
          NodeTooDeep: Effect.die,
          NodeVisibilitiesDiffer: Effect.die,
          TooManyPropertyFields: Effect.die
        })
      )
      yield* events.append(actor.accountId, ...nodes.map(updatedEvent))
    })
    yield* moving.inTree(writing)
    return found.id
  })

  return { addChild, removeChild } as const
})

/** Puts nodes next to others. */
const makePlacing = Effect.gen(function* () {
  const events = yield* EventLog
  const moving = yield* makeNodeMoving
  const { getForUpdate, getOwn, meet } = yield* makeNodeAccess

  /** The sibling that a spot names has to be where the node goes. */
  const checkSpot = Effect.fnUntraced(function* (spot: Spot, parent: NodeId | undefined) {
    if (spot._tag === "Last") return
    yield* Effect.fromResult(checkSibling(yield* getForUpdate(spot.sibling), parent))
  })

  /** Answers the id of the node. */
  return Effect.fn("NodeMoves.place")(function* (mark: string, position: NodePosition) {
    const { actor, node: found } = yield* getOwn(mark)
    const spot = yield* Effect.fromResult(decideSpot(found.id, position))
    const named = typeof position.parent === "string" ? yield* meet(position.parent, actor) : undefined
    const writing = Effect.gen(function* () {
      const node = yield* getForUpdate(found.id)
      const id = position.parent === undefined ? node.parentId : named?.id
      const parent = id === undefined ? undefined : yield* getForUpdate(id)
      // In an exchange the parent is at the top level when the node arrives, which its children do not notice.
      yield* checkSpot(spot, parent?.id)
      const right = decideFieldRight(parent, actor)
      const nodes = yield* moving.move(node, parent, right, spot, yield* DateTime.now)
      yield* events.append(actor.accountId, ...nodes.map(updatedEvent))
    })
    yield* moving.inTree(writing)
    return found.id
  })
})

const make = Effect.gen(function* () {
  return { ...(yield* makeChildMoves), place: yield* makePlacing, remove: yield* makeNodeDeletion } as const
})

export class NodeMoves extends Context.Service<NodeMoves, Effect.Success<typeof make>>()(
  "forum/domain/NodeMoves"
) {
  static readonly layer = Layer.effect(NodeMoves, make)
}
