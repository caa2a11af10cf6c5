/** Reads all records of an input into the staging tables, going on where an earlier run has ended. */

import { OperatorFailure } from "../OperatorFailure.ts"
import { lineFeed, lineFeedsIn } from "../shared/lineFeeds.ts"
import type { Progress } from "../shared/Progress.ts"
import type { Session } from "../shared/Session.ts"
import type { Finding } from "./Finding.ts"
import { type Input, kindOfPart, type Member } from "./Input.ts"
import { isPreparedKind } from "./preparing/Kinds.ts"
import type { Prepared } from "./preparing/Preparing.ts"
import type { Period } from "./preparing/Repair.ts"
import type { Threads } from "./preparing/Threads.ts"
import { countsOf, partsOf, storeChunks } from "./Staging.ts"

// As much as is handed to a thread at a time, and as many of these as are stored together.
const chunkLength = 256 * 1024
const chunksStored = 16

/** The longest line that is held in memory; of a longer one the beginning says what it is. */
const heldMax = 16 * 1024 * 1024

/** Chunks of whole lines, each of which ends with its line feed but perhaps the last of all. */
const chunksOf = async function* (bytes: AsyncIterable<Uint8Array>, name: string) {
  let held: Array<Uint8Array> = []
  let length = 0
  for await (const part of bytes) {
    held.push(part)
    length += part.length
    if (length < chunkLength) continue
    const all = Buffer.concat(held)
    const end = all.lastIndexOf(lineFeed) + 1
    if (end === 0 && length > heldMax)
      throw new OperatorFailure({ message: `${name} has a line of more than 16 MiB. Nothing was changed.` })
    if (end > 0) yield all.subarray(0, end)
    held = end < all.length ? [all.subarray(end)] : []
    length = all.length - end
  }
  if (length > 0) yield Buffer.concat(held)
}

/** A chunk without its first lines, which were stored before. */
const withoutLines = (chunk: Uint8Array, lines: number) => {
  let start = 0
  for (let skipped = 0; skipped < lines; skipped += 1) {
    const found = chunk.indexOf(lineFeed, start)
    if (found < 0) return chunk.subarray(chunk.length)
    start = found + 1
  }
  return chunk.subarray(start)
}

const countLines = (chunk: Uint8Array) =>
  lineFeedsIn(chunk) + (chunk.length > 0 && chunk[chunk.length - 1] !== lineFeed ? 1 : 0)

const textIn = (value: unknown) => (typeof value === "string" ? value.slice(0, 1000) : undefined)

const fieldsOf = (line: string) => {
  try {
    const value: unknown = JSON.parse(line)
    const fields =
      typeof value === "object" && value !== null ? Object.fromEntries(Object.entries(value)) : {}
    return { id: textIn(fields.id), kind: textIn(fields.kind), reason: textIn(fields.reason) }
  } catch {
    return { id: undefined, kind: undefined, reason: undefined }
  }
}

export interface Surroundings {
  readonly session: Session
  readonly threads: Threads
  readonly progress: Progress
  readonly signal: AbortSignal
  readonly period: Period
  /** Is told of each step when it is done. */
  readonly atStep: ((step: string) => void) | undefined
}

/**
 * What became of records of a kind that is not imported; those of `left_out` say so of others, and `redirects` are for the web
 * server that answers at the old address.
 */
const leftOut = (kind: string, chunk: Uint8Array, first: number): Prepared => ({
  rows: new Uint8Array(0),
  findings:
    kind === "redirects"
      ? []
      : Buffer.from(chunk)
          .toString("utf8")
          .trimEnd()
          .split("\n")
          .map((line, index): Finding => {
            const { id, kind: of, reason } = fieldsOf(line)
            const number = first + index
            return kind === "left_out" && of !== undefined
              ? { kind: of, line: number, id, outcome: "left out", reason: "not_exported", detail: reason }
              : { kind, line: number, id, outcome: "left out", reason: "kind_not_imported" }
          }),
  lines: countLines(chunk)
})

/** Stores chunks in their order, while the next ones are prepared. */
const makeQueue = ({ atStep, session, signal }: Surroundings) => {
  let running: Promise<void> = Promise.resolve()
  return {
    /** Waits until what was queued before is stored, so that little is held in memory. */
    store: async (
      kind: string,
      part: { readonly name: string; readonly isComplete: boolean },
      chunks: ReadonlyArray<Promise<Prepared>>
    ) => {
      await running
      signal.throwIfAborted()
      running = Promise.all(chunks)
        .then((prepared) => storeChunks(session, kind, part, prepared))
        .then(() => atStep?.(`stored ${kind}`))
      // What fails is seen when it is waited for.
      running.catch(() => {})
    },
    settled: () => running
  } as const
}

/** Queues the rest of a part. Answers how many lines of its kind there are then. */
const queuePart = async (
  { period, progress, signal, threads }: Surroundings,
  queue: ReturnType<typeof makeQueue>,
  { bytes, name }: Member,
  kind: string,
  { before, stored }: { readonly stored: number; readonly before: number }
): Promise<number> => {
  let skip = stored
  let line = before + 1
  let read = 0
  let waiting: Array<Promise<Prepared>> = []
  for await (const whole of chunksOf(bytes(), name)) {
    signal.throwIfAborted()
    read += whole.length
    progress.at(`reading ${kind}`, read)
    const lines = countLines(whole)
    const chunk = withoutLines(whole, Math.min(skip, lines))
    skip -= Math.min(skip, lines)
    const left = countLines(chunk)
    if (left === 0) continue
    const prepared = isPreparedKind(kind)
      ? threads.prepare({ kind, first: line, lines: Uint8Array.from(chunk), period })
      : Promise.resolve(leftOut(kind, chunk, line))
    prepared.catch(() => {})
    waiting.push(prepared)
    line += left
    if (waiting.length < chunksStored) continue
    await queue.store(kind, { name, isComplete: false }, waiting)
    waiting = []
  }
  await queue.store(kind, { name, isComplete: true }, waiting)
  return line - 1
}

/** Stores all records that are not stored yet. */
export const storeRecords = async (surroundings: Surroundings, input: Input) => {
  const { session } = surroundings
  const queue = makeQueue(surroundings)
  const parts = await partsOf(session)
  const counts = await countsOf(session)
  for await (const member of input.members()) {
    const kind = kindOfPart(member.name)
    if (kind === undefined) continue
    const known = parts.get(member.name) ?? { lines: 0, isComplete: false }
    if (known.isComplete) continue
    // Of the lines of its kind, those of the part that are stored were counted already.
    const before = counts.get(kind) ?? 0
    counts.set(kind, await queuePart(surroundings, queue, member, kind, { stored: known.lines, before }))
  }
  await queue.settled()
}
