/** What every operation passes: it is named, counted, admitted, given plain parameters, and its declared failures are answered. */
import { Cause, Context, Effect, Layer, Option } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { type HttpApiEndpoint, OpenApi } from "effect/http-api"
import { protectedResourcePath } from "../../domain/discovery/Discovery.ts"
import { addressOf, Deployment } from "../../domain/settings/Deployment.ts"
import { OAuthError, OAuthUnauthorized, oauthErrorBody } from "../../domain/shared/OAuthError.ts"
import { declaredAccess } from "../contract/AccessPolicies.ts"
import { CommonProblems } from "../contract/CommonProblems.ts"
import type { Cost } from "../contract/Cost.ts"
import { byEndpoint } from "../contract/Endpoints.ts"
import { oauthCaching } from "../contract/Headers.ts"
import type { OAuthRefusal } from "../contract/OAuthRefusal.ts"
import { OperationTraits } from "../contract/Operation.ts"
import { InternalError, InvalidRequest } from "../contract/RequestProblems.ts"
import { Admission } from "./Admission.ts"
import { withCountedBody } from "./ArrayLimits.ts"
import { challengeOf } from "./Challenge.ts"
import { problemOf, problemResponse } from "./ProblemResponse.ts"
import { withPlainQuery } from "./QueryParameters.ts"
import { RateLimits } from "./RateLimits.ts"
import { RequestContext } from "./RequestContext.ts"

/** Whether an address has any of these query parameters with a value. */
const hasAnyOf = (url: string, names: ReadonlyArray<string>) => {
  const query = url.indexOf("?")
  if (query === -1 || names.length === 0) return false
  const given = new URLSearchParams(url.slice(query))
  return names.some((name) => given.getAll(name).some((value) => value !== ""))
}

/** What a request costs of which the operation is known. */
const costOf = ({ cost, heavyWith }: typeof OperationTraits.Service, url: string): Cost =>
  hasAnyOf(url, heavyWith) ? "heavy" : cost

/** The answer to a failure in the form of OAuth. */
export const oauthResponse = (error: OAuthError | OAuthUnauthorized) =>
  HttpServerResponse.jsonUnsafe(oauthErrorBody(error), {
    status: error instanceof OAuthUnauthorized ? 401 : 400,
    headers: {
      ...oauthCaching,
      ...(error instanceof OAuthUnauthorized ? { "www-authenticate": error.challenge } : {})
    }
  })

const declarationsOf = byEndpoint((endpoint) => ({
  id: Context.getOrElse(endpoint.annotations, OpenApi.Identifier, () => endpoint.identifier),
  traits: Context.get(endpoint.annotations, OperationTraits),
  access: Option.getOrThrow(declaredAccess(endpoint.annotations)),
  withPlainQuery: withPlainQuery(endpoint)
}))

// A failure that is not declared goes on to the request pipeline, which logs it.
const answer = Effect.fnUntraced(function* <E>(
  cause: Cause.Cause<E>,
  { access, traits: { refusesAs } }: ReturnType<typeof declarationsOf>,
  resourceMetadata: string | undefined
) {
  const { hasBadBearer, maxBody, traceId } = yield* RequestContext
  const failure = Option.getOrUndefined(Cause.findErrorOption(cause))
  if (failure instanceof OAuthError || failure instanceof OAuthUnauthorized) return oauthResponse(failure)
  const problem = problemOf(cause, maxBody)
  if (problem instanceof InternalError) return yield* Effect.failCause(cause)
  if (refusesAs !== undefined && problem instanceof InvalidRequest) {
    return oauthResponse(refusesAs(problem.metadata.issues))
  }
  return problemResponse(problem, traceId, challengeOf({ access, hasBadBearer, resourceMetadata }))
})

const otherType = { in: "body", path: "", message: "has a type that is not taken" } as const

/** Replaces what the framework answers to a body of another type. */
const asDeclared = (response: HttpServerResponse.HttpServerResponse, refusesAs: OAuthRefusal | undefined) =>
  refusesAs !== undefined && response.status === 415 ? oauthResponse(refusesAs([otherType])) : response

export const layer = Layer.effect(
  CommonProblems,
  Effect.gen(function* () {
    const { admit } = yield* Admission
    const { charge } = yield* RateLimits
    const { oauthEnabled, publicUrl } = yield* Deployment
    const resourceMetadata = oauthEnabled ? `${addressOf(publicUrl)}${protectedResourcePath}/api` : undefined

    const run = Effect.fnUntraced(function* <A, E, R>(
      handler: Effect.Effect<A, E, R>,
      endpoint: HttpApiEndpoint.Top
    ) {
      const { id, traits, withPlainQuery } = declarationsOf(endpoint)
      const request = yield* HttpServerRequest.HttpServerRequest
      const facts = yield* RequestContext
      facts.operation = id
      facts.maxBody = traits.maxBody
      const exceeded = charge(request, facts, id, traits.units)
      if (exceeded !== undefined) return yield* Effect.fail(exceeded)
      return yield* admit(costOf(traits, request.url), facts.client.network, (releasingPlaceWhile) => {
        facts.releasingPlaceWhile = releasingPlaceWhile
        return withPlainQuery(withCountedBody(handler, endpoint))
      })
    })

    return CommonProblems.of((handler, { endpoint }) => {
      const declarations = declarationsOf(endpoint)
      const { refusesAs } = declarations.traits
      const answered = Effect.catchCause(run(handler, endpoint), (cause) =>
        answer(cause, declarations, resourceMetadata)
      )
      return refusesAs === undefined
        ? answered
        : Effect.map(answered, (response) => asDeclared(response, refusesAs))
    })
  })
)
