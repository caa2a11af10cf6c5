/** What a search looks into of nodes. Pure. */

import type { RichText } from "../text/RichText.ts"
import { searchForm, searchFormOf, searchKey } from "../text/SearchText.ts"
import { piecesOf } from "../text/Terms.ts"
import { valueLength } from "./LibraryLimits.ts"

/**
 * The form of what a node says: two lines, its content and its description, which is empty where the content has
 * it. The values of properties follow, a line each. No text that is looked for has a line break, so that nothing is
 * found across the ends of two.
 */
export const nodeTextForm = (texts: {
  readonly content: RichText | undefined
  readonly description: string
}): string => {
  const content = texts.content === undefined ? "" : searchFormOf(texts.content)
  const description = searchForm(texts.description).trim()
  return `${content}\n${content.includes(description) ? "" : description}`
}

/** The beginning of a text, without half a character at its end. */
const beginning = (text: string, length: number) =>
  text.length <= length ? text : text.slice(0, length).replace(/[\ud800-\udbff]$/, "")

/** What is searched of a value: all of it, but for one that is long and has many characters that stand for several. */
export const valueForms = (value: string) => {
  const form = beginning(searchForm(value).trim(), valueLength)
  return { search: searchKey(form), pieces: piecesOf(form).join("\n") }
}
