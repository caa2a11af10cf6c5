/** The settings of other services whose accounts people sign in with. */
import { Effect } from "effect"
import type { ServiceElsewhere } from "../../domain/authentication/AuthProvider.ts"
import type { ProviderElsewhere } from "../../domain/authentication/ProvidersElsewhere.ts"
import { type Parse, refuse, secret, setting, toWebAddress } from "./Setting.ts"

const toIssuer: Parse<string> = (text) => {
  const url = toWebAddress(text)
  const isHere = url !== undefined && /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname)
  return url?.protocol === "https:" || isHere ? url?.href : undefined
}

/** A provider of accounts: its id and its secret, and what else its kind needs, or none of them. */
const readProvider = Effect.fnUntraced(function* (service: ServiceElsewhere, usualIssuer?: string) {
  const prefix = service.toUpperCase()
  const needsIssuer = service === "oauth_keycloak" || service === "oauth_oidc"
  const clientId = yield* setting(`${prefix}_CLIENT_ID`, "an id of up to 255 characters", (text) =>
    /^[\x21-\x7e]{1,255}$/.test(text) ? text : undefined
  )
  const clientSecret = yield* secret(`${prefix}_CLIENT_SECRET`, "a secret without spaces", /^[\x21-\x7e]+$/)
  const issuerForm = "an https address without user, query and fragment"
  const issuer = needsIssuer ? yield* setting(`${prefix}_ISSUER`, issuerForm, toIssuer) : usualIssuer
  const name =
    service === "oauth_oidc"
      ? yield* setting(`${prefix}_NAME`, "a name of up to 100 characters", (text) =>
          /^[^\p{Cc}]{1,100}$/u.test(text) ? text : undefined
        )
      : undefined
  const given = [clientId, clientSecret, name, needsIssuer ? issuer : undefined]
  if (given.every((value) => value === undefined)) return []
  if (clientId === undefined) return yield* refuse(`${prefix}_CLIENT_ID`, "the id that the provider gave")
  if (clientSecret === undefined) return yield* refuse(`${prefix}_CLIENT_SECRET`, "the secret of that id")
  if (needsIssuer && issuer === undefined) return yield* refuse(`${prefix}_ISSUER`, issuerForm)
  const provider: ProviderElsewhere = {
    service,
    clientId,
    clientSecret,
    ...(issuer === undefined ? {} : { issuer }),
    ...(name === undefined ? {} : { name })
  }
  return [provider]
})

/** Other services whose accounts people may sign in with, in the order in which they are shown. */
export const readProviders = Effect.map(
  Effect.all([
    readProvider("oauth_google", "https://accounts.google.com"),
    readProvider("oauth_github"),
    readProvider("oauth_discord"),
    readProvider("oauth_keycloak"),
    readProvider("oauth_oidc")
  ]),
  (lists) => lists.flat()
)
