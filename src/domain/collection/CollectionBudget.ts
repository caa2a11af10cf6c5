/** How much of its items a collection shows, so that its text stays within about 2 MiB. Pure. */
import type { ProfileReference } from "../account/Profile.ts"
import type { Node } from "../library/Node.ts"
import { shortenedNode } from "../library/NodeExcerpt.ts"
import { shortened } from "../thread/Excerpt.ts"
import { budget, fitting } from "../thread/PageBudget.ts"
import type { Post } from "../thread/Post.ts"
import type { StoredItem } from "./CollectionStore.ts"

/** About how many bytes an item takes however little of it is shown: the longest title, and its maker twice. */
const briefWeight = 3400

/** What an item takes in full beyond that. */
const extraWeight = ({ maker, weight }: Pick<StoredItem, "maker" | "weight">) =>
  Math.max(0, weight + 2 * (maker.signature?.length ?? 0) - briefWeight)

/** Of these items those that are shown in full, beside all others in brief. */
export const shownInFull = <Item extends Pick<StoredItem, "maker" | "weight">>(
  items: ReadonlyArray<Item>
): ReadonlyArray<Item> => fitting(items, extraWeight, budget - items.length * briefWeight)

const unsigned = ({ signature: _, ...person }: ProfileReference): ProfileReference => person

// As long as descriptions of posts can be.
const beginningLength = 256

/** A page of which only the beginning is shown, and nothing that may be long. */
export const briefNode = (node: Node): Node => {
  const { primary_image: _, ...shown } = shortenedNode(node)
  return {
    ...shown,
    description: Array.from(node.description).slice(0, beginningLength).join(""),
    owner: unsigned(node.owner)
  }
}

/** A post likewise. */
export const briefPost = (post: Post): Post => ({
  ...shortened(post),
  author: unsigned(post.author),
  meta: {}
})
