/** When a code is sent again, and how many attempts there are at one. Pure. */
import { DateTime, Duration } from "effect"
import type { Client, ClientNetwork } from "../shared/Client.ts"

/** What is stored of a code. The code itself follows from the nonce. */
export interface StoredCode {
  readonly nonce: Uint8Array
  readonly expiresAt: DateTime.Utc
  /** The network that alone has asked for it. */
  readonly askedBy: ClientNetwork | undefined
  /** Where wrong codes came from, one entry for each of them. */
  readonly guesses: ReadonlyArray<string>
  /** When strangers sent back the first of those that count. */
  readonly strangersSince: DateTime.Utc | undefined
}

/** How long codes hold, and how many wrong ones may be sent. */
export const codeLimits = {
  validFor: Duration.hours(1),
  /** A code that is valid for less than this is not sent again. */
  againFor: Duration.minutes(10),
  /** How many wrong codes may come from one network. */
  attempts: 5,
  /** How many wrong codes may come from all strangers in an hour, and from all known networks at one code. */
  together: 20,
  /** Wrong codes of strangers are forgotten after this time, not when the code ends. */
  strangersFor: Duration.hours(1)
}

/** How the note of a wrong code from a known network begins. */
export const knownGuess = "known "
const stranger = "stranger "
/** How the note of a wrong code begins that a stranger sent for the code before this one. */
const before = "before "

/** How a wrong code is noted that comes from here. */
export const guessOf = ({ isKnown, network }: Client): string =>
  `${isKnown ? knownGuess : stranger}${network}`

/** Whether a wrong code that was noted like this is one of a known network. */
const isOfKnown = (guess: string) => guess.startsWith(knownGuess)

/** How many attempts are used of those that somebody has alone, and of those that others have with them. */
export const usedBy = (client: Client, guesses: ReadonlyArray<string>) => {
  const mine = guessOf(client)
  return {
    own: guesses.filter((guess) => guess === mine).length,
    together: guesses.filter((guess) => isOfKnown(guess) === client.isKnown).length
  }
}

/** Whether somebody may send a code back. */
export const hasAttempts = (client: Client, guesses: ReadonlyArray<string>): boolean => {
  const { own, together } = usedBy(client, guesses)
  return own < codeLimits.attempts && together < codeLimits.together
}

/** What a new code inherits: strangers get no more attempts by asking, except five once for who asks alone. */
const inherited = ({ guesses, strangersSince }: StoredCode, client: Client, now: DateTime.Utc) => {
  const opened = DateTime.subtractDuration(now, codeLimits.strangersFor)
  if (strangersSince === undefined || DateTime.isLessThanOrEqualTo(strangersSince, opened)) {
    return { guesses: [], strangersSince: undefined }
  }
  const own = guessOf({ ...client, isKnown: false })
  const past = `${before}${client.network}`
  const isRenewed = guesses.includes(past)
  return {
    guesses: guesses
      .filter((guess) => !isOfKnown(guess))
      .map((guess) => (guess === own && !isRenewed ? past : guess)),
    strangersSince
  }
}

export type CodeDecision =
  | { readonly _tag: "New"; readonly code: Pick<StoredCode, "guesses" | "strangersSince"> }
  | { readonly _tag: "Again"; readonly code: StoredCode; readonly isShared: boolean }

/**
 * Whether somebody who asks gets the code that there is, or a new one, which ends it. Only who alone has asked for it,
 * or is known and has used up the attempts, may end one: strangers end no code that somebody else waits for.
 */
export const decideCode = (
  stored: StoredCode | undefined,
  client: Client,
  now: DateTime.Utc
): CodeDecision => {
  if (stored === undefined) return { _tag: "New", code: { guesses: [], strangersSince: undefined } }
  const left = DateTime.distance(now, stored.expiresAt)
  const isOld = Duration.isLessThan(left, codeLimits.againFor)
  const isUsedUp = client.isKnown && !hasAttempts(client, stored.guesses)
  if (isOld || isUsedUp || stored.askedBy === client.network) {
    return { _tag: "New", code: inherited(stored, client, now) }
  }
  return { _tag: "Again", code: stored, isShared: stored.askedBy !== undefined }
}

/** For how many more minutes a code is valid. */
export const minutesLeft = (expiresAt: DateTime.Utc, now: DateTime.Utc): number =>
  Math.floor(Duration.toMinutes(DateTime.distance(now, expiresAt)))
