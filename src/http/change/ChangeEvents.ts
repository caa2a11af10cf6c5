/** Changes as server-sent events. */
import { Array as Arr, Cause, Effect, type Pull, Stream } from "effect"
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
    const frames = changes.map(frameOf)
    if (isDue() && frames.length === 0) frames.push(comment)
    if (!Arr.isArrayNonEmpty(frames)) return pull
    sent()
    return Effect.succeed(frames)
  }
  return Stream.concat(Stream.succeed(beginning), Stream.fromPull(Effect.succeed(pull)))
}
