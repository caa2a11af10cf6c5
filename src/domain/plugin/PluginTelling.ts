/** How a plugin is told of what happens. */
import { Duration, Effect } from "effect"
import type { ChangeListening, LoggedChange } from "../change/ChangeFeed.ts"
import { requestFrame } from "./PluginRpc.ts"

/**
 * How long a plugin is told of nothing after it was told of something. What happens meanwhile is told together, as a write to
 * a connection and the answers to it cost more than what is written.
 */
export const pauseBetween = Duration.millis(20)

// Of the same change for all plugins, as long as any is told of it.
const frames = new WeakMap<LoggedChange, string>()

const frameOf = (logged: LoggedChange): string => {
  const frame = frames.get(logged) ?? requestFrame(logged.id, "event", logged.change)
  frames.set(logged, frame)
  return frame
}

/** Tells of each change by its frame, in their order, until they are lost. */
export const telling = (take: ChangeListening["take"], tell: (logged: LoggedChange, frame: string) => void) =>
  Effect.forever(
    Effect.flatMap(take, (changes) => {
      for (const logged of changes) tell(logged, frameOf(logged))
      return Effect.sleep(pauseBetween)
    })
  )
