/** How the kinds of items are found, and what is said of them: all that is particular about a kind. */
import { Effect, Option, Schema } from "effect"
import type { NewEvent } from "../event/EventLog.ts"
import { NodeNotFound } from "../library/Node.ts"
import { NodeStore } from "../library/NodeStore.ts"
import { type CollectionId, NodeId, PostId } from "../shared/Id.ts"
import { PostNotFound } from "../thread/Post.ts"
import { PostStore } from "../thread/PostStore.ts"
import type { ItemRef, ItemState } from "./Collectable.ts"

/** What happens to an item of a collection. */
export type Happening = "Added" | "Submitted" | "Accepted" | "Removed"

export interface ItemKind<NotFound> {
  /** The item that an address names, if it can be one. */
  readonly named: (id: string) => ItemRef | undefined
  readonly find: (id: string) => Effect.Effect<ItemState | undefined>
  /** The item that an address names, which stays as it is until the transaction ends. */
  readonly findForUpdate: (id: string) => Effect.Effect<ItemState | undefined>
  readonly notFound: (id: string) => NotFound
  readonly eventOf: (what: Happening, collection: CollectionId, id: string) => NewEvent
}

const isPostId = Schema.is(PostId)
const isNodeId = Schema.is(NodeId)

export const makeItemStates = Effect.gen(function* () {
  const posts = yield* PostStore
  const nodes = yield* NodeStore

  const nothing = Effect.succeed(undefined)

  const post: ItemKind<PostNotFound> = {
    named: (id) => (isPostId(id) ? { kind: "post", id } : undefined),
    find: (id) => (isPostId(id) ? Effect.map(posts.find(id), postItem) : nothing),
    findForUpdate: (id) => (isPostId(id) ? Effect.map(posts.findForUpdate(id), postItem) : nothing),
    notFound: (id) => new PostNotFound({ metadata: { post_id: id } }),
    eventOf: (what, collection, id) => ({
      _tag: `CollectionPost${what}`,
      collection_id: collection,
      post_id: PostId.make(id)
    })
  }

  const node: ItemKind<NodeNotFound> = {
    named: (id) => (isNodeId(id) ? { kind: "node", id } : undefined),
    find: (id) => (isNodeId(id) ? Effect.map(nodes.find(id), nodeItem(id)) : nothing),
    findForUpdate: (id) => (isNodeId(id) ? Effect.map(nodes.findForUpdate(id), nodeItem(id)) : nothing),
    notFound: (id) => new NodeNotFound({ metadata: { node_slug: id } }),
    eventOf: (what, collection, id) => ({
      _tag: `CollectionNode${what}`,
      collection_id: collection,
      node_id: NodeId.make(id)
    })
  }

  return { post, node } as const
})

const postItem = (found: Effect.Success<ReturnType<PostStore["Service"]["find"]>>): ItemState | undefined =>
  Option.isSome(found) ? { kind: "post", state: found.value } : undefined

/** The node with this id as an item. A node is found by its slug, too, which may look like an id. */
const nodeItem =
  (id: string) =>
  (found: Effect.Success<ReturnType<NodeStore["Service"]["find"]>>): ItemState | undefined =>
    Option.isSome(found) && found.value.id === id ? { kind: "node", state: found.value } : undefined
