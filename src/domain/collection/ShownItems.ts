/** The items of a collection as a viewer sees them. */
import { Effect } from "effect"
import { DatagraphItems } from "../datagraph/DatagraphItems.ts"
import type { Node } from "../library/Node.ts"
import type { Actor } from "../shared/Actor.ts"
import type { NodeId, PostId } from "../shared/Id.ts"
import type { Post } from "../thread/Post.ts"
import type { ItemState } from "./Collectable.ts"
import type { Collection, CollectionItem } from "./Collection.ts"
import { briefNode, briefPost, shownInFull } from "./CollectionBudget.ts"
import { mayShow } from "./CollectionRules.ts"
import { CollectionStore, type StoredItem } from "./CollectionStore.ts"

const postIdsOf = (stored: Iterable<StoredItem>): ReadonlyArray<PostId> =>
  [...stored].flatMap(({ item }) => (item.kind === "post" ? [item.state.id] : []))

const nodeIdsOf = (stored: Iterable<StoredItem>): ReadonlyArray<NodeId> =>
  [...stored].flatMap(({ item }) => (item.kind === "node" ? [item.state.id] : []))

const membershipOf = ({ addedAt, type }: StoredItem) => ({ added_at: addedAt, membership_type: type })

const postItem = (stored: StoredItem, ref: Post): CollectionItem => ({
  id: ref.id,
  createdAt: ref.createdAt,
  updatedAt: ref.updatedAt,
  misc: ref.misc,
  owner: ref.author,
  ...membershipOf(stored),
  item: { kind: "post", ref }
})

const nodeItem = (stored: StoredItem, ref: Node): CollectionItem => ({
  id: ref.id,
  createdAt: ref.createdAt,
  updatedAt: ref.updatedAt,
  misc: ref.misc,
  owner: ref.owner,
  ...membershipOf(stored),
  item: { kind: "node", ref }
})

export const makeShownItems = Effect.gen(function* () {
  const store = yield* CollectionStore
  const datagraph = yield* DatagraphItems

  /** The items of a collection that the viewer may see. */
  return Effect.fnUntraced(function* (collection: Collection, actor: Actor) {
    const owned = { ownerId: collection.owner.id }
    const stored = (yield* store.items(collection)).filter((one) => mayShow(owned, one, one.item, actor))
    const full = new Set(shownInFull(stored))
    const byId = new Map<string, StoredItem>(stored.map((one) => [one.item.state.id, one]))
    /** It may have been hidden since. */
    const isShown = (item: ItemState) => {
      const one = byId.get(item.state.id)
      return one !== undefined && mayShow(owned, one, item, actor)
    }
    const [posts, nodes] = yield* Effect.all(
      [
        datagraph.shownPosts(postIdsOf(stored), postIdsOf(full), actor, (state) =>
          isShown({ kind: "post", state })
        ),
        datagraph.shownNodes(nodeIdsOf(stored), nodeIdsOf(full), (id, standing) =>
          isShown({ kind: "node", state: { id, ...standing } })
        )
      ],
      { concurrency: "unbounded" }
    )
    return stored.flatMap((one): ReadonlyArray<CollectionItem> => {
      const isFull = full.has(one)
      if (one.item.kind === "node") {
        const node = nodes.get(one.item.state.id)
        return node === undefined ? [] : [nodeItem(one, isFull ? node : briefNode(node))]
      }
      const post = posts.get(one.item.state.id)
      return post === undefined ? [] : [postItem(one, isFull ? post : briefPost(post))]
    })
  })
})
