/** Tells who waits how far a long command is: in a line that changes on a terminal, else in lines of JSON. */
import type { Writable } from "node:stream"

/** Standard error, as a rule. */
export interface Terminal extends Pick<Writable, "write"> {
  readonly isTTY?: boolean
}

export interface Progress {
  /** What is being done now; and how much of it is done, out of how much, in bytes. */
  readonly at: (step: string, done?: number, of?: number) => void
  /** Ends the line. */
  readonly end: () => void
}

// A line of a log every few seconds says enough; a terminal shows that it goes on.
const pauses = { terminal: 100, lines: 5_000 }

const units = ["bytes", "KB", "MB", "GB", "TB"]

/** A number of bytes for people. */
export const sizeText = (bytes: number): string => {
  const power = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), units.length - 1)
  const value = bytes / 1000 ** power
  return `${power === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[power]}`
}

// What has no exact length beforehand is not done before it ends.
const percentOf = (done: number, of: number) => Math.min(99, Math.floor((100 * done) / Math.max(of, 1)))

const barLength = 20

const bar = (percent: number) => {
  const filled = Math.round((percent / 100) * barLength)
  return `[${"#".repeat(filled)}${".".repeat(barLength - filled)}] ${percent} %`
}

const terminalLine = (step: string, done: number, of: number | undefined) =>
  [
    step,
    ...(of === undefined || of === 0 ? [] : [bar(percentOf(done, of))]),
    ...(done === 0 ? [] : [sizeText(done)])
  ].join("  ")

const jsonLine = (step: string, done: number, of: number | undefined) =>
  `${JSON.stringify({ step, bytes: done, ...(of === undefined ? {} : { percent: percentOf(done, of) }) })}\n`

export const makeProgress = (terminal: Terminal, now: () => number): Progress => {
  let current = ""
  let toldAt = Number.NEGATIVE_INFINITY
  const isTerminal = terminal.isTTY === true
  const pause = isTerminal ? pauses.terminal : pauses.lines
  return {
    at: (step, done = 0, of) => {
      const at = now()
      if (step === current && at - toldAt < pause) return
      current = step
      toldAt = at
      terminal.write(isTerminal ? `\r\x1b[K${terminalLine(step, done, of)}` : jsonLine(step, done, of))
    },
    end: () => {
      if (isTerminal && current !== "") terminal.write("\r\x1b[K")
      current = ""
    }
  }
}
