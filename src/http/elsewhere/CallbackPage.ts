/**
 * The page to which providers send people back where there is no frontend. Its script hands over what they bring, as
 * the page of a frontend does, and goes to the front page. Where there is a frontend, nobody is sent here, and who comes all
 * the same goes there.
 */
import { Effect } from "effect"
import { Digest } from "effect/crypto"
import { Base64 } from "effect/encoding"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { addressOf, Deployment } from "../../domain/settings/Deployment.ts"
import { page } from "../instance/Page.ts"
import { named } from "../pipeline/RequestContext.ts"

export const paths = { "/auth/:oauth_provider/callback": ["GET"] } as const

// Addresses are relative, because a proxy may serve all of it under a path.
const script = `const [provider] = location.pathname.split("/").slice(-2)
const query = new URLSearchParams(location.search)
const say = (text) => { document.querySelector("h1").textContent = text }
const finish = async () => {
  if (!query.has("code")) return say("The provider did not sign you in")
  const answer = await fetch("../../api/auth/oauth/" + provider + "/callback", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ state: query.get("state") ?? "", code: query.get("code") })
  })
  if (answer.ok) return location.replace("../../")
  say((await answer.json()).title)
}
finish().catch(() => say("The service did not answer"))
`

const html = page(
  "Signing in",
  `<h1>Signing in…</h1>
<p><a href="../../">To the front page</a></p>
<noscript><p>This page needs JavaScript.</p></noscript>
<script>${script}</script>`
)

export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const { publicUrl, webUrl } = yield* Deployment
    const isHere = webUrl.origin === publicUrl.origin
    const digest = yield* Digest.Digest
    const hash = yield* digest.digest(Digest.sha256, new TextEncoder().encode(script))
    const policy = [
      "default-src 'none'",
      `script-src 'sha256-${Base64.encode(hash)}'`,
      "style-src 'unsafe-inline'",
      "connect-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'"
    ].join("; ")
    // The code in the address is for nobody else.
    const headers = { "cache-control": "no-store", "referrer-policy": "no-referrer" }
    const response = isHere
      ? HttpServerResponse.text(html, {
          contentType: "text/html; charset=utf-8",
          headers: { ...headers, "content-security-policy": policy }
        })
      : HttpServerResponse.empty({ status: 302, headers: { ...headers, location: addressOf(webUrl) } })
    yield* router.add(
      "GET",
      "/auth/:oauth_provider/callback",
      named("sign-in callback", Effect.succeed(response))
    )
  })
)
