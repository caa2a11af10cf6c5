/** What follows from an attempt to send a mail, and how many mails an address is sent. Pure. */
import { DateTime, Duration } from "effect"
import { secondsUntil } from "../shared/Seconds.ts"

/** The server has taken the mail; or it has not, for this reason. */
export type Attempt = { readonly _tag: "Sent" } | { readonly _tag: "Failed"; readonly error: string }

/** How often a mail is tried again by itself after failures, and after which pause. */
export const retries = { number: 5, pause: Duration.minutes(1) }

/** Tries that a mail gets without anybody asking for another one. */
export const triesMax = retries.number + 1

/** Attempts that are kept of a mail, the last ones. */
export const attemptsKept = 20

/** When a mail is tried next, after this many tries, from 1; nothing if it is over. */
export const decideNextTry = (
  { _tag }: Attempt,
  tries: number,
  now: DateTime.Utc
): DateTime.Utc | undefined =>
  _tag === "Sent" || tries >= triesMax ? undefined : DateTime.addDuration(now, retries.pause)

/** How many mails an address is sent within an hour: for each network that asks (all strangers count as one), and together. */
export const recipientLimit = { each: 5, together: 20, within: Duration.hours(1) }

/** Seconds until an address may be sent another mail; `oldest` is when the oldest mail was queued that still counts. */
export const secondsUntilFree = (oldest: DateTime.Utc, now: DateTime.Utc): number =>
  secondsUntil(DateTime.addDuration(oldest, recipientLimit.within), now)

/** How long mails stay in the list: long enough to ask why one did not arrive. */
export const keptFor = Duration.days(30)
