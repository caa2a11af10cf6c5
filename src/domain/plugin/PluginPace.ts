/** How much of each plugin is read in a second, also where it connects again and again. */
import { Clock, Effect, Semaphore } from "effect"
import type { PluginId } from "../shared/Id.ts"

/** How many frames of one plugin are read in a second. Beyond them it waits, as its connection is not read. */
export const framesPerSecond = 200

/** How many bytes of frames of one plugin, and of the answers to them. What is longer is read, and then nothing for as long. */
export const bytesPerSecond = 512 * 1024

/** How long a frame is that is read in turn with those of other plugins, in bytes. */
const longFrom = 64 * 1024

/** How many times as long as reading such a frame takes, none is read afterwards. */
const restTimes = 4

/** How many plugins are remembered: more than are connected at a time. */
const rememberedMax = 500

export interface PluginPace {
  /** Waits until a frame may be read. */
  readonly pass: Effect.Effect<void>
  /** Counts what was read or answered: bytes, and frames beyond the one that was waited for. */
  readonly count: (bytes: number, frames?: number) => void
}

const makePace = (clock: Clock.Clock): PluginPace => {
  let second = 0
  let frames = 0
  let bytes = 0

  const pass: Effect.Effect<void> = Effect.suspend(() => {
    const now = clock.currentTimeMillisUnsafe()
    const current = Math.floor(now / 1000)
    if (current !== second) {
      bytes = Math.max(0, bytes - (current - second) * bytesPerSecond)
      frames = Math.max(0, frames - (current - second) * framesPerSecond)
      second = current
    }
    if (frames >= framesPerSecond || bytes >= bytesPerSecond) {
      return Effect.andThen(Effect.sleep((current + 1) * 1000 - now), pass)
    }
    frames++
    return Effect.void
  })

  return {
    pass,
    count: (moreBytes, moreFrames = 0) => {
      bytes += moreBytes
      frames += moreFrames
    }
  }
}

/** Makes the function that finds the pace of a plugin, and the one that lets long frames of all plugins wait for each other. */
export const makePluginPaces = Effect.map(Clock.Clock, (clock) => {
  const paces = new Map<PluginId, PluginPace>()
  const turn = Semaphore.makeUnsafe(1)

  const paceOf = (id: PluginId): PluginPace => {
    const pace = paces.get(id) ?? makePace(clock)
    // Those that connected longest ago come first, and are forgotten first.
    paces.delete(id)
    paces.set(id, pace)
    const [oldest] = paces.keys()
    if (paces.size > rememberedMax && oldest !== undefined) paces.delete(oldest)
    return pace
  }

  /** Reads a frame of so many bytes. */
  const inTurn = <A>(bytes: number, reading: Effect.Effect<A>): Effect.Effect<A> => {
    if (bytes < longFrom) return reading
    const resting = Effect.suspend(() => {
      const begun = clock.currentTimeMillisUnsafe()
      return Effect.tap(reading, () => Effect.sleep((clock.currentTimeMillisUnsafe() - begun) * restTimes))
    })
    return turn.withPermits(1)(resting)
  }

  return { paceOf, inTurn } as const
})
