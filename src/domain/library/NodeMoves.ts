/** Where pages of the library are: which contains which, and in which order. */
import { Context, DateTime, Effect, Layer, Option } from "effect"
import { EventLog } from "../event/EventLog.ts"
import { type AccountActor, CurrentAccount } from "../shared/Actor.ts"
import type { NodeId } from "../shared/Id.ts"
import { childrenMovedMax, fieldsMax, valuesMovedMax } from "./LibraryLimits.ts"
import type { NodePosition } from "./Node.ts"
import { makeNodeAccess } from "./NodeAccess.ts"
import { makeNodeMoving } from "./NodeMoving.ts"
import { NodeInItself, NodeNotYours, TooManyChildren } from "./NodeProblems.ts"
import { makeNodeRemoval, moved } from "./NodeRemoval.ts"
import type { NodeState } from "./NodeRules.ts"
import { type Child, NodeStore } from "./NodeStore.ts"
import { decideFieldRight } from "./PropertyRules.ts"
import { PropertyStore } from "./PropertyStore.ts"
import { checkSibling, decideSpot, mayRelate, type Spot } from "./TreeRules.ts"

const make = Effect.gen(function* () {
  const nodes = yield* NodeStore
  const removal = yield* makeNodeRemoval
  const events = yield* EventLog
  const moving = yield* makeNodeMoving
  const properties = yield* PropertyStore
  const { getForUpdate, getOwn, meet } = yield* makeNodeAccess

  /** Two pages of which the caller may put one into the other, and take it out. */
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
      const pages = yield* moving.move(child, parent, right, { _tag: "Last" }, yield* DateTime.now)
      yield* events.append(found.actor.accountId, ...pages.map(moved))
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
      // The top level takes pages of any visibility, any depth and with any fields: each page has its own there.
      const pages = yield* moving.move(child, undefined, "own", { _tag: "Last" }, yield* DateTime.now).pipe(
        Effect.catchTags({
          NodeTooDeep: Effect.die,
          NodeVisibilitiesDiffer: Effect.die,
          TooManyPropertyFields: Effect.die
        })
      )
      yield* events.append(actor.accountId, ...pages.map(moved))
    })
    yield* moving.inTree(writing)
    return found.id
  })

  /** The sibling that a spot names has to be where the page goes. */
  const checkSpot = Effect.fnUntraced(function* (spot: Spot, parent: NodeId | undefined) {
    if (spot._tag === "Last") return
    yield* Effect.fromResult(checkSibling(yield* getForUpdate(spot.sibling), parent))
  })

  /** Answers the id of the page. */
  const place = Effect.fn("NodeMoves.place")(function* (mark: string, position: NodePosition) {
    const { actor, node: found } = yield* getOwn(mark)
    const spot = yield* Effect.fromResult(decideSpot(found.id, position))
    const named = typeof position.parent === "string" ? yield* meet(position.parent, actor) : undefined
    const writing = Effect.gen(function* () {
      const node = yield* getForUpdate(found.id)
      const id = position.parent === undefined ? node.parentId : named?.id
      const parent = id === undefined ? undefined : yield* getForUpdate(id)
      // In an exchange the parent is at the top level when the page arrives, which its children do not notice.
      yield* checkSpot(spot, parent?.id)
      const right = decideFieldRight(parent, actor)
      const pages = yield* moving.move(node, parent, right, spot, yield* DateTime.now)
      yield* events.append(actor.accountId, ...pages.map(moved))
    })
    yield* moving.inTree(writing)
    return found.id
  })

  /** Where the pages go that a deleted one contains. */
  const getTarget = Effect.fnUntraced(function* (
    node: NodeState,
    mark: string | undefined,
    actor: AccountActor
  ) {
    if (mark === undefined) return undefined
    const target = yield* meet(mark, actor)
    return target.id === node.id ? yield* new NodeInItself() : target
  })

  /** Pages that come to the top level get fields of their own, of which a table of many would need very many. */
  const checkValues = Effect.fnUntraced(function* (children: ReadonlyArray<Child>) {
    if (children.length * fieldsMax <= valuesMovedMax) return
    if ((yield* properties.countValues(children.map(({ id }) => id))) > valuesMovedMax) {
      return yield* new TooManyChildren({ metadata: { maximum: valuesMovedMax } })
    }
  })

  /** Deletes a page; those that it contains move. Answers the id of the page where they are, if it is not the top level. */
  const remove = Effect.fn("NodeMoves.remove")(function* (mark: string, targetMark: string | undefined) {
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

  return { addChild, removeChild, place, remove } as const
})

export class NodeMoves extends Context.Service<NodeMoves, Effect.Success<typeof make>>()(
  "forum/domain/NodeMoves"
) {
  static readonly layer = Layer.effect(NodeMoves, make)
}
