/** What the record of internal errors needs from storage. */
import { Context, type DateTime, type Effect } from "effect"
import type { AuditEventId } from "../shared/Id.ts"

export interface InternalErrorEntry {
  /** The id of the entry, if there is none of this cause and hour. */
  readonly id: AuditEventId
  readonly at: DateTime.Utc
  /** The cause of the error: errors of one cause have one entry an hour. */
  readonly cause: string
  readonly where: string
  readonly message: string
  readonly traceId: string
  /** How often it happened since it was last recorded. */
  readonly occurrences: number
}

export class InternalErrorStore extends Context.Service<
  InternalErrorStore,
  {
    /**
     * Adds an entry to the audit log, or counts with the one that its cause has in this hour. It is kept whatever
     * becomes of the running transaction.
     */
    readonly record: (entry: InternalErrorEntry) => Effect.Effect<void>
  }
>()("forum/domain/InternalErrorStore") {}
