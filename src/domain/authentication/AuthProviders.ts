/** The ways to sign in that this instance offers to everyone. */
import { Context, Effect, Layer } from "effect"
import { Instance } from "../instance/Instance.ts"
import { type AuthProviderListResult, providerOf, servicesIn } from "./AuthProvider.ts"

const make = Effect.map(Instance, ({ authenticationMode }) => {
  const list = Effect.map(
    authenticationMode,
    (mode): AuthProviderListResult => ({ providers: servicesIn(mode).map(providerOf), mode })
  )
  return { services: Effect.map(authenticationMode, servicesIn), list } as const
})

export class AuthProviders extends Context.Service<AuthProviders, Effect.Success<typeof make>>()(
  "forum/domain/AuthProviders"
) {
  static readonly layer = Layer.effect(AuthProviders, make).pipe(Layer.provide(Instance.layer))
}
