/** What keeps work on long texts short, whatever their characters. Pure. */

// Far more than any letter has. Without a limit, a normal form takes quadratic time.
const tooManyMarks = /(\p{M}{30})\p{M}+/gu

/** The text with at most 30 marks on each letter. */
export const withFewMarks = (text: string): string => text.replace(tooManyMarks, "$1")

const pieceLength = 16_384

// What belongs to the character before it: marks, and the later letters of a Korean syllable.
const joined = /^[\p{M}\u1160-\u11ff]/u

const isInside = (text: string, index: number) => {
  const code = text.charCodeAt(index)
  return (code >= 0xdc00 && code < 0xe000) || (code > 0x7f && joined.test(text.slice(index, index + 2)))
}

/** Where the piece of a text that begins here ends: not within a letter, unless that has very many marks. */
const endOfPiece = (text: string, start: number): number => {
  const longest = start + pieceLength
  if (longest >= text.length) return text.length
  let end = longest
  while (end > longest - 32 && isInside(text, end)) end--
  return end
}

/** The text in pieces that take little time each. */
export function* piecesOf(text: string): Generator<string> {
  for (let start = 0; start < text.length; ) {
    const end = endOfPiece(text, start)
    yield text.slice(start, end)
    start = end
  }
}
