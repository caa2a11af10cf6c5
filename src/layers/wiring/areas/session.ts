import { Duration, Effect, Layer } from "effect"
import { Callers } from "../../../domain/session/Callers.ts"
import { Sessions } from "../../../domain/session/Sessions.ts"
import { StreamCallers } from "../../../domain/session/StreamCallers.ts"
import * as SessionStoreSql from "../../../persistence/session/SessionStoreSql.ts"
import { type Area, empty } from "./Area.ts"

export const session = {
  ...empty,
  stores: SessionStoreSql.layer,
  services: Layer.mergeAll(Sessions.layer, Callers.layer, StreamCallers.layer),
  chores: Effect.all([
    Effect.map(Sessions, ({ forgetExpired }) => ({
      name: "forget expired sessions",
      every: Duration.hours(1),
      run: forgetExpired
    }))
  ])
} satisfies Area
