/** Names in addresses: slugs and handles. */

const handleBytesMax = 30

/**
 * The slug of any text: letters, marks and digits of every script stay, every run
 * of other characters becomes one hyphen. Text without letters and digits has the slug "".
 */
export const slugify = (text: string): string => {
  const hyphenated = text
    .trim()
    .normalize("NFKC")
    .toLowerCase()
    // Lower case can undo the normal form (İ with further marks), and slugify has to be idempotent.
    .normalize("NFKC")
    .replace(/[^\p{L}\p{M}\p{N}_-]+/gu, "-")
    .replace(/-{2,}/g, "-")
  return trimSeparators(hyphenated)
}

/** A loop, because a pattern anchored at the end takes quadratic time on long runs of separators. */
const trimSeparators = (text: string): string => {
  const isSeparator = (index: number) => text[index] === "-" || text[index] === "_"
  let start = 0
  let end = text.length
  while (start < end && isSeparator(start)) start++
  while (end > start && isSeparator(end - 1)) end--
  return text.slice(start, end)
}

/** Whether a text is its own slug. The empty text is none: no address can contain it. */
export const isSlug = (text: string): boolean => text !== "" && slugify(text) === text

export type HandleRule = "empty" | "too_long" | "characters"

/** The rule for handles that a text breaks, if any. Upper case letters break one, so normalise the text first. */
export const brokenHandleRule = (text: string): HandleRule | undefined => {
  if (text === "") return "empty"
  if (new TextEncoder().encode(text).length > handleBytesMax) return "too_long"
  return isSlug(text) ? undefined : "characters"
}
