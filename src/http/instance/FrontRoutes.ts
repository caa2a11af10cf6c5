/** What answers at the two addresses that people try first: `/` and `/api`. */
import { Effect } from "effect"
import { HttpRouter, type HttpServerRequest, HttpServerResponse } from "effect/http"
import { addressOf, Deployment } from "../../domain/settings/Deployment.ts"
import { InstanceSettings } from "../../domain/settings/InstanceSettings.ts"
import { prefersHtml } from "../bytes/Accept.ts"
import { html, said } from "../page/Html.ts"
import type { PageContent } from "../page/Layout.ts"
import { type Asking, askingOf, shown } from "../page/PageAnswer.ts"
import { PageDocuments } from "../page/PageDocuments.ts"
import { named } from "../pipeline/RequestContext.ts"

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

const frontPage = ({ description, version }: Front, { root, texts: { front } }: Asking): PageContent => ({
  title: front.title,
  body: html`<p>${said(description)}</p>
<p>${front.text}</p>
<ul>
<li><a href="${root}login">${front.signIn}</a></li>
<li><a href="${root}${places.reference}">${front.reference}</a></li>
<li><a href="${root}${places.description}">${front.description}</a></li>
<li><a href="${root}${places.problems}">${front.problems}</a></li>
<li><a href="${root}${places.health}">${front.health}</a></li>
</ul>
<p class="hint">${front.version} ${version}</p>`
})

/** A redirect that may lead elsewhere tomorrow. */
const redirect = (location: string) =>
  HttpServerResponse.empty({ status: 302, headers: { location, "cache-control": "no-cache" } })

export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const { publicUrl, version, webUrl } = yield* Deployment
    const { general } = yield* InstanceSettings
    const { publish } = yield* PageDocuments

    const answer = (front: Front, asking: Asking) =>
      Effect.map(
        prefersHtml(asking.request.headers.accept)
          ? publish(shown(frontPage(front, asking)), asking)
          : Effect.succeed(
              HttpServerResponse.jsonUnsafe({ ...front, ...places }, { headers: { vary: "Accept" } })
            ),
        HttpServerResponse.setHeader("cache-control", "no-cache")
      )

    const front = (request: HttpServerRequest.HttpServerRequest) =>
      webUrl.origin === publicUrl.origin
        ? Effect.flatMap(general, ({ description, title }) =>
            answer({ title, description, version }, askingOf(request))
          )
        : Effect.succeed(redirect(addressOf(webUrl)))

    yield* router.add("GET", "/", (request) => named("front", front(request)))
    yield* router.add("GET", "/api", named("front", Effect.succeed(redirect(places.reference))))
  })
)
