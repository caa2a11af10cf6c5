/**
 * Finds words in texts: all words in one pass over the text, however many there are (Aho and Corasick, 1975).
 * Letter case, compatibility characters, invisible characters and the kind and number of spaces make no
 * difference, in words and in texts. Pure.
 */

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

export class WordFinder {
  /** Whether there is any word to find. */
  readonly isEmpty: boolean
  private readonly root = newBeginning()

  constructor(words: ReadonlyArray<string>) {
    const forms = new Map(words.map((word) => [comparable(word).trim(), word]))
    forms.delete("")
    this.isEmpty = forms.size === 0
    for (const [form, word] of forms) this.plant(form, word)
    this.link()
  }

  private plant(form: string, word: string): void {
    let state = this.root
    for (let index = 0; index < form.length; index++) {
      const code = form.charCodeAt(index)
      const longer = state.longer.get(code) ?? newBeginning()
      state.longer.set(code, longer)
      state = longer
    }
    state.word = word
  }

  /** Sets fallbacks, the shorter beginnings first. */
  private link(): void {
    const linked = [this.root]
    for (const { fallback, longer } of linked) {
      for (const [code, state] of longer) {
        state.fallback = this.after(fallback, code)
        state.word ??= state.fallback.word
        linked.push(state)
      }
    }
  }

  /** The longest beginning of a word that the text ends with after this character. */
  private after(state: Beginning | undefined, code: number): Beginning {
    for (let from = state; from !== undefined; from = from.fallback) {
      const longer = from.longer.get(code)
      if (longer !== undefined) return longer
    }
    return this.root
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
          state = this.after(state, code)
          if (state.word !== undefined) return state.word
        }
        return undefined
      }
    }
  }
}
