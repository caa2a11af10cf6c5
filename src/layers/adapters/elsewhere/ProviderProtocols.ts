/** Speaks to each provider by its protocol. */
import { Effect, Layer } from "effect"
import type { ServiceElsewhere } from "../../../domain/authentication/AuthProvider.ts"
import { IdentityProviders } from "../../../domain/elsewhere/IdentityProviders.ts"
import { discord, gitHub } from "./Dialects.ts"
import { makeOpenId } from "./OpenId.ts"
import { makePlainOAuth } from "./PlainOAuth.ts"

export const layer = Layer.effect(
  IdentityProviders,
  Effect.gen(function* () {
    const openId = yield* makeOpenId
    const plain = yield* makePlainOAuth
    const protocols: Readonly<Record<ServiceElsewhere, IdentityProviders["Service"]>> = {
      oauth_google: openId,
      oauth_keycloak: openId,
      oauth_oidc: openId,
      oauth_github: plain(gitHub),
      oauth_discord: plain(discord)
    }
    return IdentityProviders.of({
      addressOf: (provider, page, proofs) => protocols[provider.service].addressOf(provider, page, proofs),
      identify: (provider, page, proofs, code) =>
        protocols[provider.service].identify(provider, page, proofs, code)
    })
  })
)
