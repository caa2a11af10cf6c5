/** What follows from an attempt to send a text message, and how many there are in a day. Pure. */
import { DateTime, Duration } from "effect"
import type { ClientNetwork } from "../shared/Client.ts"
import { secondsUntil } from "../shared/Seconds.ts"

/** The provider has taken the message; or it has not, for this reason, and perhaps never will. */
export type Attempt =
  | { readonly _tag: "Sent" }
  | { readonly _tag: "Failed"; readonly reason: string; readonly isFinal: boolean }

/** The pauses after failures. Somebody waits for the message, so the first ones are short. */
const pauses = [5, 15, 60, 180, 600].map((seconds) => Duration.seconds(seconds))

/** How often a message is tried. */
export const triesMax = pauses.length + 1

/** When a message is tried next, after this many tries, from 1; nothing if it is over, as it is once nobody can use it. */
export const decideNextTry = (
  attempt: Attempt,
  tries: number,
  now: DateTime.Utc,
  validUntil: DateTime.Utc
): DateTime.Utc | undefined => {
  const pause = pauses[tries - 1]
  if (attempt._tag === "Sent" || attempt.isFinal || pause === undefined) return undefined
  const next = DateTime.addDuration(now, pause)
  return DateTime.isLessThan(next, validUntil) ? next : undefined
}

/** How many messages go to a number, and are asked for from a network, within a day. */
export const textLimits = { number: 5, network: 20, within: Duration.days(1) }

/** What messages are counted by. */
export type Counted =
  | { readonly _tag: "Number"; readonly number: string }
  | { readonly _tag: "Network"; readonly network: ClientNetwork }

/** The name by which messages are counted, which nothing else has. */
export const nameOf = (counted: Counted): string =>
  counted._tag === "Number" ? `number ${counted.number}` : `network ${counted.network}`

export const limitOf = ({ _tag }: Counted): number =>
  _tag === "Number" ? textLimits.number : textLimits.network

/** Seconds until there may be another message; `oldest` is when the oldest one was queued that still counts. */
export const secondsUntilFree = (oldest: DateTime.Utc, now: DateTime.Utc): number =>
  secondsUntil(DateTime.addDuration(oldest, textLimits.within), now)
