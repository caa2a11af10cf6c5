/** The interactive reference: one page that contains its scripts and the document, and loads nothing else. */
import { Effect } from "effect"
import { Digest } from "effect/crypto"
import { Base64 } from "effect/encoding"
import { HttpRouter } from "effect/http"
import { HttpApiSwagger, OpenApi } from "effect/http-api"
import { ForumApi } from "../Api.ts"
import type { Contents } from "../bytes/CachedResponse.ts"
import type { JsonObject } from "../document/Json.ts"

const path = "/docs"

/** The text in the web page of Effect behind which settings of Swagger UI stand. */
const place = 'dom_id: "#swagger-ui",'

/** The settings of Swagger UI. Each operation gets an address, and schemas are only shown where they are used. */
const settings = "deepLinking: true, defaultModelsExpandDepth: -1,"

/** An empty icon for the web page: without one, browsers would ask for an icon, and the service has none. */
const icon = '<link rel="icon" href="data:,">'

/** The page that Effect makes with Swagger UI, with our document instead of the derived one. */
const page = (document: JsonObject): Effect.Effect<string> =>
  Effect.promise(async () => {
    const api = ForumApi.annotate(OpenApi.Transform, () => document)
    const routes = HttpApiSwagger.layer(api, { path })
    const { dispose, handler } = HttpRouter.toWebHandler(routes, { disableLogger: true })
    const response = await handler(new Request(`http://reference${path}`))
    const html = await response.text()
    await dispose()
    return html.replace(place, `${place} ${settings}`).replace("</head>", `${icon}</head>`)
  })

const scripts = (html: string): ReadonlyArray<string> =>
  [...html.matchAll(/<script>([\s\S]*?)<\/script>/g)].map(([, source = ""]) => source)

/**
 * Allows the scripts in the page, by their hashes, and requests to this origin.
 * A library tests whether it may evaluate text, and works without: browsers
 * report that one violation.
 */
const makePolicy = Effect.fnUntraced(function* (html: string) {
  const digest = yield* Digest.Digest
  const hashes = yield* Effect.forEach(scripts(html), (source) =>
    Effect.map(
      digest.digest(Digest.sha256, new TextEncoder().encode(source)),
      (hash) => `'sha256-${Base64.encode(hash)}'`
    )
  )
  return [
    "default-src 'none'",
    `script-src ${hashes.join(" ")}`,
    // The script of Swagger UI adds style attributes.
    "style-src 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'"
  ].join("; ")
})

export const makeReference = Effect.fnUntraced(function* (document: JsonObject) {
  const text = yield* page(document)
  return {
    text,
    contentType: "text/html; charset=utf-8",
    headers: {
      "cache-control": "public, no-cache",
      "content-security-policy": yield* makePolicy(text)
    }
  } satisfies Contents
})
