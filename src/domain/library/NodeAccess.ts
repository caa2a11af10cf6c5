/** Finding the node that an operation changes, for those who may. */
import { Effect, Option } from "effect"
import { type AccountActor, CurrentAccount } from "../shared/Actor.ts"
import type { NodeId } from "../shared/Id.ts"
import { NodeNotFound } from "./Node.ts"
import { checkMayChange, mayMeet, type NodeState } from "./NodeRules.ts"
import { NodeStore } from "./NodeStore.ts"

export const nodeNotFound = (mark: string) => new NodeNotFound({ metadata: { node_slug: mark } })

/** A node and who changes it. */
export interface Owned {
  readonly actor: AccountActor
  readonly node: NodeState
}

export const makeNodeAccess = Effect.gen(function* () {
  const nodes = yield* NodeStore

  const get = Effect.fnUntraced(function* (mark: string) {
    const found = yield* nodes.find(mark)
    return Option.isNone(found) ? yield* nodeNotFound(mark) : found.value
  })

  /** A node that an answer would show, of which the caller may know. */
  const meet = Effect.fnUntraced(function* (mark: string, actor: AccountActor) {
    const node = yield* get(mark)
    return mayMeet(node, actor) ? node : yield* nodeNotFound(mark)
  })

  /** A node that was found before, locked until the transaction ends. */
  const getForUpdate = Effect.fnUntraced(function* (id: NodeId) {
    const found = Option.getOrUndefined(yield* nodes.findForUpdate(id))
    // It may have been deleted, and another node may have its id as a slug.
    return found?.id === id ? found : yield* nodeNotFound(id)
  })

  /** The node if the caller may change it: asked before anything is locked or fetched. */
  const getOwn = Effect.fnUntraced(function* (mark: string) {
    const actor = yield* CurrentAccount
    const node = yield* get(mark)
    yield* Effect.fromResult(checkMayChange(node, actor))
    return { actor, node } satisfies Owned
  })

  return { getForUpdate, getOwn, meet } as const
})
