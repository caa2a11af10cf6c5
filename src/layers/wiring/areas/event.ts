import { Duration, Effect, Layer } from "effect"
import * as EventLogSql from "../../../persistence/event/EventLogSql.ts"
import { EventRetention } from "../../../persistence/event/EventRetentionSql.ts"
import { type Area, empty } from "./Area.ts"

export const event = {
  ...empty,
  stores: EventLogSql.layer.pipe(Layer.provideMerge(EventLogSql.EventSignal.layer)),
  services: EventRetention.layer,
  chores: Effect.all([
    Effect.map(EventRetention, ({ apply }) => ({
      name: "apply the retention of the event log",
      every: Duration.hours(1),
      run: apply
    }))
  ])
} satisfies Area
