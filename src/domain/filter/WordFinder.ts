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

export class WordFinder {
  /** Whether there is any word to find. */
  readonly isEmpty: boolean
  private readonly words: ReadonlyArray<string>
  // The trie of all words; state 0 is its root. Steps from a state by a character are in a hash table.
  private readonly mask: number
  private readonly stepFrom: Int32Array
  private readonly stepBy: Uint16Array
  private readonly stepTo: Int32Array
  private readonly first = new Int32Array(0x1_0000)
  /** The state of the longest other beginning of a word that a state ends with. */
  private readonly fallback: Int32Array
  /** The number of a word that a state ends with, from 1. */
  private readonly found: Int32Array

  constructor(words: ReadonlyArray<string>) {
    const forms = new Map(words.map((word) => [comparable(word).trim(), word]))
    forms.delete("")
    this.words = [...forms.values()]
    this.isEmpty = forms.size === 0
    const statesMax = 1 + [...forms.keys()].reduce((sum, form) => sum + form.length, 0)
    const slots = 2 ** Math.ceil(Math.log2(2 * statesMax))
    this.mask = slots - 1
    this.stepFrom = new Int32Array(slots).fill(-1)
    this.stepBy = new Uint16Array(slots)
    this.stepTo = new Int32Array(slots)
    this.fallback = new Int32Array(statesMax)
    this.found = new Int32Array(statesMax)
    this.link(this.plant([...forms.keys()]))
  }

  private slotOf(state: number, code: number): number {
    let slot = (Math.imul(state, 0x9e3779b1) ^ Math.imul(code, 0x85ebca6b)) >>> 7
    for (slot &= this.mask; this.stepFrom[slot] !== -1; slot = (slot + 1) & this.mask) {
      if (this.stepFrom[slot] === state && this.stepBy[slot] === code) break
    }
    return slot
  }

  /** The state after this character; 0 if no word goes on with it. */
  private step(state: number, code: number): number {
    return (state === 0 ? this.first[code] : this.stepTo[this.slotOf(state, code)]) ?? 0
  }

  /** Adds the words to the trie, and answers its states by their depths. */
  private plant(forms: ReadonlyArray<string>) {
    const levels: Array<Array<{ readonly from: number; readonly code: number; readonly to: number }>> = []
    let states = 1
    for (const [index, form] of forms.entries()) {
      let state = 0
      for (let depth = 0; depth < form.length; depth++) {
        const code = form.charCodeAt(depth)
        let next = this.step(state, code)
        if (next === 0) {
          next = states++
          const slot = this.slotOf(state, code)
          this.stepFrom[slot] = state
          this.stepBy[slot] = code
          this.stepTo[slot] = next
          if (state === 0) this.first[code] = next
          levels[depth] ??= []
          levels[depth]?.push({ from: state, code, to: next })
        }
        state = next
      }
      this.found[state] = index + 1
    }
    return levels
  }

  private link(levels: ReturnType<WordFinder["plant"]>): void {
    for (const { code, from, to } of levels.flat()) {
      if (from === 0) continue
      const fallback = this.after(this.fallback[from] ?? 0, code)
      this.fallback[to] = fallback
      if (this.found[to] === 0) this.found[to] = this.found[fallback] ?? 0
    }
  }

  /** The longest beginning of a word that the text ends with after this character. */
  private after(state: number, code: number): number {
    for (let from = state; ; from = this.fallback[from] ?? 0) {
      const next = this.step(from, code)
      if (next !== 0 || from === 0) return next
    }
  }

  search(): Search {
    let state = 0
    let isAfterSpace = false
    return {
      next: (piece) => {
        for (let index = 0; index < piece.length; index++) {
          const code = piece.charCodeAt(index)
          if (code === space && isAfterSpace) continue
          isAfterSpace = code === space
          state = this.after(state, code)
          const word = this.found[state] ?? 0
          if (word !== 0) return this.words[word - 1]
        }
        return undefined
      }
    }
  }
}
