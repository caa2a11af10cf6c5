import { Effect } from "effect"
import { makeAuditConsumer } from "../../domain/moderation/AuditLog.ts"
import { ContentFilter } from "../../domain/moderation/ContentFilter.ts"
import * as AuditStoreSql from "../../persistence/moderation/AuditStoreSql.ts"
import { type Area, empty } from "./Area.ts"

export const moderation = {
  ...empty,
  stores: AuditStoreSql.layer,
  services: ContentFilter.layer,
  consumers: Effect.all([makeAuditConsumer])
} satisfies Area
