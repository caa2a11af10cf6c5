/** How plugins are told of what happens. */
import { Duration, Effect } from "effect"
import type { ChangeListening, LoggedChange } from "../change/ChangeFeed.ts"
import { requestFrame } from "./PluginRpc.ts"

const pauseMin = 20
const pausePerPlugin = 2.5
const pauseMax = 50

/**
 * How long a plugin is told of nothing after it was told of something, where so many are. What happens meanwhile is told
 * together, as a write to a connection and reading the answers cost more than what is written and read.
 */
export const pauseAmong = (plugins: number): Duration.Duration =>
  Duration.millis(Math.max(pauseMin, Math.min(pausePerPlugin * plugins, pauseMax)))

// Of the same change for all plugins, as long as any is told of it.
const frames = new WeakMap<LoggedChange, string>()

const frameOf = (logged: LoggedChange): string => {
  const frame = frames.get(logged) ?? requestFrame(logged.id, "event", logged.change)
  frames.set(logged, frame)
  return frame
}

/** Tells of changes, with the frame of each, in their order, until they are lost. After each time, there is a pause. */
export const telling = (
  take: ChangeListening["take"],
  tell: (changes: ReadonlyArray<LoggedChange>, frames: ReadonlyArray<string>) => void,
  pause: () => Duration.Duration
) =>
  Effect.forever(
    Effect.flatMap(take, (changes) => {
      tell(changes, changes.map(frameOf))
      return Effect.sleep(pause())
    })
  )
