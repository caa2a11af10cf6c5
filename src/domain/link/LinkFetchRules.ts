/** What follows from an attempt to read the page of a link. Pure. */
import { DateTime, Duration } from "effect"
import type { OutboundError } from "../outbound/Outbound.ts"
import type { FetchState } from "./LinkFetchStore.ts"
import type { PagePictures, PageText } from "./LinkText.ts"

/** A page was read; or it says nothing of itself, and will not later; or it may be read later. */
export type Attempt =
  | { readonly _tag: "Read"; readonly page: PageText; readonly pictures: PagePictures }
  | { readonly _tag: "Nothing"; readonly reason: string }
  | { readonly _tag: "Failed"; readonly reason: string }

/** What follows a try: nothing for now, another try, or no more tries because there have been enough. */
export type NextFetch =
  | { readonly _tag: "Done" }
  | { readonly _tag: "Retry"; readonly after: Duration.Duration }
  | { readonly _tag: "Park" }

// A page that is down for maintenance comes back within hours.
const pauses = [1, 10, 60, 360].map((minutes) => Duration.minutes(minutes))

/** Tries that a page gets; then it is parked until it is linked to again after the period. */
export const triesMax = pauses.length + 1

/** A page is read once within this time, however often it is linked to. */
export const period = Duration.hours(24)

/** What happens after a number of tries, counted from 1. */
export const decideNextFetch = ({ _tag }: Attempt, tries: number): NextFetch => {
  if (_tag !== "Failed") return { _tag: "Done" }
  const after = pauses[tries - 1]
  return after === undefined ? { _tag: "Park" } : { _tag: "Retry", after }
}

// Too early, too many requests, too slow; and what a server may recover from.
const isPassing = (status: number) => status === 408 || status === 425 || status === 429 || status >= 500

const pageTypes = /^\s*(?:text\/html|application\/xhtml\+xml)\s*(?:;|$)/i

/** What an answer says before its body is looked at; nothing if that is a page. */
export const decideAnswer = (status: number, contentType: string): Attempt | undefined => {
  if (isPassing(status)) return { _tag: "Failed", reason: `status ${status}` }
  if (status < 200 || status > 299) return { _tag: "Nothing", reason: `status ${status}` }
  return pageTypes.test(contentType) ? undefined : { _tag: "Nothing", reason: "no page" }
}

const transient = new Set(["name", "connection", "time"])

export const decideError = ({ reason }: OutboundError): Attempt => ({
  _tag: transient.has(reason) ? "Failed" : "Nothing",
  reason
})

/** The state after a page was taken from the queue, and read or not. */
export const stateAfter = (attempt: Attempt, tries: number, now: DateTime.Utc): Omit<FetchState, "tries"> => {
  const next = decideNextFetch(attempt, tries)
  return {
    dueAt: next._tag === "Retry" ? DateTime.addDuration(now, next.after) : undefined,
    reason: attempt._tag === "Read" ? undefined : attempt.reason
  }
}

/** The state after a page was read, or tried to be, outside of the queue. Its pictures are still to be copied. */
export const stateOfAttempt = (attempt: Attempt, now: DateTime.Utc): FetchState =>
  attempt._tag === "Read"
    ? { dueAt: now, tries: 0, reason: undefined }
    : { ...stateAfter(attempt, 1, now), tries: attempt._tag === "Failed" ? 1 : 0 }
