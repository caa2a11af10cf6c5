/** Answers a request with a key that was sent before as it was answered then, and does all others once. */
import { Cause, Context, Effect, Layer, Option } from "effect"
import { type Headers, HttpServerRequest, HttpServerResponse, ProblemDetails } from "effect/http"
import type { HttpApiEndpoint } from "effect/http-api"
import { isIdempotencyKey, keyMax, type WholeAnswer } from "../../domain/idempotency/IdempotencyKey.ts"
import { IdempotencyKeys, type Worked } from "../../domain/idempotency/IdempotencyKeys.ts"
import { isKept, keptAs } from "../../domain/idempotency/IdempotencyRules.ts"
import { accountIdOf, CurrentActor } from "../../domain/shared/Actor.ts"
import { OAuthError, OAuthUnauthorized } from "../../domain/shared/OAuthError.ts"
import { dieWithProblem } from "../../domain/shared/Problem.ts"
import { byEndpoint } from "../contract/Endpoints.ts"
import { oauthCaching } from "../contract/Headers.ts"
import { IdempotentOperation, showsSecret } from "../contract/IdempotentOperation.ts"
import { OperationTraits } from "../contract/Operation.ts"
import { InvalidRequest } from "../contract/RequestProblems.ts"
import { problemOf, problemResponse } from "../pipeline/ProblemResponse.ts"
import { oauthResponse } from "../pipeline/ProblemResponses.ts"
import { RequestContext, type RequestFacts } from "../pipeline/RequestContext.ts"

type Response = HttpServerResponse.HttpServerResponse

const header = "idempotency-key"

const malformedKey = dieWithProblem(
  new InvalidRequest({
    metadata: {
      issues: [{ in: "header", path: header, message: `must have 1 to ${keyMax} visible ASCII characters` }]
    }
  })
)

const declarationsOf = byEndpoint((endpoint) => ({
  commitsEarly: Context.get(endpoint.annotations, OperationTraits).commitsEarly,
  showsSecret: showsSecret(endpoint)
}))

/** What an answer says that is told again; undefined if its body is not at hand. */
const wholeOf = ({ body, headers, status }: Response): WholeAnswer | undefined => {
  const { etag, location } = headers
  const facts = { _tag: "Whole", status, location, etag } as const
  if (body._tag === "Empty") return { ...facts, contentType: headers["content-type"], body: new Uint8Array() }
  if (body._tag !== "Uint8Array") return undefined
  return { ...facts, contentType: headers["content-type"] ?? body.contentType, body: body.body }
}

const parsed = (bytes: Uint8Array): unknown => {
  try {
    return JSON.parse(new TextDecoder().decode(bytes))
  } catch {
    return undefined
  }
}

/** How an answer is kept. */
const keptOf = (response: Response, endpoint: HttpApiEndpoint.Top) => {
  const answer = wholeOf(response)
  if (answer === undefined) return { _tag: "Withheld", status: response.status, madeId: undefined } as const
  const isSecret = response.status < 400 && declarationsOf(endpoint).showsSecret
  return keptAs(answer, isSecret, () => parsed(answer.body))
}

/** An answer to an earlier request, as it was given. */
const replayed = ({ body, contentType, etag, location, status }: WholeAnswer): Response => {
  const isOAuthForm = status >= 400 && contentType !== ProblemDetails.contentType
  const headers = {
    ...(isOAuthForm ? oauthCaching : {}),
    "idempotency-replayed": "true",
    ...(location === undefined ? {} : { location }),
    ...(etag === undefined ? {} : { etag })
  }
  return contentType === undefined
    ? HttpServerResponse.empty({ status, headers })
    : HttpServerResponse.uint8Array(body, { status, contentType, headers })
}

/** How a failure is answered, and whether that is kept. */
const refusalOf = (cause: Cause.Cause<unknown>, { maxBody, traceId }: RequestFacts) => {
  const failure = Option.getOrUndefined(Cause.findErrorOption(cause))
  if (failure instanceof OAuthError || failure instanceof OAuthUnauthorized) {
    const response = oauthResponse(failure)
    return { response, isKept: isKept(response.status, false) }
  }
  const problem = problemOf(cause, maxBody)
  const response = problemResponse(problem, traceId)
  return { response, isKept: isKept(problem.status, problem instanceof InvalidRequest) }
}

/** What is to be answered: a response, or a failure that is answered as ever. */
type Outcome<E> = { readonly response: Response } | { readonly cause: Cause.Cause<E> }

/** Runs an operation, and decides what of its answer is kept. What fails by the service itself is undone. */
const worked = <E, R>(
  handler: Effect.Effect<Response, E, R>,
  endpoint: HttpApiEndpoint.Top
): Effect.Effect<Worked<Outcome<E>>, E, R> =>
  Effect.matchCauseEffect(handler, {
    onSuccess: (response) =>
      Effect.succeed({
        outcome: { response },
        kept: isKept(response.status, false) ? keptOf(response, endpoint) : undefined
      }),
    onFailure: (cause) =>
      Effect.flatMap(RequestContext, (facts): Effect.Effect<Worked<Outcome<E>>, E> => {
        const { isKept, response } = refusalOf(cause, facts)
        if (Cause.hasInterrupts(cause) || response.status >= 500) return Effect.failCause(cause)
        // What counts how often somebody tries is kept, whatever the answer.
        if (!isKept) return Effect.succeed({ outcome: { cause }, kept: undefined })
        return Effect.succeed({ outcome: { response }, kept: keptOf(response, endpoint) })
      })
  })

const keyOf = (headers: Headers.Headers): string | undefined => headers[header]

export const layer = Layer.effect(
  IdempotentOperation,
  Effect.gen(function* () {
    const { once } = yield* IdempotencyKeys

    const keyed = Effect.fnUntraced(function* <E, R>(
      handler: Effect.Effect<Response, E, R>,
      endpoint: HttpApiEndpoint.Top,
      request: HttpServerRequest.HttpServerRequest,
      key: string
    ) {
      const actor = yield* Effect.serviceOption(CurrentActor)
      const accountId = Option.isSome(actor) ? accountIdOf(actor.value) : undefined
      // Guests have none, and are not admitted to these operations.
      if (accountId === undefined) return yield* handler
      if (!isIdempotencyKey(key)) return yield* malformedKey
      const asked = {
        accountId,
        key,
        method: request.method,
        address: request.url,
        body: yield* Effect.orDie(request.text)
      }
      const answered = yield* once(asked, worked(handler, endpoint), !declarationsOf(endpoint).commitsEarly)
      if (answered._tag === "Before") return replayed(answered.answer)
      const { outcome } = answered
      return "response" in outcome ? outcome.response : yield* Effect.failCause(outcome.cause)
    })

    return IdempotentOperation.of((handler, { endpoint }) =>
      Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
        const key = keyOf(request.headers)
        return key === undefined ? handler : keyed(handler, endpoint, request, key)
      })
    )
  })
)
