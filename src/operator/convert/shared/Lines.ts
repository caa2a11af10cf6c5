/** Lines of any length, of which no more than a bound is held. */
import { lineFeed } from "../../shared/lineFeeds.ts"

/** The longest line that is read; what is longer is passed over. */
export const lineMax = 16 * 1024 * 1024

/** A line without its end; none stands for one that was too long. */
export type Line = string | undefined

const decoder = new TextDecoder("utf-8", { ignoreBOM: true })

/** Lists of lines, as they come. Bytes that are no UTF-8 are U+FFFD. */
export const linesWithin = async function* (
  chunks: AsyncIterable<Uint8Array>,
  most = lineMax
): AsyncGenerator<ReadonlyArray<Line>> {
  let held: Array<Uint8Array> = []
  let length = 0
  let isTooLong = false
  const take = (piece: Uint8Array) => {
    length += piece.length
    if (length > most) {
      isTooLong = true
      held = []
    } else if (piece.length > 0) held.push(piece)
  }
  const finish = (): Line => {
    const line = isTooLong ? undefined : decoder.decode(held.length === 1 ? held[0] : Buffer.concat(held))
    held = []
    length = 0
    isTooLong = false
    return line
  }
  for await (const chunk of chunks) {
    const lines: Array<Line> = []
    let start = 0
    for (let at = chunk.indexOf(lineFeed); at >= 0; at = chunk.indexOf(lineFeed, start)) {
      take(chunk.subarray(start, at))
      lines.push(finish())
      start = at + 1
    }
    take(chunk.subarray(start))
    if (lines.length > 0) yield lines
  }
  if (length > 0) yield [finish()]
}
