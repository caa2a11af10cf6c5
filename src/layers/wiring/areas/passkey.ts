import { Duration, Effect, Layer } from "effect"
import { AuthMethods } from "../../../domain/authentication/AuthMethods.ts"
import { AuthProviders } from "../../../domain/authentication/AuthProviders.ts"
import { Passkeys } from "../../../domain/authentication/Passkeys.ts"
import { SealedStates } from "../../../domain/authentication/SealedStates.ts"
import * as AuthMethodsHandlers from "../../../http/authentication/AuthMethodsHandlers.ts"
import * as PasskeysHandlers from "../../../http/authentication/PasskeysHandlers.ts"
import * as AuthMethodStoreSql from "../../../persistence/authentication/AuthMethodStoreSql.ts"
import * as PasskeyStoreSql from "../../../persistence/authentication/PasskeyStoreSql.ts"
import * as SealedStateStoreSql from "../../../persistence/authentication/SealedStateStoreSql.ts"
import * as IdentityStoreSql from "../../../persistence/elsewhere/IdentityStoreSql.ts"
import * as SimplePasskeyVerifier from "../../adapters/passkeys/SimplePasskeyVerifier.ts"
import { type Area, empty } from "./Area.ts"

/** Passkeys, and what all ways to sign in have in common. */
export const passkey = {
  ...empty,
  stores: Layer.mergeAll(
    PasskeyStoreSql.layer,
    SealedStateStoreSql.layer,
    AuthMethodStoreSql.layer.pipe(Layer.provide(IdentityStoreSql.layer))
  ),
  services: Layer.mergeAll(
    Passkeys.layer.pipe(Layer.provide(SimplePasskeyVerifier.layer)),
    SealedStates.layer,
    AuthMethods.layer,
    AuthProviders.layer
  ),
  handlers: Layer.merge(PasskeysHandlers.layer, AuthMethodsHandlers.layer),
  chores: Effect.all([
    Effect.map(SealedStates, ({ forgetUsed }) => ({
      name: "forget which states that browsers kept were used",
      every: Duration.hours(1),
      run: forgetUsed
    }))
  ])
} satisfies Area
