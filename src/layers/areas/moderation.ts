import { Effect } from "effect"
import { makeAuditConsumer } from "../../domain/moderation/AuditLog.ts"
import * as AuditStoreSql from "../../persistence/moderation/AuditStoreSql.ts"
import { type Area, empty } from "./Area.ts"

export const moderation = {
  ...empty,
  stores: AuditStoreSql.layer,
  consumers: Effect.all([makeAuditConsumer])
} satisfies Area
