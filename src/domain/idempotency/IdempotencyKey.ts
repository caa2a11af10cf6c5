/** Keys by which clients repeat a request of which they have seen no answer (draft-ietf-httpapi-idempotency-key-header). */
import { Schema } from "effect"
import { Problem } from "../shared/Problem.ts"

/** The longest key, in characters. */
export const keyMax = 255

/** How long an answer is kept under its key. */
export const keptHours = 24

/** How many keys of an account are kept of one day (UTC). */
export const keptMax = 10_000

/** The longest body that is kept, in bytes. */
export const keptBodyMax = 256 * 1024

/** A longer body is large: small requests may be answered by large ones, of which an account has less kept, in bytes. */
export const largeBodyMin = 8 * 1024

/** How many bytes of large bodies are kept of an account on one day (UTC). */
export const largeBytesMax = 32 * 1024 * 1024

const visible = /^[!-~]{1,255}$/

/** Whether a text has the form of a key. */
export const isIdempotencyKey = (text: string): boolean => visible.test(text)

export class IdempotencyKeyInProgress extends Problem<IdempotencyKeyInProgress>()(
  "IdempotencyKeyInProgress",
  {
    status: 409,
    title: "A request with this key is still being handled",
    explanation:
      "Another request of the account has the same `Idempotency-Key`, and it is not yet known what it comes to. Repeat this one after the seconds in `Retry-After`.",
    metadata: { retry_after: Schema.Int }
  }
) {}

export class IdempotencyKeyReused extends Problem<IdempotencyKeyReused>()("IdempotencyKeyReused", {
  status: 422,
  title: "This key was used for another request",
  explanation:
    "A request of the account with the same `Idempotency-Key` had another method, address or body within 24 hours. The key of a request is for its repetitions alone: make a new one for each. Nothing was changed."
}) {}

export class IdempotencyAnswerWithheld extends Problem<IdempotencyAnswerWithheld>()(
  "IdempotencyAnswerWithheld",
  {
    status: 409,
    title: "This was done, and its answer is not shown again",
    explanation:
      "The first request with this `Idempotency-Key` was answered with `status`. Its answer was not kept, as it showed a secret, was larger than 256 KiB, or came after 32 MiB of the account's answers of more than 8 KiB on the same day (UTC). `id` is what was made, if it has an id. Nothing was done again.",
    metadata: {
      status: Schema.Int.annotate({ description: "The status of the first answer" }),
      id: Schema.optionalKey(Schema.String).annotateKey({ description: "What was made" })
    }
  }
) {}

export class TooManyIdempotencyKeys extends Problem<TooManyIdempotencyKeys>()("TooManyIdempotencyKeys", {
  status: 429,
  title: "The account has used too many idempotency keys today",
  explanation:
    "Of the requests of an account on one day (UTC), 10,000 at most are kept under their `Idempotency-Key`. Nothing was changed. Send the request without a key, or tomorrow: `retry_after` says in how many seconds that is.",
  metadata: { retry_after: Schema.Int }
}) {}

/** What a request came to, as it is told again. */
export interface WholeAnswer {
  readonly _tag: "Whole"
  readonly status: number
  readonly contentType: string | undefined
  readonly location: string | undefined
  readonly etag: string | undefined
  readonly body: Uint8Array
  /** What was made, if it has an id: for a large answer, of which there may be too many to keep this one. */
  readonly madeId?: string | undefined
}

/** That a request was answered, and with what status, where the answer itself is not told again. */
export interface WithheldAnswer {
  readonly _tag: "Withheld"
  readonly status: number
  /** What was made, if it has an id. */
  readonly madeId: string | undefined
}

export type KeptAnswer = WholeAnswer | WithheldAnswer
