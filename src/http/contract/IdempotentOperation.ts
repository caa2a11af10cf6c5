/** Operations that take the key of a request, by which clients repeat those of which they have seen no answer. */
import { Schema } from "effect"
import { type HttpApiEndpoint, HttpApiMiddleware } from "effect/http-api"
import { mayHaveSecret } from "../../domain/field/SecretText.ts"
import {
  IdempotencyAnswerWithheld,
  IdempotencyKeyInProgress,
  IdempotencyKeyReused,
  keptHours,
  keyMax,
  TooManyIdempotencyKeys
} from "../../domain/idempotency/IdempotencyKey.ts"

/** Does a request with a key once. It is given to the operations that take keys by what they declare. */
export class IdempotentOperation extends HttpApiMiddleware.Service<IdempotentOperation>()(
  "forum/http/IdempotentOperation",
  {
    error: [
      IdempotencyKeyInProgress,
      IdempotencyAnswerWithheld,
      IdempotencyKeyReused,
      TooManyIdempotencyKeys
    ] as const
  }
) {}

/** The header of requests that has the key. Titles of headers are their names as people write them. */
export const IdempotencyKey = Schema.String.annotate({
  title: "Idempotency-Key",
  description: `A name of this request among those of the account, random, of 1 to ${keyMax} visible ASCII characters. Repeated with the same key, method, address and body within ${keptHours} hours, the request is not done again: it gets the same answer.`
})

/** The header of answers to repeated requests. */
export const IdempotencyReplayed = Schema.String.annotate({
  title: "Idempotency-Replayed",
  description: "`true` if this is the answer to an earlier request with the same `Idempotency-Key`"
})

/** Whether an endpoint takes keys. */
export const takesKeys = ({ middlewares }: HttpApiEndpoint.Top): boolean =>
  [...middlewares].some((middleware) => middleware === IdempotentOperation)

/** Whether an endpoint may answer a secret. */
export const showsSecret = ({ success }: HttpApiEndpoint.Top): boolean =>
  [...success].some((schema) => mayHaveSecret(schema))
