import { Layer } from "effect"
import { AuditLog, makeAuditConsumers } from "../../domain/moderation/AuditLog.ts"
import { ContentFilter } from "../../domain/moderation/ContentFilter.ts"
import { ModerationNotes } from "../../domain/moderation/ModerationNotes.ts"
import { Suspensions } from "../../domain/moderation/Suspensions.ts"
import * as ModerationHandlers from "../../http/moderation/ModerationHandlers.ts"
import * as AuditStoreSql from "../../persistence/moderation/AuditStoreSql.ts"
import * as ModerationNoteStoreSql from "../../persistence/moderation/ModerationNoteStoreSql.ts"
import { type Area, empty } from "./Area.ts"

export const moderation = {
  ...empty,
  stores: Layer.merge(AuditStoreSql.layer, ModerationNoteStoreSql.layer),
  services: Layer.mergeAll(ContentFilter.layer, AuditLog.layer, Suspensions.layer, ModerationNotes.layer),
  handlers: Layer.merge(ModerationHandlers.moderation, ModerationHandlers.notes),
  consumers: makeAuditConsumers
} satisfies Area
