/** The record of everything that happened. What follows from a change is derived from it. */
import { Context, type DateTime, type Effect, Schema } from "effect"
import type { AccountId } from "../shared/Id.ts"
import * as AreaEvents from "./AreaEvents.ts"

export const declaredEvents = Object.values(AreaEvents)

/**
 * Something that happened: past tense, ids, and what others are told of it.
 * Logged events are kept for months and read by older and newer releases, so a
 * declaration only ever gains optional fields.
 */
export const DomainEvent = Schema.Union(declaredEvents)
export type DomainEvent = typeof DomainEvent.Type

type Complete<Event> = Event extends unknown
  ? "standing" extends keyof Event
    ? Event & { readonly standing: Exclude<Event["standing"], undefined> }
    : Event
  : never

/** An event as it is written now: with all from which follows who may be told of it, which older ones may lack. */
export type NewEvent = Complete<DomainEvent>

/** An event as it stands in the log. */
export interface LoggedEvent<Event> {
  /** The id of the event, unique for ever, also among events that have been deleted since. */
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
      ...events: ReadonlyArray<NewEvent>
    ) => Effect.Effect<void>
  }
>()("forum/domain/EventLog") {}
