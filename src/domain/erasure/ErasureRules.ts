/** What is done next of an erasure. Pure. */
import { Duration } from "effect"

/** How long an erasure belongs to whoever works on it, before they have to say that they still do. */
export const leaseTime = Duration.minutes(5)

/** Longer than any request takes: by then, what requests wrote that began before is there. */
export const settleTime = Duration.minutes(1)

/** How long it waits for what the account made to be removed, before it looks again. */
export const purgeTime = Duration.seconds(10)

/** How long it waits for another administrator where the account is the last one. */
export const postponement = Duration.days(1)

/** How far an erasure is. */
export interface Progress {
  readonly hasBegun: boolean
  /** Whether the account is still there. */
  readonly isThere: boolean
  /** Whether something is still to be removed of what it made. */
  readonly isPurging: boolean
}

/**
 * What is done next. Each is done again where it ended half-way: what stays to be done is seen by what is there.
 * - `begin`: nobody uses the account any more, and what it made begins to be removed.
 * - `wait`: for that to be removed.
 * - `erase`: everything else, and the account.
 * - `end`: a last look at what names the account and is no row of its own.
 */
export type Stage = "begin" | "wait" | "erase" | "end"

export const decideStage = ({ hasBegun, isPurging, isThere }: Progress): Stage => {
  if (!hasBegun) return "begin"
  if (!isThere) return "end"
  return isPurging ? "wait" : "erase"
}
