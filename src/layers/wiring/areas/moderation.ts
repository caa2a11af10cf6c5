import { Effect, Layer } from "effect"
import { ContentFilter } from "../../../domain/filter/ContentFilter.ts"
import { AuditLog } from "../../../domain/moderation/AuditLog.ts"
import { ModerationNotes } from "../../../domain/moderation/ModerationNotes.ts"
import { Purges } from "../../../domain/moderation/Purges.ts"
import { Suspensions } from "../../../domain/moderation/Suspensions.ts"
import * as WarningNotifications from "../../../domain/moderation/WarningNotifications.ts"
import { Warnings } from "../../../domain/moderation/Warnings.ts"
import { InternalErrors } from "../../../domain/operations/InternalErrors.ts"
import * as ModerationHandlers from "../../../http/moderation/ModerationHandlers.ts"
import * as AuditStoreSql from "../../../persistence/moderation/AuditStoreSql.ts"
import * as InternalErrorStoreSql from "../../../persistence/moderation/InternalErrorStoreSql.ts"
import * as ModerationNoteStoreSql from "../../../persistence/moderation/ModerationNoteStoreSql.ts"
import * as PurgeStoreSql from "../../../persistence/moderation/PurgeStoreSql.ts"
import * as WarningStoreSql from "../../../persistence/moderation/WarningStoreSql.ts"
import { type Area, empty } from "./Area.ts"

export const moderation = {
  ...empty,
  stores: Layer.mergeAll(
    AuditStoreSql.layer,
    InternalErrorStoreSql.layer,
    ModerationNoteStoreSql.layer,
    PurgeStoreSql.layer,
    WarningStoreSql.layer
  ),
  services: Layer.mergeAll(
    ContentFilter.layer,
    AuditLog.layer,
    InternalErrors.layer,
    Suspensions.layer,
    ModerationNotes.layer,
    Warnings.layer,
    Purges.layer
  ),
  handlers: Layer.mergeAll(
    ModerationHandlers.moderation,
    ModerationHandlers.notes,
    ModerationHandlers.warnings,
    ModerationHandlers.actions
  ),
  consumers: Effect.all([WarningNotifications.make]),
  workers: Effect.all([
    Effect.map(Purges, ({ drain, follow }) => ({
      name: "remove the content of purged accounts",
      run: follow,
      drain
    }))
  ])
} satisfies Area
