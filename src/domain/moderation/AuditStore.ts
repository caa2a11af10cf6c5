/** What the audit log needs from storage. */
import { Context, type DateTime, type Effect, type Option } from "effect"
import type { AccountId, AuditEventId } from "../shared/Id.ts"
import type { JsonObject } from "../shared/Json.ts"
import type { TimeRange } from "../shared/TimeRange.ts"
import type { AuditEvent, AuditEventType } from "./AuditEvent.ts"

export interface AuditEntry {
  readonly id: AuditEventId
  readonly at: DateTime.Utc
  readonly type: AuditEventType
  readonly enactedBy: AccountId | undefined
  readonly subject: JsonObject
  /** The event in the log that it follows from. */
  readonly causeId: bigint
}

/** Entries on a page. */
export const pageSize = 50

export interface AuditFilter {
  /** Of any type if empty. */
  readonly types: ReadonlyArray<AuditEventType>
  readonly range: TimeRange
}

export interface AuditPage {
  /** Entries on all pages. */
  readonly total: number
  readonly events: ReadonlyArray<AuditEvent>
}

export class AuditStore extends Context.Service<
  AuditStore,
  {
    /** Keeps them. An entry for an event that already has one is ignored. */
    readonly insert: (entries: ReadonlyArray<AuditEntry>) => Effect.Effect<void>
    readonly find: (id: string) => Effect.Effect<Option.Option<AuditEvent>>
    /** Newest first. */
    readonly list: (filter: AuditFilter, page: number) => Effect.Effect<AuditPage>
  }
>()("forum/domain/AuditStore") {}
