/** How much of its items a collection shows, so that its text stays within about 2 MiB. Pure. */
import type { ProfileReference } from "../account/Profile.ts"
import { shortened } from "../thread/Excerpt.ts"
import { budget, fitting } from "../thread/PageBudget.ts"
import type { Post } from "../thread/Post.ts"
import type { StoredItem } from "./CollectionStore.ts"

/** About how many bytes an item takes however little of it is shown: the longest title, and its author twice. */
const briefWeight = 3400

/** What an item takes in full beyond that. */
const extraWeight = ({ author, weight }: Pick<StoredItem, "author" | "weight">) =>
  Math.max(0, weight + 2 * (author.signature?.length ?? 0) - briefWeight)

/** Of these items those that are shown in full, beside all others in brief. */
export const shownInFull = <Item extends Pick<StoredItem, "author" | "weight">>(
  items: ReadonlyArray<Item>
): ReadonlyArray<Item> => fitting(items, extraWeight, budget - items.length * briefWeight)

const unsigned = ({ signature: _, ...person }: ProfileReference): ProfileReference => person

/** A post of which only the beginning is shown, and nothing that may be long. */
export const brief = (post: Post): Post => ({
  ...shortened(post),
  author: unsigned(post.author),
  meta: {}
})
