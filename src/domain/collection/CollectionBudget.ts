/** How much a collection shows of its items, all of which it shows in one answer. Pure. */
import type { ProfileReference } from "../account/Profile.ts"
import { room } from "../answer/AnswerRoom.ts"
import { partsOfAll, type ShownParts } from "../datagraph/SharedRoom.ts"
import type { StoredItem } from "./CollectionStore.ts"

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
