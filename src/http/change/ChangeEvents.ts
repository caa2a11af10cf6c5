/** Changes as server-sent events. */
import { type Array as Arr, Cause, Effect, type Pull, Stream } from "effect"
import { type LoggedChange, waitingMax } from "../../domain/change/ChangeFeed.ts"
import { entryOf } from "../../domain/change/ChangeHistory.ts"
import type { CursorExpired } from "../../domain/change/ChangeList.ts"
import type { ChangeStream } from "../../domain/change/ChangeStreams.ts"
import { type GzipPart, gzipPartOf, makeGzip } from "../bytes/GzipParts.ts"

const encoder = new TextEncoder()

/** How long browsers wait before they connect again, in milliseconds. */
const retryMillis = 3000

/** Part of what streams send: its bytes, and those that continue the gzip of any stream, made once they are asked for. */
export interface EventPart {
  readonly plain: Uint8Array
  readonly gzip: () => GzipPart
}

const partOf = (text: string): EventPart => {
  const plain = encoder.encode(text)
  let gzip: GzipPart | undefined
  return { plain, gzip: () => (gzip ??= gzipPartOf(plain)) }
}

const beginning = partOf(`retry: ${retryMillis}\n\n`)

/** Says nothing. */
export const comment = partOf(":\n\n")

const textOf = (change: LoggedChange): string => {
  const entry = entryOf(change)
  return `id: ${entry.cursor}\nevent: change\ndata: ${JSON.stringify(entry)}\n\n`
}

// Most streams are told the same at the same time.
const known = new WeakMap<ReadonlyArray<LoggedChange>, EventPart>()

/** Changes as their events. */
export const eventsOf = (changes: ReadonlyArray<LoggedChange>): EventPart => {
  const part = known.get(changes) ?? partOf(changes.map(textOf).join(""))
  known.set(changes, part)
  return part
}

/** How one stream has its parts as bytes. */
export interface EventBody {
  readonly begin: () => Uint8Array
  readonly bytesOf: (part: EventPart) => Uint8Array
  readonly end: () => Uint8Array | undefined
}

const plainBody: EventBody = {
  begin: () => beginning.plain,
  bytesOf: ({ plain }) => plain,
  end: () => undefined
}

const makeGzipBody = (): EventBody => {
  const { add, end, header } = makeGzip()
  return {
    begin: () => Buffer.concat([header, add(beginning.gzip())]),
    bytesOf: ({ gzip }) => add(gzip()),
    end
  }
}

export const makeEventBody = (isGzip: boolean): EventBody => (isGzip ? makeGzipBody() : plainBody)

/**
 * Sends parts by `write`, which answers how many bytes wait for the reader since before. Calls `lost` with a part with
 * which more waits than may.
 */
export const sending = (write: (bytes: Uint8Array) => number, lost: () => void) => {
  let parts = 0
  return (bytes: Uint8Array): void => {
    const waiting = write(bytes)
    parts = waiting === 0 ? 1 : parts + 1
    // One part is never too large for a reader for whom nothing else waits.
    const isTooLarge = waiting > 0 && waiting + bytes.length > waitingMax.bytes
    if (isTooLarge || parts > waitingMax.changes) lost()
  }
}

type Parts = Arr.NonEmptyReadonlyArray<EventPart>
type Pulled = Pull.Pull<Parts>

/**
 * The changes of the log as events, part by part. Then `live` sends those that come itself, until it or the stream is
 * over.
 */
export const asEvents = <E>(
  { isLogRead, next }: Pick<ChangeStream, "isLogRead" | "next">,
  live: Effect.Effect<void, E>,
  isOver: () => boolean,
  body: EventBody
): Stream.Stream<Uint8Array> => {
  const framed = (changes: ReadonlyArray<LoggedChange>): Pulled => {
    if (isOver()) return Cause.done()
    return changes.length === 0 ? pull : Effect.succeed([eventsOf(changes)])
  }
  const pull: Pulled = Effect.suspend((): Pulled => {
    if (isOver()) return Cause.done()
    const going: Pull.Pull<Parts, E | CursorExpired> = isLogRead()
      ? Effect.andThen(live, Cause.done())
      : Effect.flatMap(next, framed)
    // What fails is told by the end: whoever connects again goes on where they were.
    return Effect.catchCause(going, () => Cause.done())
  })
  const end = Stream.suspend(() => {
    const bytes = body.end()
    return bytes === undefined ? Stream.empty : Stream.succeed(bytes)
  })
  return Stream.succeed(body.begin()).pipe(
    Stream.concat(Stream.map(Stream.fromPull(Effect.succeed(pull)), body.bytesOf)),
    Stream.concat(end)
  )
}
