/** Cuts output into lines of a bounded length. Pure, but for what it remembers of the line that has not ended. */
import { logLimits } from "./PluginLogs.ts"

const lineFeed = 0x0a
const carriageReturn = 0x0d

const decoder = new TextDecoder()

/** Reads one output, part by part. It holds one line at most. */
export const makeLineCutter = (lineBytes: number = logLimits.lineBytes) => {
  let parts: Array<Uint8Array> = []
  let length = 0
  let endedByReturn = false

  const hold = (part: Uint8Array) => {
    const held = part.subarray(0, Math.max(0, lineBytes - length))
    // A copy: the part may be a view of a buffer that is used again.
    if (held.length > 0) parts.push(new Uint8Array(held))
    length += part.length
  }

  const joined = () => {
    const line = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
    let at = 0
    for (const part of parts) {
      line.set(part, at)
      at += part.length
    }
    return line
  }

  const end = (last: Uint8Array) => {
    // Most lines begin and end in one part.
    if (length === 0 && last.length <= lineBytes) return decoder.decode(last)
    hold(last)
    const text = decoder.decode(joined())
    const cut = length > lineBytes ? `${text} [${length - lineBytes} bytes more]` : text
    parts = []
    length = 0
    return cut
  }

  return {
    /** The lines that end in this part. A carriage return ends a line, too: readers of event streams take it for one. */
    read: (bytes: Uint8Array): ReadonlyArray<string> => {
      const lines: Array<string> = []
      let from = 0
      for (let at = 0; at < bytes.length; at++) {
        const byte = bytes[at]
        if (byte !== lineFeed && byte !== carriageReturn) {
          endedByReturn = false
          continue
        }
        if (byte === lineFeed && endedByReturn) {
          endedByReturn = false
          from = at + 1
          continue
        }
        lines.push(end(bytes.subarray(from, at)))
        from = at + 1
        endedByReturn = byte === carriageReturn
      }
      hold(bytes.subarray(from))
      return lines
    },
    /** What is left when the output has ended. */
    rest: (): ReadonlyArray<string> => (length === 0 ? [] : [end(new Uint8Array())])
  }
}
