/** What a request with a key comes to, given what is known of the key. Pure. */
import { DateTime, Result } from "effect"
import {
  IdempotencyAnswerWithheld,
  IdempotencyKeyInProgress,
  IdempotencyKeyReused,
  type KeptAnswer,
  keptBodyMax,
  keptHours,
  largeBodyMin,
  type WholeAnswer,
  type WithheldAnswer
} from "./IdempotencyKey.ts"

/** What was found under a key that is another request's. */
export interface Found {
  readonly isSameRequest: boolean
  /** Undefined as long as the request has no answer. */
  readonly answer: KeptAnswer | undefined
}

/** Requests are short, or wait minutes for a plugin: who asks every second learns it soon and costs little. */
const retryAfter = 1

/** What a request is answered whose key another one has used; nothing is known of one that began just now. */
export const decideRepeat = (
  found: Found | undefined
): Result.Result<
  WholeAnswer,
  IdempotencyKeyInProgress | IdempotencyKeyReused | IdempotencyAnswerWithheld
> => {
  if (found?.isSameRequest === false) return Result.fail(new IdempotencyKeyReused())
  const answer = found?.answer
  if (answer === undefined) {
    return Result.fail(new IdempotencyKeyInProgress({ metadata: { retry_after: retryAfter } }))
  }
  if (answer._tag === "Whole") return Result.succeed(answer)
  const { madeId, status } = answer
  return Result.fail(
    new IdempotencyAnswerWithheld({ metadata: { status, ...(madeId === undefined ? {} : { id: madeId }) } })
  )
}

// Statuses that say nothing of the request itself: who asks, how it was sent, how often, and how the service is.
const ofNoRule = new Set([401, 408, 411, 413, 415, 429, 431])

/** Whether an answer is kept: successes, and refusals by a rule. A malformed request is not told again that it is one. */
export const isKept = (status: number, isMalformed: boolean): boolean =>
  status < 500 && !isMalformed && !ofNoRule.has(status)

/** The id of what was made in an answer, which names it itself or has it in one of its fields. */
export const madeIdOf = (answer: unknown): string | undefined => {
  if (typeof answer !== "object" || answer === null) return undefined
  if ("id" in answer && typeof answer.id === "string") return answer.id
  return Object.values(answer).flatMap((field: unknown) => {
    const isNamed =
      typeof field === "object" && field !== null && "id" in field && typeof field.id === "string"
    return isNamed ? [String(field.id)] : []
  })[0]
}

/** Whether there is room for an answer only as long as the account has not too many such. */
export const isLarge = ({ body }: WholeAnswer): boolean => body.length > largeBodyMin

/** An answer of which only that it was given is kept. */
export const withheld = ({ madeId, status }: WholeAnswer): WithheldAnswer => ({
  _tag: "Withheld",
  status,
  madeId
})

/** An answer as it is kept: what showed a secret, or is too large, only as that it was given. */
export const keptAs = (
  answer: WholeAnswer,
  showsSecret: boolean,
  parsed: () => unknown
): WholeAnswer | WithheldAnswer => {
  if (!showsSecret && !isLarge(answer)) return answer
  const named = { ...answer, madeId: madeIdOf(parsed()) }
  return showsSecret || answer.body.length > keptBodyMax ? withheld(named) : named
}

/**
 * How old a claim is whose request cannot be running any more, although the instance that runs it is: the longest
 * operation waits five minutes for a plugin.
 */
export const abandonedMinutes = 10

/** From which time claims are abandoned, and keys are forgotten. */
export const decideLimits = (now: DateTime.Utc) => ({
  abandoned: DateTime.subtract(now, { minutes: abandonedMinutes }),
  expired: DateTime.subtract(now, { hours: keptHours })
})

const daySeconds = 24 * 3600

/** How many seconds there are until the next day (UTC). */
export const secondsUntilTomorrow = (now: DateTime.Utc): number =>
  daySeconds - (Math.floor(DateTime.toEpochMillis(now) / 1000) % daySeconds)
