/**
 * The page to which remote servers send browsers back where there is no frontend. Its script hands over what they bring, as
 * the page of a frontend does, and says what came of it. Where there is a frontend, nobody is sent here, and who comes all
 * the same goes there.
 */
import { Effect } from "effect"
import { Digest } from "effect/crypto"
import { Base64 } from "effect/encoding"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { remoteCallbackPath } from "../../domain/discovery/ClientMetadata.ts"
import { addressOf, Deployment } from "../../domain/settings/Deployment.ts"
import { page } from "../instance/Page.ts"
import { named } from "../pipeline/RequestContext.ts"

export const paths = { [remoteCallbackPath]: ["GET"] } as const

// Addresses are relative, because a proxy may serve all of it under a path.
const script = `const brought = new URLSearchParams(location.search)
const say = (text) => { document.querySelector("h1").textContent = text }
const finish = async () => {
  if (!brought.has("code")) return say("The server did not approve the connection")
  const given = new URLSearchParams()
  for (const name of ["state", "code", "iss"]) if (brought.has(name)) given.set(name, brought.get(name))
  const answer = await fetch("../../api/oauth/remote/callback?" + given)
  const body = await answer.json()
  if (!answer.ok) return say(body.title)
  say("Connected to " + (body.connection.resource_name ?? body.connection.resource_url))
}
finish().catch(() => say("The service did not answer"))
`

const html = page(
  "Connecting",
  `<h1>Connecting…</h1>
<p><a href="../../">To the front page</a></p>
<noscript><p>This page needs JavaScript.</p></noscript>
<script>${script}</script>`
)

// The code in the address is for nobody else.
const headers = { "cache-control": "no-store", "referrer-policy": "no-referrer" }

export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const { publicUrl, webUrl } = yield* Deployment
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
    const response =
      webUrl.origin === publicUrl.origin
        ? HttpServerResponse.text(html, {
            contentType: "text/html; charset=utf-8",
            headers: { ...headers, "content-security-policy": policy }
          })
        : HttpServerResponse.empty({ status: 302, headers: { ...headers, location: addressOf(webUrl) } })
    yield* router.add(
      "GET",
      remoteCallbackPath,
      named("return from remote servers", Effect.succeed(response))
    )
  })
)
