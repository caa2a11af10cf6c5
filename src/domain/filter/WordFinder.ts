/**
 * Finds words in texts: all words in one pass over the text, however many there are (Aho and Corasick, 1975).
 * Letter case, compatibility characters, invisible characters and the kind and number of spaces make no
 * difference, in words and in texts.
 */
import { Effect } from "effect"
import { withFewMarks } from "../field/TextPieces.ts"
import { caseFolded } from "../text/SearchText.ts"

const plain = /^[\x20-\x7e]*$/

/** The form in which words are looked for. Accents stay: with others, a word may be another one. */
export const comparable = (text: string): string => {
  if (plain.test(text)) return text.toLowerCase()
  const visible = withFewMarks(text.replace(/\p{Default_Ignorable_Code_Point}/gu, ""))
  return caseFolded(visible.normalize("NFKC"))
    .normalize("NFKC")
    .replace(/[\s\p{Cc}]+/gu, " ")
}

const space = 32

/** A search through one text, which may come in pieces. */
export interface Search {
  /** The first word that ends in this piece of the text, if any does. */
  readonly next: (comparablePiece: string) => string | undefined
}

/** A beginning of words: a state of the search, when the text ends with it. */
interface Beginning {
  /** What it becomes by one more character. */
  readonly longer: Map<number, Beginning>
  /** The longest other beginning that it ends with; the root has none. */
  fallback: Beginning | undefined
  /** A word that it ends with. */
  word: string | undefined
}

const newBeginning = (): Beginning => ({ longer: new Map(), fallback: undefined, word: undefined })

/** Beginnings that are made or linked before others have a turn: a few milliseconds. */
const linkedATurn = 2500

/** Words of a hundred characters that are planted before others have a turn. */
const plantedATurn = 25

const plant = (root: Beginning, form: string, word: string): void => {
  let state = root
  for (let index = 0; index < form.length; index++) {
    const code = form.charCodeAt(index)
    const longer = state.longer.get(code) ?? newBeginning()
    state.longer.set(code, longer)
    state = longer
  }
  state.word = word
}

/** The longest beginning of a word that the text ends with after this character. */
const after = (root: Beginning, state: Beginning | undefined, code: number): Beginning => {
  for (let from = state; from !== undefined; from = from.fallback) {
    const longer = from.longer.get(code)
    if (longer !== undefined) return longer
  }
  return root
}

export class WordFinder {
  private readonly root: Beginning

  private constructor(root: Beginning) {
    this.root = root
  }

  /** Makes words ready to be found, and lets other requests go on meanwhile. */
  static readonly make = Effect.fnUntraced(function* (words: ReadonlyArray<string>) {
    const root = newBeginning()
    for (const [index, word] of words.entries()) {
      if (index % plantedATurn === plantedATurn - 1) yield* Effect.yieldNow
      const form = comparable(word).trim()
      if (form !== "") plant(root, form, word)
    }
    // The shorter beginnings come first, as fallbacks are shorter.
    const linked = [root]
    for (const [index, { fallback, longer }] of linked.entries()) {
      if (index % linkedATurn === linkedATurn - 1) yield* Effect.yieldNow
      for (const [code, state] of longer) {
        state.fallback = after(root, fallback, code)
        state.word ??= state.fallback.word
        linked.push(state)
      }
    }
    return new WordFinder(root)
  })

  /** Whether there is any word to find. */
  get isEmpty(): boolean {
    return this.root.longer.size === 0
  }

  search(): Search {
    let state = this.root
    let isAfterSpace = false
    return {
      next: (piece) => {
        for (let index = 0; index < piece.length; index++) {
          const code = piece.charCodeAt(index)
          if (code === space && isAfterSpace) continue
          isAfterSpace = code === space
          state = after(this.root, state, code)
          if (state.word !== undefined) return state.word
        }
        return undefined
      }
    }
  }
}
