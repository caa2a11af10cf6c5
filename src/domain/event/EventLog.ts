/** The record of everything that happened. What follows from a change is derived from it. */
import { Context, type DateTime, type Effect } from "effect"
import type { AccountId } from "../shared/Id.ts"
import type { DomainEvent } from "./DomainEvent.ts"

/** An event as it stands in the log. */
export interface LoggedEvent<Event> {
  /** Unique for ever, also among events that have been deleted since. */
  readonly id: bigint
  readonly occurredAt: DateTime.Utc
  readonly actorId: AccountId | undefined
  readonly event: Event
}

export class EventLog extends Context.Service<
  EventLog,
  {
    /** Records events as part of the running transaction: they happened if and only if it commits. */
    readonly append: (
      actorId: AccountId | undefined,
      ...events: ReadonlyArray<DomainEvent>
    ) => Effect.Effect<void>
  }
>()("forum/domain/EventLog") {}
