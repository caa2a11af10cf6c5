/** How plugins are told of what happens. */
import { Clock, Duration, Effect } from "effect"
import type { ChangeListening, LoggedChange } from "../change/ChangeFeed.ts"
import { batchOf, requestFrame } from "./PluginRpc.ts"

const pauseMin = 20
const pausePerPlugin = 3
const pauseMax = 60

/**
 * How long plugins are told of nothing after they were told of something, where so many are. What happens meanwhile is
 * told together, as a write to a connection and reading the answers cost more than what is written and read.
 */
export const pauseAmong = (plugins: number): Duration.Duration =>
  Duration.millis(Math.max(pauseMin, Math.min(pausePerPlugin * plugins, pauseMax)))

/** How many events a batch has, and how many characters unless it is one event. Libraries take frames of a mebibyte. */
export const batchMax = { events: 100, characters: 64 * 1024 } as const

const encoder = new TextEncoder()

// Of the same change for all plugins, as long as any is told of it.
const texts = new WeakMap<LoggedChange, string>()
const frames = new WeakMap<LoggedChange, Uint8Array>()

const textOf = (logged: LoggedChange): string => {
  const text = texts.get(logged) ?? requestFrame(logged.id, "event", logged.change)
  texts.set(logged, text)
  return text
}

const frameOf = (logged: LoggedChange): Uint8Array => {
  const frame = frames.get(logged) ?? encoder.encode(textOf(logged))
  frames.set(logged, frame)
  return frame
}

/** Divides texts among batches. */
const divided = (all: ReadonlyArray<string>): ReadonlyArray<ReadonlyArray<string>> => {
  const batches: Array<Array<string>> = []
  let batch: Array<string> = []
  let characters = 0
  for (const text of all) {
    const isFull =
      batch.length === batchMax.events || (batch.length > 0 && characters + text.length > batchMax.characters)
    if (isFull || batches.length === 0) {
      batch = []
      characters = 0
      batches.push(batch)
    }
    batch.push(text)
    characters += text.length
  }
  return batches
}

interface Batches {
  readonly changes: ReadonlyArray<LoggedChange>
  readonly frames: ReadonlyArray<Uint8Array>
}

// By the first change: plugins that want the same are told of the same at the same time.
const batched = new WeakMap<LoggedChange, Batches>()

const isSame = (some: ReadonlyArray<LoggedChange>, others: ReadonlyArray<LoggedChange>) =>
  some.length === others.length && some.every((one, at) => one === others[at])

const batchesOf = (changes: ReadonlyArray<LoggedChange>): ReadonlyArray<Uint8Array> => {
  const [first] = changes
  if (first === undefined || changes.length === 1) return changes.map(frameOf)
  const made = batched.get(first)
  if (made !== undefined && isSame(made.changes, changes)) return made.frames
  const frames = divided(changes.map(textOf)).map((batch) => encoder.encode(batchOf(batch)))
  batched.set(first, { changes, frames })
  return frames
}

export interface Told {
  readonly take: ChangeListening["take"]
  /** Whether several changes are told of in one frame. */
  readonly inBatches: boolean
  readonly tell: (changes: ReadonlyArray<LoggedChange>, frames: ReadonlyArray<Uint8Array>) => void
  readonly pause: () => Duration.Duration
}

/**
 * Tells of changes, in their order, until they are lost. A pause ends when the clock says a multiple of its length: at the
 * same time for all plugins, so that what they are told is the same, and is written once.
 */
export const telling = ({ inBatches, pause, take, tell }: Told) =>
  Effect.gen(function* () {
    const clock = yield* Clock.Clock
    const pausing = Effect.suspend(() => {
      const length = Duration.toMillis(pause())
      return Effect.sleep(length - (clock.currentTimeMillisUnsafe() % length))
    })
    return yield* Effect.forever(
      Effect.flatMap(take, (changes) => {
        tell(changes, inBatches ? batchesOf(changes) : changes.map(frameOf))
        return pausing
      })
    )
  })
