/** What the audit log needs from storage. */
import { Context, type Effect, type Option } from "effect"
import type { ListExtent, ListPlace } from "../shared/ListPlace.ts"
import type { TimeRange } from "../shared/TimeRange.ts"
import type { AuditEvent, AuditEventType } from "./AuditEvent.ts"

/** Entries on a page. */
export const pageSize = 50

export interface AuditFilter {
  /** The types of the listed entries; if empty, entries of any type are listed. */
  readonly types: ReadonlyArray<AuditEventType>
  readonly range: TimeRange
}

export interface AuditPage extends ListExtent {
  readonly events: ReadonlyArray<AuditEvent>
}

export class AuditStore extends Context.Service<
  AuditStore,
  {
    readonly find: (id: string) => Effect.Effect<Option.Option<AuditEvent>>
    /** A page of entries, newest first. */
    readonly list: (filter: AuditFilter, place: ListPlace) => Effect.Effect<AuditPage>
  }
>()("forum/domain/AuditStore") {}
