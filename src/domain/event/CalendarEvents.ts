/** What happens to calendar events, for the event log. */
import { Schema } from "effect"
import { AccountId, CalendarEventId, PostId } from "../shared/Id.ts"
import { ParticipantRole, ParticipationStatus } from "../vocabulary/Participation.ts"
import { CalendarStanding } from "./Standing.ts"

// Older events lack what stood then.
const event = { id: CalendarEventId, standing: Schema.optionalKey(CalendarStanding) }

export const CalendarEventCreated = Schema.TaggedStruct("CalendarEventCreated", {
  ...event,
  thread_id: PostId
})
export type CalendarEventCreated = typeof CalendarEventCreated.Type

export const CalendarEventUpdated = Schema.TaggedStruct("CalendarEventUpdated", event)
export type CalendarEventUpdated = typeof CalendarEventUpdated.Type

export const CalendarEventDeleted = Schema.TaggedStruct("CalendarEventDeleted", event)
export type CalendarEventDeleted = typeof CalendarEventDeleted.Type

/** It was created as published, or became published. */
export const CalendarEventPublished = Schema.TaggedStruct("CalendarEventPublished", event)
export type CalendarEventPublished = typeof CalendarEventPublished.Type

/** An account takes part, or takes part in another way than before. */
export const CalendarParticipationChanged = Schema.TaggedStruct("CalendarParticipationChanged", {
  event_id: CalendarEventId,
  by: AccountId,
  account_id: AccountId,
  role: ParticipantRole,
  status: ParticipationStatus,
  // Absent if it did not take part.
  former_role: Schema.optionalKey(ParticipantRole),
  former_status: Schema.optionalKey(ParticipationStatus),
  // The other hosts at that time.
  other_hosts: Schema.Array(AccountId)
})
export type CalendarParticipationChanged = typeof CalendarParticipationChanged.Type

export const CalendarParticipantRemoved = Schema.TaggedStruct("CalendarParticipantRemoved", {
  event_id: CalendarEventId,
  by: AccountId,
  account_id: AccountId
})
export type CalendarParticipantRemoved = typeof CalendarParticipantRemoved.Type
