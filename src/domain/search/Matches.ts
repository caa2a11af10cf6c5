/** Which titles fit best to what is being typed. Pure. */
import { searchForm } from "../text/SearchText.ts"
import { startsOf } from "../text/Terms.ts"

/** Most suggestions that are shown. */
export const matchesMax = 20

// More words than anybody types into a box that suggests titles.
const tokensMax = 8

/** What is being typed. */
export interface Typed {
  /** All that is typed, in the form of titles. */
  readonly phrase: string
  /** The words of the phrase, each once. */
  readonly tokens: ReadonlyArray<string>
}

export const typed = (q: string): Typed => {
  const phrase = searchForm(q).trim()
  const tokens = phrase.split(" ").filter((token) => token !== "")
  return { phrase, tokens: [...new Set(tokens)].slice(0, tokensMax) }
}

/** Something with a title. */
export interface Titled<Id extends string> {
  readonly id: Id
  /** The title, in the form of `searchForm`. */
  readonly title: string
}

const endsWord = /^(?:$|[^\p{L}\p{M}\p{N}])/u

type Score = readonly [words: number, wholeWords: number, beginning: number]

/** How many of the typed words a title has, how many of these are whole, and whether it begins with all that is typed. */
const scoreOf = (title: string, { phrase, tokens }: Typed): Score => {
  const starts = startsOf(title)
  let words = 0
  let wholeWords = 0
  for (const token of tokens) {
    const places = starts.filter((start) => title.startsWith(token, start))
    if (places.length > 0) words++
    if (places.some((start) => endsWord.test(title.slice(start + token.length, start + token.length + 2)))) {
      wholeWords++
    }
  }
  const begins = title === phrase ? 2 : title.startsWith(phrase) ? 1 : 0
  return [words, wholeWords, begins]
}

const compare = (a: Score, b: Score) => b[0] - a[0] || b[1] - a[1] || b[2] - a[2]

/** The best of these, best first; of equal ones the newest, whose ids are greater. */
export const bestOf = <Id extends string>(
  candidates: ReadonlyArray<Titled<Id>>,
  what: Typed
): ReadonlyArray<Id> =>
  candidates
    .map(({ id, title }) => ({ id, score: scoreOf(title, what) }))
    .filter(({ score: [words] }) => words > 0)
    .sort((a, b) => compare(a.score, b.score) || (a.id < b.id ? 1 : -1))
    .slice(0, matchesMax)
    .map(({ id }) => id)
