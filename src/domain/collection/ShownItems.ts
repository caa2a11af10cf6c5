/** The items of a collection as a viewer sees them. */

import { Effect } from "effect"
import type { ProfileReference } from "../account/Profile.ts"
import { room } from "../answer/AnswerRoom.ts"
import { DatagraphItems } from "../datagraph/DatagraphItems.ts"
import { partsOfAll, type ShownParts } from "../datagraph/SharedRoom.ts"
import type { NodeInPart } from "../library/Node.ts"
import type { Actor } from "../shared/Actor.ts"
import type { PostInPart } from "../thread/Post.ts"
import type { ItemState } from "./Collectable.ts"
import type { Collection, CollectionItem } from "./Collection.ts"
import { mayShow } from "./CollectionRules.ts"
import { CollectionStore, type StoredItem } from "./CollectionStore.ts"

/** About how many bytes an item takes at least: the longest title, and its maker twice. */
const briefSize = 3400

type Sized = Pick<StoredItem, "maker" | "sizes" | "item">

/** Adds the signature of the maker to the size of the texts, beside which it is shown. */
const withSignature = ({ item, maker, sizes }: Sized) => {
  const signed = 2 * (maker.signature?.length ?? 0)
  return { kind: item.kind, sizes: [...sizes.slice(0, -1), (sizes.at(-1) ?? 0) + signed] }
}

/** How much of each of these items is shown. */
export const itemParts = (items: ReadonlyArray<Sized>): ReadonlyArray<ShownParts> =>
  partsOfAll(items.map(withSignature), room - items.length * briefSize)

export const unsigned = ({ signature: _, ...person }: ProfileReference): ProfileReference => person

const membershipOf = ({ addedAt, type }: StoredItem) => ({ added_at: addedAt, membership_type: type })

const postItem = (stored: StoredItem, ref: PostInPart): CollectionItem => ({
  id: ref.id,
  createdAt: ref.createdAt,
  updatedAt: ref.updatedAt,
  misc: ref.misc,
  owner: ref.author,
  ...membershipOf(stored),
  item: { kind: "post", ref }
})

const nodeItem = (stored: StoredItem, ref: NodeInPart): CollectionItem => ({
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
    const parts = itemParts(stored)
    const partsOf = (place: number) => parts[place] ?? { parts: 0, isWhole: false }
    const byId = new Map<string, StoredItem>(stored.map((one) => [one.item.state.id, one]))
    /** Whether the item may still be shown: it may have been hidden since. */
    const isShown = (item: ItemState) => {
      const one = byId.get(item.state.id)
      return one !== undefined && mayShow(owned, one, item, actor)
    }
    const [posts, nodes] = yield* Effect.all(
      [
        datagraph.postsInPart(
          stored.flatMap(({ item }, place) =>
            item.kind === "post" ? [{ id: item.state.id, parts: partsOf(place).parts }] : []
          ),
          actor,
          (state) => isShown({ kind: "post", state })
        ),
        datagraph.nodesInPart(
          stored.flatMap(({ item }, place) =>
            item.kind === "node" ? [{ id: item.state.id, parts: partsOf(place).parts }] : []
          ),
          (id, standing) => isShown({ kind: "node", state: { id, ...standing } })
        )
      ],
      { concurrency: "unbounded" }
    )
    return stored.flatMap((one, place): ReadonlyArray<CollectionItem> => {
      const { isWhole } = partsOf(place)
      if (one.item.kind === "node") {
        const node = nodes.get(one.item.state.id)
        if (node === undefined) return []
        return [nodeItem(one, isWhole ? node : { ...node, owner: unsigned(node.owner) })]
      }
      const post = posts.get(one.item.state.id)
      if (post === undefined) return []
      return [postItem(one, isWhole ? post : { ...post, author: unsigned(post.author) })]
    })
  })
})
