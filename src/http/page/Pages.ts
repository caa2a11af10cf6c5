/** How pages are answered: counted and admitted like operations, in the language of who asks, and with failures as pages. */
import { Cause, Context, Effect, Layer } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { Callers } from "../../domain/session/Callers.ts"
import { addressOf, Deployment } from "../../domain/settings/Deployment.ts"
import type { AnyProblem } from "../../domain/shared/Problem.ts"
import { ForumApi } from "../Api.ts"
import { endpointsOf } from "../contract/Endpoints.ts"
import { OperationTraits } from "../contract/Operation.ts"
import { CrossSiteRequest, InternalError } from "../contract/RequestProblems.ts"
import { Admission } from "../pipeline/Admission.ts"
import { credentialsOf } from "../pipeline/Authentication.ts"
import { isFromOtherPage } from "../pipeline/Origins.ts"
import { problemHeaders, problemOf } from "../pipeline/ProblemResponse.ts"
import { RateLimits } from "../pipeline/RateLimits.ts"
import { named, RequestContext, type RequestFacts } from "../pipeline/RequestContext.ts"
import { noticeOf } from "./FailureView.ts"
import { formMax } from "./Form.ts"
import { type Asking, askingOf, type PageAnswer, shown, type Visit } from "./PageAnswer.ts"
import { PageDocuments } from "./PageDocuments.ts"

type Request = HttpServerRequest.HttpServerRequest

export interface Page {
  /** Its name in the log and the metrics. */
  readonly name: string
  /** The id of the operation that it stands in for, as which it is counted and admitted. */
  readonly operation: string
  readonly answer: (visit: Visit) => Effect.Effect<PageAnswer, AnyProblem>
}

/** What a page costs, which is what its operation does. */
const costOf = ({ operation }: Page) => {
  const declared = endpointsOf(ForumApi).find(({ id }) => id === operation)
  if (declared === undefined) throw new Error(`A page stands in for ${operation}, which is no operation`)
  return Context.get(declared.endpoint.annotations, OperationTraits)
}

const make = Effect.gen(function* () {
  const deployment = yield* Deployment
  const callers = yield* Callers
  const { admit } = yield* Admission
  const limits = yield* RateLimits
  const { respond } = yield* PageDocuments

  /** The page that says why there is no other one. */
  const refuse = Effect.fnUntraced(function* (
    cause: Cause.Cause<unknown>,
    asking: Asking,
    { maxBody, traceId }: RequestFacts
  ) {
    if (Cause.hasInterruptsOnly(cause)) return yield* Effect.interrupt
    const problem = problemOf(cause, maxBody)
    if (problem instanceof InternalError) {
      yield* Effect.logError("Request failed", cause).pipe(Effect.annotateLogs({ trace_id: traceId }))
    }
    const content = noticeOf(problem, traceId, asking)
    const response = yield* respond(shown(content, problem.status), asking)
    return HttpServerResponse.setHeaders(response, problemHeaders(problem))
  })

  const identify = Effect.fnUntraced(function* (request: Request, facts: RequestFacts) {
    const actor = yield* callers.identify({ ...credentialsOf(request), bearer: undefined })
    facts.account = actor._tag === "Account" ? actor.accountId : "guest"
    if (actor._tag === "Guest") facts.chargeAsGuest()
    return actor
  })

  /** Answers a request with a page. */
  const answering = (page: Page) => {
    const { cost, units } = costOf(page)
    const { answer, name, operation } = page
    return Effect.gen(function* () {
      const request = yield* HttpServerRequest.HttpServerRequest
      const facts = yield* RequestContext
      facts.operation = name
      facts.maxBody = formMax
      const asking = askingOf(request)
      const answered = Effect.gen(function* () {
        const exceeded = limits.charge(request, facts, operation, units)
        if (exceeded !== undefined) return yield* Effect.fail(exceeded)
        if (isFromOtherPage(deployment, request)) return yield* new CrossSiteRequest()
        return yield* admit(cost, facts.client.network, (releasingPlaceWhile) => {
          facts.releasingPlaceWhile = releasingPlaceWhile
          return Effect.flatMap(identify(request, facts), (actor) => answer({ ...asking, actor }))
        })
      })
      return yield* answered.pipe(
        Effect.flatMap((answered) => respond(answered, asking)),
        Effect.catchCause((cause) => refuse(cause, asking, facts))
      )
    })
  }

  return { answering } as const
})

/** Answers pages. */
export class Pages extends Context.Service<Pages, Effect.Success<typeof make>>()("forum/http/Pages") {
  static readonly layer = Layer.effect(Pages, make).pipe(Layer.provide(PageDocuments.layer))
}

/** The routes of an address with a page to look at, and one that answers its form. */
export const routedAt = <E, R>(
  path: `/${string}`,
  make: Effect.Effect<Readonly<Record<"GET" | "POST", Page>>, E, R>
) =>
  HttpRouter.use(
    Effect.fnUntraced(function* (router) {
      const { answering } = yield* Pages
      const pages = yield* make
      for (const method of ["GET", "POST"] as const) yield* router.add(method, path, answering(pages[method]))
    })
  )

const toFrontend = (webUrl: URL) =>
  HttpServerResponse.empty({
    status: 302,
    // The code in the address is for nobody else.
    headers: { "cache-control": "no-store", "referrer-policy": "no-referrer", location: addressOf(webUrl) }
  })

/**
 * The route of a page to which other services send browsers back. Where there is a frontend, nobody is sent here, and who
 * comes all the same goes there.
 */
export const returningTo = <E, R>(path: `/${string}`, make: Effect.Effect<Page, E, R>) =>
  HttpRouter.use(
    Effect.fnUntraced(function* (router) {
      const { publicUrl, webUrl } = yield* Deployment
      const { answering } = yield* Pages
      const page = yield* make
      const isHere = webUrl.origin === publicUrl.origin
      yield* router.add(
        "GET",
        path,
        isHere ? answering(page) : named(page.name, Effect.succeed(toFrontend(webUrl)))
      )
    })
  )
