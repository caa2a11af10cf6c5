import { Duration, Effect } from "effect"
import { IdempotencyKeys } from "../../../domain/idempotency/IdempotencyKeys.ts"
import * as IdempotencyStoreSql from "../../../persistence/idempotency/IdempotencyStoreSql.ts"
import { type Area, empty } from "./Area.ts"

export const idempotency = {
  ...empty,
  stores: IdempotencyStoreSql.layer,
  services: IdempotencyKeys.layer,
  chores: Effect.map(IdempotencyKeys, ({ forget }) => [
    { name: "forget idempotency keys of more than a day ago", every: Duration.hours(1), run: forget }
  ])
} satisfies Area
