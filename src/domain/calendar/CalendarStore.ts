/** What the rules of calendar events need from storage. */
import { Context, type DateTime, type Effect, type Option } from "effect"
import type { JsonObject } from "../field/Json.ts"
import type { Timestamp } from "../field/Resource.ts"
import type { AccountId, AssetId, CalendarEventId, PostId } from "../shared/Id.ts"
import type { ListExtent, ListPlace } from "../shared/ListPlace.ts"
import type { Mark } from "../shared/Mark.ts"
import type { Visibility } from "../shared/Visibility.ts"
import type { SearchTookTooLong } from "../text/TextProblem.ts"
import type { ParticipationStatus } from "../vocabulary/Participation.ts"
import type {
  CalendarEventReference,
  EventSlugTaken,
  EventStanding,
  FoundEvent,
  TimeRange
} from "./CalendarEvent.ts"
import type { Readable } from "./CalendarRules.ts"
import type { EventLocation } from "./Location.ts"
import type { ParticipationPolicy } from "./Participant.ts"
import type { Counts, Participation } from "./ParticipationRules.ts"

export interface CalendarEventInsert {
  readonly id: CalendarEventId
  readonly at: DateTime.Utc
  readonly threadId: PostId
  readonly hostId: AccountId
  readonly name: string
  readonly slug: string
  readonly description: string
  readonly timeRange: TimeRange
  readonly imageId: AssetId | undefined
  readonly policy: ParticipationPolicy
  readonly visibility: Visibility
  readonly location: EventLocation | undefined
  readonly capacity: number | undefined
  readonly meta: JsonObject
}

/** What a change stores: absent keys stay as they are, and null clears. */
export interface CalendarEventUpdate {
  readonly name?: string
  readonly slug?: string
  readonly description?: string
  readonly timeRange?: TimeRange
  readonly imageId?: AssetId | null
  readonly policy?: ParticipationPolicy
  readonly visibility?: Visibility
  readonly location?: EventLocation | null
  readonly capacity?: number | null
  readonly meta?: JsonObject
}

/** An event that is locked. */
export interface LockedEvent extends EventStanding {
  readonly id: CalendarEventId
  readonly policy: ParticipationPolicy
  readonly counts: Counts
  readonly hosts: ReadonlyArray<AccountId>
}

export interface CalendarFilter {
  readonly readable: Readable
  readonly place: ListPlace
  /** The text to look for, in the form of `searchForm`; if absent, text does not matter. */
  readonly text: string | undefined
}

/** Which events to find that end next. */
export interface EndingEvents {
  readonly readable: Readable
  /** From when on they end. */
  readonly from: Timestamp
  readonly limit: number
  /** Whether they are those alone in which the viewer takes part and has not declined to. */
  readonly ofParticipant: boolean
}

/** An event, and the status of the viewer in it. */
export interface EndingEvent {
  readonly event: FoundEvent
  readonly status: ParticipationStatus | undefined
}

export interface CalendarPage extends ListExtent {
  readonly events: ReadonlyArray<CalendarEventReference>
}

export class CalendarStore extends Context.Service<
  CalendarStore,
  {
    readonly find: (mark: Mark, viewer: AccountId | undefined) => Effect.Effect<Option.Option<FoundEvent>>
    /** Completes an event with its image and all of its participants. */
    readonly complete: (event: FoundEvent) => Effect.Effect<CalendarEventReference>
    /** A page of events, sorted by start, then id. A search by text ends when it has taken `searchSeconds`. */
    readonly list: (filter: CalendarFilter) => Effect.Effect<CalendarPage, SearchTookTooLong>
    /** The events that end next, those that end first before the others. */
    readonly ending: (wanted: EndingEvents) => Effect.Effect<ReadonlyArray<EndingEvent>>
    /** The event as it is once no other writer has it; it stays locked until the transaction ends. */
    readonly findForUpdate: (
      id: CalendarEventId,
      caller: AccountId
    ) => Effect.Effect<Option.Option<LockedEvent>>
    /** How an account takes part in an event that is locked. */
    readonly findParticipation: (
      id: CalendarEventId,
      account: AccountId
    ) => Effect.Effect<Option.Option<Participation>>
    /** Those who take part in an event without being its hosts, whatever their status. */
    readonly attendees: (id: CalendarEventId) => Effect.Effect<ReadonlyArray<AccountId>>
    readonly accountExists: (id: AccountId) => Effect.Effect<boolean>
    /** Creates an event, with its creator as host. */
    readonly insert: (event: CalendarEventInsert) => Effect.Effect<void, EventSlugTaken>
    /** The event must be locked. */
    readonly update: (
      id: CalendarEventId,
      changes: CalendarEventUpdate,
      at: DateTime.Utc
    ) => Effect.Effect<void, EventSlugTaken>
    readonly setParticipation: (
      id: CalendarEventId,
      account: AccountId,
      participation: Participation,
      at: DateTime.Utc
    ) => Effect.Effect<void>
    readonly removeParticipant: (id: CalendarEventId, account: AccountId) => Effect.Effect<void>
  }
>()("forum/domain/CalendarStore") {}

/** Events on a page. */
export const pageSize = 50
