import { Duration, Effect } from "effect"
import { AttemptLimit } from "../../domain/authentication/AttemptLimit.ts"
import { PasswordAuth } from "../../domain/authentication/PasswordAuth.ts"
import * as AuthenticationHandlers from "../../http/authentication/AuthenticationHandlers.ts"
import * as PasswordStoreSql from "../../persistence/authentication/PasswordStoreSql.ts"
import { type Area, empty } from "./Area.ts"

export const authentication = {
  ...empty,
  stores: PasswordStoreSql.layer,
  services: PasswordAuth.layer,
  handlers: AuthenticationHandlers.layer,
  chores: Effect.all([
    Effect.map(AttemptLimit, ({ forgetOld }) => ({
      name: "forget old attempts at passwords",
      every: Duration.hours(1),
      run: forgetOld
    }))
  ])
} satisfies Area
