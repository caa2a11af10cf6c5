/** Names in addresses. */

/**
 * The slug of any text: letters, marks and digits of every script stay, every run
 * of other characters becomes one hyphen, and default-ignorable characters are left out.
 * Text without letters and digits has the slug "".
 */
export const slugify = (text: string): string => {
  const hyphenated = text
    .trim()
    .normalize("NFKC")
    // Some are letters or marks, and yet nobody sees them.
    .replace(/\p{DI}/gu, "")
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

// What patterns of every language can say of it: which characters of ASCII it has none of, and that it begins and ends with none.
const part = "[^\\x00-/:-`{-\\x7f\\s]+"

/** A pattern that every slug fits. */
export const slugPattern = `^${part}([_-]+${part})*$`

/**
 * The slug of any text with at most this many characters, cut between words; a word that is longer is
 * itself cut. Compatibility characters can make a slug eighteen times as long as the text.
 */
export const slugWithin = (text: string, characters: number): string => {
  const slug = slugify(text)
  const all = Array.from(slug)
  if (all.length <= characters) return slug
  const cut = all.slice(0, characters)
  const end = all[characters] === "-" ? characters : cut.lastIndexOf("-")
  return slugify(cut.slice(0, end > 0 ? end : characters).join(""))
}

/** The slug, with a suffix if it is one of these words, which mean something else where it would stand. */
export const slugBeside = (slug: string, words: ReadonlyArray<string>): string =>
  words.includes(slug) ? `${slug}-1` : slug
