/** What searches are made of: the beginnings of words in titles, and short pieces of texts without spaces. Pure. */

// Of scripts that are written without spaces, or whose single letters are words.
const ideographic = "\\p{scx=Han}\\p{scx=Hira}\\p{scx=Kana}\\p{scx=Hang}\\p{scx=Bopo}"
const ideographs = new RegExp(`[${ideographic}]+`, "gu")

// A word begins after a space or a sign, and at each ideograph, whatever is before it.
const begins = new RegExp(`[${ideographic}]|(?<![\\p{L}\\p{M}\\p{N}])[\\p{L}\\p{N}]|(?<![^ ])[^ ]`, "gu")

// Long enough to tell titles apart.
const beginningLength = 32

/** The beginning of a text, as long as the beginnings that are stored. */
export const beginningOf = (text: string): string =>
  // A character has two units at most.
  Array.from(text.slice(0, 2 * beginningLength))
    .slice(0, beginningLength)
    .join("")

/** Where the words of a title begin. */
export const startsOf = (title: string): ReadonlyArray<number> =>
  Array.from(title.matchAll(begins), ({ index }) => index)

/** The beginnings of a title from each of its words on: what is typed matches if one of them begins with it. */
export const beginningsOf = (title: string): ReadonlyArray<string> => [
  ...new Set(startsOf(title).map((start) => beginningOf(title.slice(start, start + 2 * beginningLength))))
]

// More than the longest text that may be published has, and few enough for one value in the database.
const piecesMax = 100_000

const printable = /^[ -~]*$/

/** The pieces of a text: each ideograph with the one after it, the last of a run alone. */
export const piecesOf = (text: string): ReadonlyArray<string> => {
  // To look for ideographs takes far longer.
  if (printable.test(text)) return []
  const pieces = new Set<string>()
  for (const [run] of text.matchAll(ideographs)) {
    const characters = Array.from(run)
    for (const [place, character] of characters.entries()) {
      if (pieces.size >= piecesMax) return [...pieces]
      pieces.add(`${character}${characters[place + 1] ?? ""}`)
    }
  }
  return [...pieces]
}

/** A piece, or the beginning of one. */
export interface SoughtPiece {
  readonly text: string
  readonly isBeginning: boolean
}

/** The pieces that every text with this term has; of a single ideograph those that begin with it. */
export const piecesIn = (term: string): ReadonlyArray<SoughtPiece> =>
  Array.from(term.matchAll(ideographs)).flatMap(([run]): ReadonlyArray<SoughtPiece> => {
    const characters = Array.from(run)
    if (characters.length === 1) return [{ text: run, isBeginning: true }]
    return characters
      .slice(1)
      .map((next, place) => ({ text: `${characters[place]}${next}`, isBeginning: false }))
  })
