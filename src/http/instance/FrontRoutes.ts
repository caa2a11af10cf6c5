/** What answers at the two addresses that people try first: `/` and `/api`. */
import { Effect } from "effect"
import { HttpRouter, type HttpServerRequest, HttpServerResponse } from "effect/http"
import { addressOf, Deployment } from "../../domain/settings/Deployment.ts"
import { InstanceSettings } from "../../domain/settings/InstanceSettings.ts"
import { prefersHtml } from "../bytes/Accept.ts"
import { named } from "../pipeline/RequestContext.ts"
import { escape, page, policy } from "./Page.ts"

export const paths = { "/": ["GET"], "/api": ["GET"] } as const

// Relative, because a proxy may serve all of it under a path.
const places = {
  reference: "api/docs",
  description: "api/openapi.json",
  problems: "api/problems",
  health: "readyz"
} as const

interface Front {
  readonly title: string
  readonly description: string
  readonly version: string
}

const frontPage = ({ description, title, version }: Front) =>
  page(
    title,
    `<p><img src="api/info/icon/180x180" alt="" width="90" height="90"></p>
<h1>${escape(title)}</h1>
<p>${escape(description)}</p>
<p>This is the API of a forum. People read it with a frontend or a program.</p>
<ul>
<li><a href="${places.reference}">Reference of the API</a></li>
<li><a href="${places.description}">Its description, as OpenAPI</a></li>
<li><a href="${places.problems}">The problems that it answers with</a></li>
<li><a href="${places.health}">Health</a>: an empty page while all is well</li>
</ul>
<p>Version ${escape(version)}</p>`
  )

const answerOf = (front: Front, request: HttpServerRequest.HttpServerRequest) => {
  const headers = { vary: "Accept", "cache-control": "no-cache" }
  return prefersHtml(request.headers.accept)
    ? HttpServerResponse.text(frontPage(front), {
        contentType: "text/html; charset=utf-8",
        headers: { ...headers, "content-security-policy": policy }
      })
    : HttpServerResponse.jsonUnsafe({ ...front, ...places }, { headers })
}

/** A redirect that may lead elsewhere tomorrow. */
const redirect = (location: string) =>
  HttpServerResponse.empty({ status: 302, headers: { location, "cache-control": "no-cache" } })

export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const { publicUrl, version, webUrl } = yield* Deployment
    const { general } = yield* InstanceSettings

    const front = (request: HttpServerRequest.HttpServerRequest) =>
      webUrl.origin === publicUrl.origin
        ? Effect.map(general, ({ description, title }) => answerOf({ title, description, version }, request))
        : Effect.succeed(redirect(addressOf(webUrl)))

    yield* router.add("GET", "/", (request) => named("front", front(request)))
    yield* router.add("GET", "/api", named("front", Effect.succeed(redirect(places.reference))))
  })
)
