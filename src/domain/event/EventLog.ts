/** The record of everything that happened; what follows from a change is read from here. */
import { Context, type DateTime, type Effect } from "effect"
import type { AccountId } from "../shared/Id.ts"
import type { DomainEvent } from "./DomainEvent.ts"

/** An event with its place in the log. */
export interface LoggedEvent {
  readonly id: bigint
  readonly occurredAt: DateTime.Utc
  readonly actorId: AccountId | undefined
  readonly event: DomainEvent
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

/**
 * Something that follows from events. `handle` runs in the transaction that
 * moves the consumer's position past the events, so each takes effect once.
 */
export interface EventConsumer {
  readonly name: string
  readonly handle: (events: ReadonlyArray<LoggedEvent>) => Effect.Effect<void>
}
