/** Changes as server-sent events. */
import { type Array as Arr, Cause, Effect, type Pull, Stream } from "effect"
import type { LoggedChange } from "../../domain/change/ChangeFeed.ts"
import { entryOf } from "../../domain/change/ChangeHistory.ts"
import type { Heartbeat } from "./Heartbeats.ts"

const encoder = new TextEncoder()

/** How long browsers wait before they connect again, in milliseconds. */
const retryMillis = 3000

const beginning = encoder.encode(`retry: ${retryMillis}\n\n`)
const comment = encoder.encode(":\n\n")

// Of the same change for all streams, as long as any has it.
const frames = new WeakMap<LoggedChange, Uint8Array>()

const frameOf = (change: LoggedChange): Uint8Array => {
  const known = frames.get(change)
  if (known !== undefined) return known
  const entry = entryOf(change)
  const frame = encoder.encode(`id: ${entry.cursor}\nevent: change\ndata: ${JSON.stringify(entry)}\n\n`)
  frames.set(change, frame)
  return frame
}

/** Changes that are told together, as the bytes of their events. */
interface Part {
  readonly changes: ReadonlyArray<LoggedChange>
  readonly bytes: Uint8Array
}

// By the last change of a part. Most streams are told the same at the same time, and a write for each change, or a copy
// for each stream, costs far more than to look whether it is the same.
const parts = new WeakMap<LoggedChange, Array<Part>>()

/** How many parts with the same last change are kept: what guests are told, and a few kinds of members. */
const partsMax = 8

const isSame = (one: ReadonlyArray<LoggedChange>, other: ReadonlyArray<LoggedChange>): boolean =>
  one.length === other.length && one.every((change, place) => change === other[place])

const bytesOf = (changes: ReadonlyArray<LoggedChange>): Uint8Array | undefined => {
  const last = changes.at(-1)
  if (last === undefined) return undefined
  if (changes.length === 1) return frameOf(last)
  const known = parts.get(last) ?? []
  const found = known.find((part) => isSame(part.changes, changes))
  if (found !== undefined) return found.bytes
  const bytes = Buffer.concat(changes.map(frameOf))
  if (known.length < partsMax) parts.set(last, [...known, { changes, bytes }])
  return bytes
}

type Pulled = Pull.Pull<Arr.NonEmptyReadonlyArray<Uint8Array>>

/**
 * Changes that come in parts as events, with a comment whenever nothing comes for a while, until they are over or the
 * next of them cannot be told.
 */
export const asEvents = <E>(
  next: Effect.Effect<ReadonlyArray<LoggedChange>, E>,
  { isDue, sent }: Heartbeat,
  isOver: () => boolean
): Stream.Stream<Uint8Array> => {
  // What fails is told by the end: whoever connects again goes on where they were.
  const changes = Effect.catchCause(next, () => Cause.done())
  const pull: Pulled = Effect.suspend(
    (): Pulled => (isOver() ? Cause.done() : Effect.flatMap(changes, framed))
  )
  const framed = (changes: ReadonlyArray<LoggedChange>): Pulled => {
    if (isOver()) return Cause.done()
    const bytes = bytesOf(changes) ?? (isDue() ? comment : undefined)
    if (bytes === undefined) return pull
    sent()
    return Effect.succeed([bytes])
  }
  return Stream.concat(Stream.succeed(beginning), Stream.fromPull(Effect.succeed(pull)))
}
