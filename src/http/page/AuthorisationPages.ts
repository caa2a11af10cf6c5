/** The page on which people decide about a program that sent their browser here. */
import { Effect } from "effect"
import { Authorisations } from "../../domain/oauthcode/Authorisations.ts"
import type { OAuthErrorCode } from "../../domain/shared/OAuthError.ts"
import { askedBy, type Consenting, codeConsentPage, noConsentPage } from "./ConsentView.ts"
import { explaining, notAllowed, readDecision } from "./Decision.ts"
import { formRefused } from "./Form.ts"
import { moved, type PageAnswer, queryOf, shown, type Visit } from "./PageAnswer.ts"
import { type Page, routedAt } from "./Pages.ts"
import { makeSignedIn } from "./SignedIn.ts"

const path = "/oauth/authorize/consent"

export const paths = { [path]: ["GET", "POST"] } as const

const addressOf = (requestId: string) => `${path}?${new URLSearchParams({ request_id: requestId })}`

/**
 * Where the form of a page may lead, as browsers check it over all redirects: to the program, and wherever over https
 * it leads on. A policy cannot name an IPv6 address.
 */
export const sourcesOf = (redirect: string): ReadonlyArray<string> => {
  const url = URL.parse(redirect)
  if (url === null) return []
  const isWeb = /^https?:$/.test(url.protocol)
  return ["https:", isWeb && !url.hostname.startsWith("[") ? url.origin : url.protocol]
}

/** The page that says why there is nothing to decide. */
const refusalOf =
  (view: Consenting) =>
  (error: OAuthErrorCode): PageAnswer => {
    const { consent } = view.texts
    if (error === "access_denied") return notAllowed(view)
    const texts: Partial<Record<OAuthErrorCode, string>> = {
      temporarily_unavailable: consent.disabled,
      invalid_client: consent.noClient
    }
    return shown(noConsentPage(view, texts[error] ?? consent.gone), formRefused)
  }

const make = Effect.gen(function* () {
  const authorisations = yield* Authorisations
  const signedIn = yield* makeSignedIn()

  const look = (visit: Visit) => {
    const requestId = queryOf(visit)("request_id")
    return signedIn(visit, addressOf(requestId), (view) =>
      authorisations.show(requestId).pipe(
        Effect.map((consent): PageAnswer => {
          const redirect = consent.redirect_uri
          const content = codeConsentPage({ ...view, asked: askedBy(consent), requestId, redirect })
          return { ...shown(content), leadsTo: sourcesOf(redirect) }
        }),
        explaining(refusalOf(view))
      )
    )
  }

  const decide = Effect.fnUntraced(function* (visit: Visit) {
    const { about: requestId, decision } = yield* readDecision(visit.request, "request_id")
    return yield* signedIn(visit, addressOf(requestId), (view) =>
      authorisations.decide(requestId, decision).pipe(
        Effect.map(({ location }): PageAnswer => moved(location)),
        explaining(refusalOf(view))
      )
    )
  })

  const looking: Page = {
    name: "consent page",
    operation: "OAuthAuthoriseConsent",
    answer: look
  }
  const deciding: Page = {
    name: "consent by page",
    operation: "OAuthAuthoriseConsentSubmit",
    answer: decide
  }
  return { GET: looking, POST: deciding } as const
})

export const layer = routedAt(path, make)
