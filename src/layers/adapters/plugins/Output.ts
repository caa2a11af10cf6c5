/** Reads the output of programs at a bounded pace. */
import type { Readable } from "node:stream"
import { setTimeout } from "node:timers/promises"
import { makeLineCutter } from "../../../domain/plugin/LogLines.ts"

// A program that writes more waits until it is read, as it does at a terminal.
const bytesPerSecond = 512 * 1024
const burst = 1024 * 1024

// To handle a line costs as much as that many bytes in one.
const bytesPerLine = 128

/** Lets so much pass in a second, and more at once after a time of less. */
export const makePace = (now: () => number = performance.now.bind(performance)) => {
  let left = burst
  let last = now()
  return {
    /** Takes a number of bytes, and answers how many milliseconds to wait before the next are taken. */
    take: (bytes: number): number => {
      const at = now()
      left = Math.min(burst, left + ((at - last) / 1000) * bytesPerSecond) - bytes
      last = at
      return left >= 0 ? 0 : Math.ceil((-left / bytesPerSecond) * 1000)
    }
  }
}

/** Hands over the lines of an output until it ends; at no bounded pace any more once the program has ended. */
export const readOutput = async (
  output: Readable,
  { take }: ReturnType<typeof makePace>,
  append: (lines: ReadonlyArray<string>) => Promise<void>,
  ended: AbortSignal
): Promise<void> => {
  const cutter = makeLineCutter()
  try {
    for await (const bytes of output) {
      const lines = cutter.read(bytes)
      await append(lines)
      const wait = take(bytes.length + lines.length * bytesPerLine)
      if (wait > 0 && !ended.aborted) await setTimeout(wait, undefined, { signal: ended }).catch(() => {})
    }
  } catch {
    // Closed, as something still holds it although the program has ended.
  }
  await append(cutter.rest())
}
