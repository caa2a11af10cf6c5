/** The ways to sign in that this instance offers to everyone. */
import { Context, Effect, Layer } from "effect"
import { Instance } from "../instance/Instance.ts"
import { addressOf, Deployment } from "../settings/Deployment.ts"
import type { AuthMode } from "../settings/GeneralSetting.ts"
import {
  type AuthProvider,
  type AuthProviderListResult,
  type AuthService,
  providerOf,
  servicesIn
} from "./AuthProvider.ts"
import { ProvidersElsewhere } from "./ProvidersElsewhere.ts"

const make = Effect.gen(function* () {
  const { authenticationMode } = yield* Instance
  const elsewhere = yield* ProvidersElsewhere
  const { publicUrl } = yield* Deployment

  const offeredIn = (mode: AuthMode): ReadonlyArray<AuthService> => [
    ...servicesIn(mode),
    ...elsewhere.map(({ service }) => service)
  ]

  /** A way to sign in as people and programs know it here. */
  const shown = (service: AuthService): AuthProvider => {
    const other = elsewhere.find((one) => one.service === service)
    if (other === undefined) return providerOf(service)
    const link = `${addressOf(publicUrl)}/api/auth/oauth/${service}/start`
    return { ...providerOf(service, other.name), link }
  }

  const list = Effect.map(
    authenticationMode,
    (mode): AuthProviderListResult => ({ providers: offeredIn(mode).map(shown), mode })
  )

  return { services: Effect.map(authenticationMode, offeredIn), shown, list } as const
})

export class AuthProviders extends Context.Service<AuthProviders, Effect.Success<typeof make>>()(
  "forum/domain/AuthProviders"
) {
  static readonly layer = Layer.effect(AuthProviders, make).pipe(Layer.provide(Instance.layer))
}
