/** The text of a stored document, which is written in one way: attributes in quotes, few characters escaped. Pure. */
import type { RichText } from "./RichText.ts"

const entities: ReadonlyMap<string, string> = new Map([
  ["&amp;", "&"],
  ["&lt;", "<"],
  ["&gt;", ">"],
  ["&nbsp;", "\u00a0"]
])

/** The text without markup, with `instead` of each tag. Far faster than parsing, which only unknown markup needs. */
export const textOf = (document: RichText, instead: (element: string) => string): string =>
  document
    // A line break at the beginning of preformatted text does not belong to it.
    .replace(/(<pre(?:[^>"]|"[^"]*")*>)\n/g, "$1")
    .replace(/<\/?([a-z0-9]+)(?:[^>"]|"[^"]*")*>/g, (_, element: string) => instead(element))
    .replace(/&(?:amp|lt|gt|nbsp);/g, (entity) => entities.get(entity) ?? "")

/** The length of a plain text in bytes, which is what limits count. */
export const textLength = (plaintext: string): number => new TextEncoder().encode(plaintext).length

export const textLengthOf = (document: RichText): number => textLength(textOf(document, () => ""))
