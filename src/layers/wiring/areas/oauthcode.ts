import { Duration, Effect } from "effect"
import { Authorisations } from "../../../domain/oauthcode/Authorisations.ts"
import * as AuthorisationsHandlers from "../../../http/oauthcode/AuthorisationsHandlers.ts"
import * as AuthorisationStoreSql from "../../../persistence/oauthcode/AuthorisationStoreSql.ts"
import { type Area, empty } from "./Area.ts"

export const oauthcode = {
  ...empty,
  stores: AuthorisationStoreSql.layer,
  services: Authorisations.layer,
  handlers: AuthorisationsHandlers.layer,
  chores: Effect.map(Authorisations, ({ forget }) => [
    { name: "forget authorisations that nobody can use", every: Duration.hours(1), run: forget }
  ])
} satisfies Area
