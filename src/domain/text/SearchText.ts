/** What a search looks into: the text that people see, in a form in which spelling variants are equal. Pure. */

import { piecesOf, withFewMarks } from "../field/TextPieces.ts"
import { textOf } from "./DocumentText.ts"
import type { RichText } from "./RichText.ts"

// Letters that Unicode does not decompose into a base letter and a mark.
const plainLetters: ReadonlyMap<string, string> = new Map([
  ["æ", "ae"],
  ["œ", "oe"],
  ["ø", "o"],
  ["đ", "d"],
  ["ð", "d"],
  ["ħ", "h"],
  ["ł", "l"],
  ["ŧ", "t"],
  ["þ", "th"]
])

/** A text without accents. The marks of other scripts stay, as they are parts of letters there. */
const withoutAccents = (text: string) => text.normalize("NFKD").replace(/[\u0300-\u036f]/g, "")

/** A text without letter case. Upper case spells ß in full but keeps ẞ, which becomes ß first. Final sigma is sigma. */
export const caseFolded = (text: string) =>
  text.toLowerCase().toUpperCase().toLowerCase().replaceAll("ς", "σ")

const printable = /^[\x20-\x7e]*$/

/** What `searchForm` makes of a text of printable ASCII characters, in a tenth of the time. */
const printableForm = (text: string) => text.toLowerCase().replace(/ {2,}/g, " ")

/**
 * A text on one line, in the form in which texts are compared: compatibility characters, letter case, accents,
 * invisible characters and the kind and number of spaces make no difference.
 */
export const searchForm = (text: string): string =>
  printable.test(text) ? printableForm(text) : fullForm(text)

/** What to look for; a text of nothing but spaces and the like narrows nothing. */
export const searched = (q: string | undefined): string | undefined => {
  const text = searchForm(q ?? "")
  return text.trim() === "" ? undefined : text
}

const fullForm = (text: string): string =>
  withoutAccents(
    caseFolded(withoutAccents(withFewMarks(text.replace(/\p{Default_Ignorable_Code_Point}/gu, ""))))
  )
    .normalize("NFC")
    .replace(/[æœøđðħłŧþ]/g, (letter) => plainLetters.get(letter) ?? letter)
    .replace(/[\s\p{Cc}]+/gu, " ")

// No form has this letter.
const between = "ø"

/**
 * A form as it is stored and looked for: with a letter between words, so that an index of letters next to each other
 * tells which words are next to each other, too.
 */
export const searchKey = (form: string): string => form.replaceAll(" ", between)

/** The form of which this is the key. */
export const formOfKey = (key: string): string => key.replaceAll(between, " ")

// Elements within a word; all others begin something new.
const inline = new Set(
  "a abbr b bdi bdo cite code del dfn em i ins kbd mark q s samp small span strong sub sup u var wbr".split(
    " "
  )
)

// As long as the longest body. A character may become eighteen.
const longestForm = 640 * 1024

/** What people see of a body; what begins something new begins with a space. */
export const visibleText = (document: RichText): string =>
  textOf(document, (element) => (inline.has(element) ? "" : " "))

/** What is searched of a body: all, but for one that is long and has many characters that stand for several. */
export const searchFormOf = (document: RichText): string => {
  let form = ""
  for (const piece of piecesOf(visibleText(document))) {
    form += searchForm(piece)
    if (form.length >= longestForm) break
  }
  return form.replaceAll("  ", " ").trim()
}
