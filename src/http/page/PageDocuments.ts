/** Writes pages: in the colour of the instance, and with what browsers are told to let them do. */
import { Context, Effect, Layer } from "effect"
import { Digest } from "effect/crypto"
import { Base64 } from "effect/encoding"
import { HttpServerResponse } from "effect/http"
import { Deployment } from "../../domain/settings/Deployment.ts"
import { InstanceSettings } from "../../domain/settings/InstanceSettings.ts"
import { makeAccents } from "./Accent.ts"
import type { Html } from "./Html.ts"
import { documentOf } from "./Layout.ts"
import type { Asking, PageAnswer, Shown } from "./PageAnswer.ts"
import { stylesheet } from "./Stylesheet.ts"
import type { Spoken } from "./texts/Texts.ts"

const headersOf = (texts: Spoken) => ({
  "content-language": texts.language,
  // Browsers tell the origin of a form to the service, and nothing to others.
  "referrer-policy": "same-origin",
  "x-frame-options": "DENY"
})

const forOne = { "cache-control": "no-store", vary: "Accept-Language, Cookie" } as const

/** Of a page that stands beside JSON for programs. */
const forEveryone = { vary: "Accept, Accept-Language" } as const

const make = Effect.gen(function* () {
  const { publicUrl } = yield* Deployment
  const { general } = yield* InstanceSettings
  const accentOf = yield* makeAccents
  const digest = yield* Digest.Digest

  // All pages have the same, until the colour of the instance changes.
  let latest: { readonly colour: string; readonly style: Html; readonly hash: string } | undefined

  const styleFor = Effect.fnUntraced(function* (colour: string) {
    if (latest?.colour === colour) return latest
    const style = stylesheet(yield* accentOf(colour))
    const hash = yield* digest.digest(Digest.sha256, new TextEncoder().encode(String(style)))
    latest = { colour, style, hash: Base64.encode(hash) }
    return latest
  })

  const show = Effect.fnUntraced(function* ({ content, leadsTo = [], status }: Shown, asking: Asking) {
    const { root, texts } = asking
    const { accent_colour, title } = yield* general
    const { hash, style } = yield* styleFor(accent_colour)
    const policy = [
      "default-src 'none'",
      `style-src 'sha256-${hash}'`,
      "img-src 'self'",
      "base-uri 'none'",
      `form-action ${["'self'", publicUrl.origin, ...leadsTo].join(" ")}`,
      "frame-ancestors 'none'"
    ].join("; ")
    return HttpServerResponse.text(String(documentOf(content, { texts, root, style, instance: title })), {
      status,
      contentType: "text/html; charset=utf-8",
      headers: { ...headersOf(texts), "content-security-policy": policy }
    })
  })

  /** Writes a page, or the way to another one. */
  const respond = (answer: PageAnswer, asking: Asking) => {
    if (answer._tag === "Shown")
      return Effect.map(show(answer, asking), HttpServerResponse.setHeaders(forOne))
    const response = HttpServerResponse.empty({
      status: asking.request.method === "POST" ? 303 : 302,
      headers: { ...headersOf(asking.texts), ...forOne, location: answer.location }
    })
    return Effect.succeed(answer.changes.reduce((changed, change) => change(changed), response))
  }

  /** Writes a page that is the same for everyone. */
  const publish = (page: Shown, asking: Asking) =>
    Effect.map(show(page, asking), HttpServerResponse.setHeaders(forEveryone))

  return { respond, publish } as const
})

export class PageDocuments extends Context.Service<PageDocuments, Effect.Success<typeof make>>()(
  "forum/http/PageDocuments"
) {
  static readonly layer = Layer.effect(PageDocuments, make).pipe(Layer.provide(InstanceSettings.layer))
}
