/** How pages are answered: counted and admitted like operations, in the language of who asks, and with failures as pages. */
import { Cause, Context, Effect, Layer } from "effect"
import { Digest } from "effect/crypto"
import { Base64 } from "effect/encoding"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { Callers } from "../../domain/session/Callers.ts"
import { Deployment } from "../../domain/settings/Deployment.ts"
import { InstanceSettings } from "../../domain/settings/InstanceSettings.ts"
import type { Actor } from "../../domain/shared/Actor.ts"
import type { AnyProblem } from "../../domain/shared/Problem.ts"
import type { Cost } from "../contract/Cost.ts"
import { CrossSiteRequest, InternalError } from "../contract/RequestProblems.ts"
import { Admission } from "../pipeline/Admission.ts"
import { credentialsOf } from "../pipeline/Authentication.ts"
import { isFromOtherPage } from "../pipeline/Origins.ts"
import { problemHeaders, problemOf } from "../pipeline/ProblemResponse.ts"
import { RateLimits } from "../pipeline/RateLimits.ts"
import { RequestContext, type RequestFacts } from "../pipeline/RequestContext.ts"
import { pathOf } from "../pipeline/Unrouted.ts"
import { makeAccents } from "./Accent.ts"
import { noticeOf } from "./FailureView.ts"
import { formMax } from "./Form.ts"
import type { Html } from "./Html.ts"
import { documentOf, type PageContent } from "./Layout.ts"
import { stylesheet } from "./Stylesheet.ts"
import { type Spoken, textsFor } from "./texts/Texts.ts"

type Request = HttpServerRequest.HttpServerRequest
type Response = HttpServerResponse.HttpServerResponse

/** Who asks for a page, and how it is spoken to. */
export interface Visit {
  readonly request: Request
  readonly texts: Spoken
  /** The way from the page to the address of the service, which ends in a slash. */
  readonly root: string
  /** The caller, by the session of the browser alone. */
  readonly actor: Actor
}

type Change = (response: Response) => Response

/** A page. */
interface Shown {
  readonly _tag: "Shown"
  readonly content: PageContent
  readonly status: number
  /** Where the forms of the page lead beside the service, as sources of a content security policy. */
  readonly leadsTo?: ReadonlyArray<string>
  /** The script of the page, which speaks to the service alone. */
  readonly script?: Html
}

/** The way to another page. */
interface Moved {
  readonly _tag: "Moved"
  readonly location: string
  /** What the answer has beside it, such as cookies. */
  readonly changes: ReadonlyArray<Change>
}

/** What a page is answered with. */
export type PageAnswer = Shown | Moved

export const shown = (content: PageContent, status = 200): Shown => ({ _tag: "Shown", content, status })

export const moved = (location: string, ...changes: ReadonlyArray<Change>): Moved => ({
  _tag: "Moved",
  location,
  changes
})

export interface Page {
  /** Its name in the log and the metrics. */
  readonly name: string
  /** The operation that it stands in for, as which it is counted, with the units that this one costs. */
  readonly operation: string
  readonly units?: number
  readonly cost: Cost
  readonly answer: (visit: Visit) => Effect.Effect<PageAnswer, AnyProblem>
}

/** The way from an address of the service to its root. Relative, because a proxy may serve all of it under a path. */
const rootFrom = (request: Request) => {
  const depth = pathOf(request).split("/").length - 2
  return depth === 0 ? "./" : "../".repeat(depth)
}

/** The parameters of the address of a page: an empty text for one that is not there, and the last of several. */
export const queryOf = ({ request }: Visit) => {
  const query = request.url.indexOf("?")
  const parameters = new URLSearchParams(query === -1 ? "" : request.url.slice(query))
  return (name: string): string => parameters.getAll(name).at(-1) ?? ""
}

const usualHeaders = (texts: Spoken) => ({
  "cache-control": "no-store",
  "content-language": texts.language,
  vary: "Accept-Language, Cookie",
  // Browsers tell the origin of a form to the service, and nothing to others.
  "referrer-policy": "same-origin",
  "x-frame-options": "DENY"
})

const make = Effect.gen(function* () {
  const deployment = yield* Deployment
  const { general } = yield* InstanceSettings
  const callers = yield* Callers
  const { admit } = yield* Admission
  const limits = yield* RateLimits
  const accentOf = yield* makeAccents
  const digest = yield* Digest.Digest

  const hashOf = (text: Html) =>
    Effect.map(
      digest.digest(Digest.sha256, new TextEncoder().encode(String(text))),
      (hash) => `'sha256-${Base64.encode(hash)}'`
    )

  // All pages have the same, until the colour of the instance changes.
  let latest: { readonly colour: string; readonly style: Html; readonly hash: string } | undefined

  const styleFor = Effect.fnUntraced(function* (colour: string) {
    if (latest?.colour === colour) return latest
    const style = stylesheet(yield* accentOf(colour))
    latest = { colour, style, hash: yield* hashOf(style) }
    return latest
  })

  const show = Effect.fnUntraced(function* (
    { content, leadsTo = [], script, status }: Shown,
    { root, texts }: Omit<Visit, "actor">
  ) {
    const { accent_colour, title } = yield* general
    const { hash, style } = yield* styleFor(accent_colour)
    const policy = [
      "default-src 'none'",
      `style-src ${hash}`,
      "img-src 'self'",
      "base-uri 'none'",
      `form-action ${["'self'", deployment.publicUrl.origin, ...leadsTo].join(" ")}`,
      "frame-ancestors 'none'",
      ...(script === undefined ? [] : [`script-src ${yield* hashOf(script)}`, "connect-src 'self'"])
    ].join("; ")
    return HttpServerResponse.text(String(documentOf(content, { texts, root, style, instance: title })), {
      status,
      contentType: "text/html; charset=utf-8",
      headers: { ...usualHeaders(texts), "content-security-policy": policy }
    })
  })

  const respond = (answer: PageAnswer, visit: Omit<Visit, "actor">) => {
    if (answer._tag === "Shown") return show(answer, visit)
    const response = HttpServerResponse.empty({
      status: visit.request.method === "POST" ? 303 : 302,
      headers: { ...usualHeaders(visit.texts), location: answer.location }
    })
    return Effect.succeed(answer.changes.reduce((changed, change) => change(changed), response))
  }

  /** The page that says why there is no other one. */
  const refuse = Effect.fnUntraced(function* (
    cause: Cause.Cause<unknown>,
    visit: Omit<Visit, "actor">,
    { maxBody, traceId }: RequestFacts
  ) {
    if (Cause.hasInterruptsOnly(cause)) return yield* Effect.interrupt
    const problem = problemOf(cause, maxBody)
    if (problem instanceof InternalError) {
      yield* Effect.logError("Request failed", cause).pipe(Effect.annotateLogs({ trace_id: traceId }))
    }
    const content = noticeOf(problem, traceId, visit)
    const response = yield* respond(shown(content, problem.status), visit)
    return HttpServerResponse.setHeaders(response, problemHeaders(problem))
  })

  const identify = Effect.fnUntraced(function* (request: Request, facts: RequestFacts) {
    const actor = yield* callers.identify({ ...credentialsOf(request), bearer: undefined })
    facts.account = actor._tag === "Account" ? actor.accountId : "guest"
    if (actor._tag === "Guest") facts.chargeAsGuest()
    return actor
  })

  /** Answers a request with a page. */
  const answering = ({ answer, cost, name, operation, units = 1 }: Page) =>
    Effect.gen(function* () {
      const request = yield* HttpServerRequest.HttpServerRequest
      const facts = yield* RequestContext
      facts.operation = name
      facts.maxBody = formMax
      const visit = {
        request,
        texts: textsFor(request.headers["accept-language"]),
        root: rootFrom(request)
      }
      const answered = Effect.gen(function* () {
        const exceeded = limits.charge(request, facts, operation, units)
        if (exceeded !== undefined) return yield* Effect.fail(exceeded)
        if (isFromOtherPage(deployment, request)) return yield* new CrossSiteRequest()
        return yield* admit(cost, facts.client.network, (releasingPlaceWhile) => {
          facts.releasingPlaceWhile = releasingPlaceWhile
          return Effect.flatMap(identify(request, facts), (actor) => answer({ ...visit, actor }))
        })
      })
      return yield* answered.pipe(
        Effect.flatMap((page) => respond(page, visit)),
        Effect.catchCause((cause) => refuse(cause, visit, facts))
      )
    })

  return { answering } as const
})

/** Answers pages. */
export class Pages extends Context.Service<Pages, Effect.Success<typeof make>>()("forum/http/Pages") {
  static readonly layer = Layer.effect(Pages, make).pipe(Layer.provide(InstanceSettings.layer))
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
