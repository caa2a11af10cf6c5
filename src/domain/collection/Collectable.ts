/** What collections may contain: posts and nodes of the library, as far as the rules depend on them. Pure. */

import type { NodeState } from "../library/NodeRules.ts"
import * as NodeRules from "../library/NodeRules.ts"
import { type Actor, holds } from "../shared/Actor.ts"
import type { AccountId, NodeId, PostId } from "../shared/Id.ts"
import type { PostState } from "../thread/PostVisibility.ts"
import * as ThreadRules from "../thread/ThreadRules.ts"

/** Which item it is. */
export type ItemRef =
  | { readonly kind: "post"; readonly id: PostId }
  | { readonly kind: "node"; readonly id: NodeId }

export type PostItemState = { readonly kind: "post"; readonly state: PostState }
export type NodeItemState = {
  readonly kind: "node"
  readonly state: Pick<NodeState, "id" | "ownerId" | "visibility">
}

/** An item, whose it is, and how visible it is. */
export type ItemState = PostItemState | NodeItemState

export const refOf = (item: ItemState): ItemRef =>
  item.kind === "post" ? { kind: "post", id: item.state.id } : { kind: "node", id: item.state.id }

/** Who wrote the post or owns the node. */
export const makerOf = (item: ItemState): AccountId =>
  item.kind === "post" ? item.state.authorId : item.state.ownerId

/** Whether somebody reads posts at all. */
export const readsPosts = (actor: Actor): boolean => holds(actor, "READ_PUBLISHED_THREADS")

/** Whether somebody reads items of its kind at all. */
export const readsKind = (item: ItemState, actor: Actor): boolean =>
  item.kind === "post" ? readsPosts(actor) : NodeRules.mayReadLibrary(actor)

/** Whether somebody who reads items of its kind may read it. */
export const isReadableBy = (item: ItemState, actor: Actor): boolean =>
  item.kind === "post" ? ThreadRules.mayReadPost(item.state, actor) : NodeRules.mayReadNode(item.state, actor)

/** Whether an account may read it without the rights of its roles. */
export const readsAsMaker = (item: ItemState, account: AccountId): boolean =>
  item.kind === "post"
    ? ThreadRules.readsAsAuthor(item.state, account)
    : NodeRules.readsAsOwner(item.state, account)

/** Whether it is shown to everyone who reads items of its kind. */
export const isReadableByAll = (item: ItemState): boolean =>
  item.kind === "post" ? ThreadRules.isReadableByAll(item.state) : NodeRules.isReadableByAll(item.state)
