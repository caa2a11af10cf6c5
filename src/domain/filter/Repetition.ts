/** Whether a text says the same over and over. Pure. */

// Of a text that is compressed, about this much is left whatever it says.
const overhead = 16

/** The share of a repetitive text that is left at most once it is compressed. */
const ratio = 0.0003

const runLength = 8
const base = 0x01000193

// Takes a character out again that came in so many characters before.
const outFactor = Array.from({ length: runLength }).reduce<number>((power) => Math.imul(power, base), 1)

/** The length below which no text is repetitive. */
export const shortestRepetitive = Math.ceil(overhead / ratio)

/**
 * Whether hardly anything would be left of a text if it were compressed: nearly none of its runs of eight
 * characters are different. Of other texts it looks at the beginning only.
 */
export const isRepetitive = (text: string): boolean => {
  const most = text.length * ratio - overhead
  if (most <= 0) return false
  const runs = new Set<number>()
  let hash = 0
  for (let index = 0; index < text.length; index++) {
    hash = (Math.imul(hash, base) + text.charCodeAt(index)) | 0
    if (index >= runLength) hash = (hash - Math.imul(text.charCodeAt(index - runLength), outFactor)) | 0
    if (index >= runLength - 1) runs.add(hash)
    if (runs.size > most) return false
  }
  return true
}
