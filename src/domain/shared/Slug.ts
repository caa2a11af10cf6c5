/** Names that stand in addresses (contract: content 0.4, identity 5.4). */

const handleBytesMax = 30

/**
 * The slug of any text: letters, marks and digits of every script stay, runs of
 * anything else become one hyphen. Text without letters and digits has the slug "".
 */
export const slugify = (text: string): string => {
  const hyphenated = text
    .trim()
    .normalize("NFKC")
    .toLowerCase()
    // Lower case can undo the normal form (İ with further marks); a slug has to be its own slug.
    .normalize("NFKC")
    .replace(/[^\p{L}\p{M}\p{N}_-]+/gu, "-")
    .replace(/-{2,}/g, "-")
  return trimSeparators(hyphenated)
}

/** A loop, as a pattern anchored at the end takes quadratic time on long runs of separators. */
const trimSeparators = (text: string): string => {
  const isSeparator = (index: number) => text[index] === "-" || text[index] === "_"
  let start = 0
  let end = text.length
  while (start < end && isSeparator(start)) start++
  while (end > start && isSeparator(end - 1)) end--
  return text.slice(start, end)
}

/** Whether a text is its own slug; the empty text, which no address can name, is not one. */
export const isSlug = (text: string): boolean => text !== "" && slugify(text) === text

export type HandleRule = "empty" | "too_long" | "characters"

/** Which rule for handles a text breaks, if any. Letters must be in lower case already. */
export const brokenHandleRule = (text: string): HandleRule | undefined => {
  if (text === "") return "empty"
  if (new TextEncoder().encode(text).length > handleBytesMax) return "too_long"
  return isSlug(text) ? undefined : "characters"
}
