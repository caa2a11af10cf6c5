/** Finding the versions that an operation changes, with their node, for those who may. */
import { Effect, Option } from "effect"
import { type AccountActor, CurrentAccount } from "../shared/Actor.ts"
import type { NodeId, NodeVersionId } from "../shared/Id.ts"
import { Transaction, WriteQueue } from "../storage/Transaction.ts"
import { NodeNotFound } from "./Node.ts"
import type { NodeState } from "./NodeRules.ts"
import { NodeStore } from "./NodeStore.ts"
import { NodeVersionApplied, NodeVersionNotFound } from "./NodeVersion.ts"
import {
  decideDraftChange,
  mayReach,
  type Reach,
  type VersionDecision,
  type VersionStanding
} from "./VersionRules.ts"
import { type VersionMark, VersionStore } from "./VersionStore.ts"

export const versionNotFound = (nodeMark: string, mark: VersionMark) =>
  new NodeVersionNotFound({ metadata: { node_slug: nodeMark, version_id: mark } })

/** A node that is locked, and who changes a version of it. */
export interface Locked {
  readonly actor: AccountActor
  readonly node: NodeState
}

export const makeVersionAccess = Effect.gen(function* () {
  const nodes = yield* NodeStore
  const versions = yield* VersionStore
  const transaction = yield* Transaction
  const queue = yield* WriteQueue

  const reached = Effect.fnUntraced(function* (mark: string, found: Option.Option<NodeState>, may: Reach) {
    const actor = yield* CurrentAccount
    if (Option.isSome(found) && may(found.value, actor)) return { actor, node: found.value }
    return yield* new NodeNotFound({ metadata: { node_slug: mark } })
  })

  /** The node that a mark names, if the caller may know of it. */
  const getNode = Effect.fnUntraced(function* (mark: string, may: Reach = mayReach) {
    return yield* reached(mark, yield* nodes.find(mark), may)
  })

  /** Locks the node until the transaction ends, then reads it as `getNode` does. */
  const getNodeForUpdate = Effect.fnUntraced(function* (mark: string, id: NodeId, may: Reach = mayReach) {
    return yield* reached(mark, yield* nodes.findForUpdate(id), may)
  })

  /** Writes what becomes of a node and its versions, which are locked. */
  const writing = <A, E, R>(
    mark: string,
    id: NodeId,
    write: (locked: Locked) => Effect.Effect<A, E, R>,
    may: Reach = mayReach
  ) => queue(id, transaction(Effect.flatMap(getNodeForUpdate(mark, id, may), write)))

  /** The draft of a node, if the caller may see it. */
  const draftOf = Effect.fnUntraced(function* (mark: string, { actor, node }: Locked) {
    const draft = Option.getOrUndefined(yield* versions.findState(node.id, "draft"))
    if (draft === undefined || decideDraftChange(draft, actor) !== "allowed") {
      return yield* versionNotFound(mark, "draft")
    }
    return draft
  })

  /** The version with this id, if what is decided of it is that the caller may do this. */
  const permitted = Effect.fnUntraced(function* (
    mark: string,
    id: NodeVersionId,
    { actor, node }: Locked,
    decide: (version: VersionStanding, actor: AccountActor) => VersionDecision
  ) {
    const version = Option.getOrUndefined(yield* versions.findState(node.id, id))
    if (version === undefined) return yield* versionNotFound(mark, id)
    const decision = decide(version, actor)
    if (decision === "unknown") return yield* versionNotFound(mark, id)
    if (decision === "applied") return yield* new NodeVersionApplied({ metadata: { version_id: id } })
    return version
  })

  /** A version that was just written; it may have been deleted since. */
  const shown = Effect.fnUntraced(function* (mark: string, nodeId: NodeId, id: NodeVersionId) {
    const found = yield* versions.find(nodeId, id)
    return Option.isNone(found) ? yield* versionNotFound(mark, id) : found.value
  })

  return { draftOf, getNode, getNodeForUpdate, permitted, shown, writing } as const
})
