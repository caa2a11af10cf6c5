/** When own data may be asked for, and when making it is tried again. Pure. */
import { DateTime, Duration } from "effect"
import { dailyMax } from "./OwnData.ts"

/** How long an archive belongs to whoever makes it, before they have to say that they still do. */
export const leaseTime = Duration.minutes(3)

/** How often they say so. */
export const keepEvery = Duration.minutes(1)

/** What making one archive may take. */
export const makingMax = Duration.minutes(30)

/** How often it is tried. */
export const triesMax = 5

/** What was asked for before. */
export interface AskedBefore {
  readonly isWaiting: boolean
  readonly requestedAt: DateTime.Utc
  readonly asked: number
}

export type Asking =
  | { readonly _tag: "Asked"; readonly asked: number }
  | { readonly _tag: "Running" }
  | { readonly _tag: "TooMany"; readonly until: DateTime.Utc }

/** Whether an account may ask, which did so before or not. */
export const decideAsking = (before: AskedBefore | undefined, now: DateTime.Utc): Asking => {
  if (before === undefined) return { _tag: "Asked", asked: 1 }
  if (before.isWaiting) return { _tag: "Running" }
  const tomorrow = DateTime.add(DateTime.startOf(before.requestedAt, "day"), { days: 1 })
  if (DateTime.isGreaterThanOrEqualTo(now, tomorrow)) return { _tag: "Asked", asked: 1 }
  return before.asked < dailyMax
    ? { _tag: "Asked", asked: before.asked + 1 }
    : { _tag: "TooMany", until: tomorrow }
}

/** When it is tried again after a try that failed; undefined where that is enough. */
export const decideNextTry = (tries: number, now: DateTime.Utc): DateTime.Utc | undefined =>
  tries < triesMax ? DateTime.add(now, { minutes: 4 ** tries }) : undefined
