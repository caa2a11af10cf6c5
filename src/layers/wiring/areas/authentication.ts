import { Duration, Effect, Layer } from "effect"
import { AttemptLimit } from "../../../domain/authentication/AttemptLimit.ts"
import { EmailAuth } from "../../../domain/authentication/EmailAuth.ts"
import { PasswordAuth } from "../../../domain/authentication/PasswordAuth.ts"
import { Resets } from "../../../domain/authentication/Resets.ts"
import * as AuthenticationHandlers from "../../../http/authentication/AuthenticationHandlers.ts"
import * as EmailAuthenticationHandlers from "../../../http/authentication/EmailAuthenticationHandlers.ts"
import * as EmailSignInStoreSql from "../../../persistence/authentication/EmailSignInStoreSql.ts"
import * as PasswordStoreSql from "../../../persistence/authentication/PasswordStoreSql.ts"
import * as ResetStoreSql from "../../../persistence/authentication/ResetStoreSql.ts"
import { type Area, empty } from "./Area.ts"

export const authentication = {
  ...empty,
  stores: Layer.mergeAll(PasswordStoreSql.layer, EmailSignInStoreSql.layer, ResetStoreSql.layer),
  services: Layer.mergeAll(PasswordAuth.layer, EmailAuth.layer, Resets.layer),
  handlers: Layer.merge(AuthenticationHandlers.layer, EmailAuthenticationHandlers.layer),
  chores: Effect.all([
    Effect.map(AttemptLimit, ({ forgetOld }) => ({
      name: "forget old attempts at passwords",
      every: Duration.hours(1),
      run: forgetOld
    })),
    Effect.map(EmailAuth, ({ forgetCodes }) => ({
      name: "forget codes that are no longer valid",
      every: Duration.hours(1),
      run: forgetCodes
    })),
    Effect.map(Resets, ({ forgetExpired }) => ({
      name: "forget tokens for passwords that are no longer valid",
      every: Duration.hours(1),
      run: forgetExpired
    }))
  ])
} satisfies Area
