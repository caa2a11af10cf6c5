/** What happens to an event that a consumer cannot handle. Pure. */
import { Duration } from "effect"

/** The event waits before it is tried again, and later events wait with it; or it is parked, and they go on. */
export type NextTry =
  | { readonly _tag: "Retry"; readonly after: Duration.Duration }
  | { readonly _tag: "Park" }

// Long enough for a deployment or a restart to finish, short enough for later events to wait.
const pauses = [1, 5, 25, 125].map((seconds) => Duration.seconds(seconds))

/** After this many failed tries, from 1. */
export const decideNextTry = (tries: number): NextTry => {
  const after = pauses[tries - 1]
  return after === undefined ? { _tag: "Park" } : { _tag: "Retry", after }
}
