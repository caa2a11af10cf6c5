/** How long content is removed for, and when somebody goes on. Pure. */
import { DateTime, Duration } from "effect"
import type { TakenPurge } from "./PurgeStore.ts"

/** What a request removes before it is answered; what is more is left to the worker. */
export const atOnce = { items: 200, time: Duration.seconds(2) } as const

/** How long an entry belongs to whoever works on it, before they have to say that they still do. */
export const leaseTime = Duration.minutes(1)

/** Until when an entry belongs to whoever takes it or keeps it now. */
export const leaseFrom = (now: DateTime.Utc): DateTime.Utc => DateTime.addDuration(now, leaseTime)

/** Longer than any request takes: by then, what requests wrote that began before the purge is there. */
export const settleTime = Duration.minutes(1)

/** How many items one run may fail to remove before all others wait for another try. */
export const skippedMax = 100

/** How often removing is tried: what cannot be removed then stays, and the log says so. */
export const triesMax = 10

/** How far one went: nothing is left, something is, or something could not be removed; or another works on it. */
export type Outcome = "emptied" | "left" | "failed" | "lost"

export type Next =
  | { readonly _tag: "Finish"; readonly gaveUp: boolean }
  | { readonly _tag: "Release"; readonly dueAt: DateTime.Utc }
  | { readonly _tag: "Nothing" }

/** What becomes of an entry. One last look is taken when all requests from before the purge have ended. */
export const decideNext = (
  { requestedAt, tries }: Pick<TakenPurge, "requestedAt" | "tries">,
  outcome: Outcome,
  now: DateTime.Utc
): Next => {
  switch (outcome) {
    case "lost":
      return { _tag: "Nothing" }
    case "left":
      return { _tag: "Release", dueAt: now }
    case "emptied": {
      const settled = DateTime.addDuration(requestedAt, settleTime)
      return DateTime.isLessThan(now, settled)
        ? { _tag: "Release", dueAt: settled }
        : { _tag: "Finish", gaveUp: false }
    }
    case "failed": {
      if (tries >= triesMax) return { _tag: "Finish", gaveUp: true }
      const pause = Duration.minutes(Math.min(60, 2 ** Math.max(0, tries - 1)))
      return { _tag: "Release", dueAt: DateTime.addDuration(now, pause) }
    }
  }
}
