/** How the parts of posts and of nodes share the room of an answer that shows both. Pure. */
import { partsShown } from "../answer/AnswerRoom.ts"
import { nodePartNames } from "../library/NodeOmission.ts"

/** What parts of a post or node take, in the order of its kind. */
export interface Sized {
  readonly kind: "post" | "node"
  readonly sizes: ReadonlyArray<number>
}

export interface ShownParts {
  /** How many parts are shown, in the order of the kind. */
  readonly parts: number
  readonly isWhole: boolean
}

/** The sizes of the parts in the order of a node; the reactions of a post stand where nodes have their tags. */
const asOfPage = ({ kind, sizes }: Sized): ReadonlyArray<number> => {
  if (kind === "node") return sizes
  const [meta = 0, reacts = 0, text = 0] = sizes
  return [0, meta, reacts, 0, text]
}

const postPartsOf: ReadonlyArray<number> = [0, 0, 1, 2, 2, 3]

/** How many parts each of these shows if there is so much room for all parts. */
export const partsOfAll = (items: ReadonlyArray<Sized>, available: number): ReadonlyArray<ShownParts> =>
  partsShown(items.map(asOfPage), available).map((shown, place) => ({
    parts: items[place]?.kind === "node" ? shown : (postPartsOf[shown] ?? 0),
    isWhole: shown === nodePartNames.length
  }))
