/** Events as calendars show them. */
import type { CalendarEventReference } from "../calendar/CalendarEvent.ts"
import type { ParticipationStatus } from "../vocabulary/Participation.ts"

/** Hours after which programs that follow a calendar ask again. */
export const refreshHours = 1

/** An event in a calendar. */
export interface FeedEvent {
  /** A name that stays the same as long as the event exists. */
  readonly uid: string
  readonly event: Omit<CalendarEventReference, "participants" | "primary_image">
  /** The web page about it. */
  readonly address: string
  /** Whether it takes place, and whoever the calendar is for attends it. */
  readonly isCertain: boolean
}

/** A calendar, with events that end soonest first. */
export interface CalendarFeed {
  readonly title: string
  readonly events: ReadonlyArray<FeedEvent>
}

/** Whether an event is certain for who takes part in it like that, or only looks at it. */
export const isCertain = (
  visibility: CalendarEventReference["visibility"],
  status: ParticipationStatus | undefined
): boolean => visibility === "published" && (status === undefined || status === "attending")
