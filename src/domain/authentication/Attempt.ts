/** Attempts at passwords: where they come from, and how many of them may be wrong. */
import { DateTime, Duration } from "effect"
import type { ClientNetwork } from "../shared/Client.ts"

/** Where an attempt comes from: the network of a guest, or the session of the owner, by the hash of its token. */
export type AttemptSource =
  | { readonly _tag: "Network"; readonly network: ClientNetwork }
  | { readonly _tag: "Session"; readonly session: Uint8Array }

/** A source by name, which no other has. */
export const nameOf = (source: AttemptSource): string =>
  source._tag === "Network" ? `network ${source.network}` : `session ${source.session.toHex()}`

/** Wrong passwords in the current window, which began at `since`, and the one being tried. */
export interface Count {
  readonly count: number
  readonly since: DateTime.Utc
}

/** What counts for one attempt at an account. */
export interface Attempts {
  /** Wrong passwords from the same source. */
  readonly own: Count
  /** Wrong passwords from all networks that have not signed in to the account; absent if this is none of them. */
  readonly strangers: Count | undefined
}

export const window = Duration.minutes(15)

/** How many attempts of a window may be wrong. */
export const attemptsMax = { own: 10, strangers: 100 }

/** How long a network stays known after somebody has signed in from it: as long as a session lasts. */
export const known = Duration.days(90)

const waitFor = ({ count, since }: Count, maximum: number, now: DateTime.Utc): number => {
  if (count <= maximum) return 0
  const opens = DateTime.toEpochMillis(since) + Duration.toMillis(window)
  return Math.max(0, Math.ceil((opens - DateTime.toEpochMillis(now)) / 1000))
}

/** Seconds until an attempt is taken again; 0 if the one just counted is taken. */
export const decideWait = ({ own, strangers }: Attempts, now: DateTime.Utc): number =>
  Math.max(
    waitFor(own, attemptsMax.own, now),
    strangers === undefined ? 0 : waitFor(strangers, attemptsMax.strangers, now)
  )
