const limit = 128
const shortest = 64

const graphemes = new Intl.Segmenter()

/** Code units that hold the first `count` characters; a character is a Unicode code point. */
const unitsOf = (text: string, count: number): number => {
  let units = 0
  for (let n = 0; n < count && units < text.length; n++)
    units += (text.codePointAt(units) ?? 0) > 0xffff ? 2 : 1
  return units
}

/** Where to cut: at the last punctuation or space, else between two grapheme clusters. */
const cutOf = (text: string, lower: number, upper: number): number => {
  const candidates = text.slice(lower, unitsOf(text, limit + 1)).matchAll(/[\p{P}\s]/gu)
  const last = [...candidates].at(-1)
  if (last !== undefined) return lower + last.index
  const boundary = graphemes.segment(text.slice(0, 4 * upper)).containing(upper)?.index ?? upper
  return boundary > lower ? boundary : upper
}

/**
 * The beginning of a text: one line of at most 128 characters.
 * A longer text is cut at the end of a word, but not below 64 characters, and followed by dots.
 */
export const shorten = (text: string): string => {
  const line = text.replace(/\s+/g, " ").trim()
  const upper = unitsOf(line, limit)
  if (upper === line.length) return line
  const kept = line.slice(0, cutOf(line, unitsOf(line, shortest), upper))
  return `${kept.replace(/[\p{P}\s]+$/u, "")}...`
}
