/**
 * The page to which providers send people back where there is no frontend. Its script hands over what they bring, as
 * the page of a frontend does, and goes on where people go who have signed in. Where there is a frontend, nobody is sent
 * here, and who comes all the same goes there.
 */
import { Effect } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { addressOf, Deployment } from "../../domain/settings/Deployment.ts"
import { html } from "../page/Html.ts"
import { type Page, type PageAnswer, Pages, shown, type Visit } from "../page/Pages.ts"
import { named } from "../pipeline/RequestContext.ts"

const path = "/auth/:oauth_provider/callback"

export const paths = { [path]: ["GET"] } as const

// Addresses are relative, because a proxy may serve all of it under a path.
const script = html`
const [provider] = location.pathname.split("/").slice(-2)
const query = new URLSearchParams(location.search)
const refuse = (why) => {
  const heading = document.querySelector("h1")
  heading.textContent = heading.nextElementSibling.dataset.refused
  document.querySelector("[role=alert]").textContent = why
}
const finish = async () => {
  if (!query.has("code")) return refuse("")
  const answer = await fetch("../../api/auth/oauth/" + provider + "/callback", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ state: query.get("state") ?? "", code: query.get("code") })
  })
  if (answer.ok) return location.replace("../../login")
  refuse((await answer.json()).title)
}
finish().catch(() => refuse(""))
`

const pageIn = ({ root, texts: { elsewhere } }: Visit): PageAnswer => ({
  ...shown({
    title: elsewhere.title,
    body: html`<p role="alert" data-refused="${elsewhere.refused}"></p>
<noscript><p>${elsewhere.needsScript}</p></noscript>
<p><a href="${root}login">${elsewhere.again}</a></p>
<script>${script}</script>`
  }),
  script
})

const page: Page = {
  name: "sign-in callback",
  operation: "OAuthProviderCallback",
  cost: "quick",
  answer: (visit) => Effect.succeed(pageIn(visit))
}

const toFrontend = (webUrl: URL) =>
  HttpServerResponse.empty({
    status: 302,
    // The code in the address is for nobody else.
    headers: {
      "cache-control": "no-store",
      "referrer-policy": "no-referrer",
      location: addressOf(webUrl)
    }
  })

export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const { publicUrl, webUrl } = yield* Deployment
    const { answering } = yield* Pages
    yield* router.add(
      "GET",
      path,
      webUrl.origin === publicUrl.origin
        ? answering(page)
        : named(page.name, Effect.succeed(toFrontend(webUrl)))
    )
  })
)
