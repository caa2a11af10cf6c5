import { Duration, Effect } from "effect"
import { PhoneAuth } from "../../../domain/authentication/PhoneAuth.ts"
import * as PhoneHandlers from "../../../http/authentication/PhoneHandlers.ts"
import * as PhoneStoreSql from "../../../persistence/authentication/PhoneStoreSql.ts"
import { type Area, empty } from "./Area.ts"

export const phone = {
  ...empty,
  stores: PhoneStoreSql.layer,
  services: PhoneAuth.layer,
  handlers: PhoneHandlers.layer,
  chores: Effect.all([
    Effect.map(PhoneAuth, ({ forgetCodes }) => ({
      name: "forget codes for phone numbers that are no longer valid",
      every: Duration.hours(1),
      run: forgetCodes
    }))
  ])
} satisfies Area
