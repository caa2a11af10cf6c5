/** The pages on which people enter the code that a device shows, and decide about the device. */
import { Effect } from "effect"
import type { OAuthDeviceConsent } from "../../domain/oauthdevice/DeviceAuthorisation.ts"
import { DeviceConsents } from "../../domain/oauthdevice/DeviceConsents.ts"
import { mayGrant } from "../../domain/oauthgrant/Grantable.ts"
import type { OAuthErrorCode } from "../../domain/shared/OAuthError.ts"
import { fromNetwork } from "../pipeline/RequestContext.ts"
import {
  askedBy,
  type Consenting,
  deviceConsentPage,
  deviceDecidedPage,
  deviceEntryPage,
  noConsentPage
} from "./ConsentView.ts"
import { explaining, notAllowed, readDecision } from "./Decision.ts"
import { formRefused } from "./Form.ts"
import { type PageAnswer, queryOf, shown, type Visit } from "./PageAnswer.ts"
import { type Page, routedAt } from "./Pages.ts"
import { makeSignedIn } from "./SignedIn.ts"

const path = "/oauth/consent"

export const paths = { [path]: ["GET", "POST"] } as const

/** Where a code is decided about; where one is entered, if there is none. */
const addressOf = (code: string) =>
  code === "" ? path : `${path}?${new URLSearchParams({ user_code: code })}`

const pageOf = (view: Consenting, consent: OAuthDeviceConsent): PageAnswer =>
  shown(
    deviceConsentPage({
      ...view,
      userCode: consent.user_code,
      asked: askedBy(consent)
    })
  )

/** The page that says why there is nothing to decide about a code. */
const refusalOf =
  (view: Consenting, code: string, mayUsePrograms: boolean) =>
  (error: OAuthErrorCode): PageAnswer => {
    const { device, consent } = view.texts
    if (error === "temporarily_unavailable") return shown(noConsentPage(view, consent.disabled), formRefused)
    if (error === "access_denied" && !mayUsePrograms) return notAllowed(view)
    // Who may use programs is denied only what is somebody else's.
    const text = error === "access_denied" ? device.codeTaken : device.codeWrong
    return shown(deviceEntryPage({ ...view, code, refusal: { text, field: "user_code" } }), formRefused)
  }

const make = Effect.gen(function* () {
  const consents = yield* DeviceConsents
  const signedIn = yield* makeSignedIn()

  const look = (visit: Visit) => {
    const code = queryOf(visit)("user_code").trim()
    return signedIn(visit, addressOf(code), (view, account) => {
      if (!mayGrant(account)) return Effect.succeed(notAllowed(view))
      if (code === "") return Effect.succeed<PageAnswer>(shown(deviceEntryPage(view)))
      return fromNetwork((network) => consents.show(code, network)).pipe(
        Effect.map((consent) => pageOf(view, consent)),
        explaining(refusalOf(view, code, true))
      )
    })
  }

  const decide = Effect.fnUntraced(function* (visit: Visit) {
    const { about: code, decision } = yield* readDecision(visit.request, "user_code")
    return yield* signedIn(visit, addressOf(code), (view, account) =>
      fromNetwork((network) => consents.decide(code, decision, network)).pipe(
        Effect.map(({ status }): PageAnswer => shown(deviceDecidedPage(view.texts, status))),
        explaining(refusalOf(view, code, mayGrant(account)))
      )
    )
  })

  const looking: Page = {
    name: "device consent page",
    operation: "OAuthDeviceConsent",
    answer: look
  }
  const deciding: Page = {
    name: "device consent by page",
    operation: "OAuthDeviceConsentSubmit",
    answer: decide
  }
  return { GET: looking, POST: deciding } as const
})

export const layer = routedAt(path, make)
