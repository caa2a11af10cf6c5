import type { CalendarEventReference, FoundEvent } from "../../domain/calendar/CalendarEvent.ts"
import { type EventLocation, shownLocation } from "../../domain/calendar/Location.ts"
import type { ParticipationPolicy } from "../../domain/calendar/Participant.ts"
import { type JsonObject, misc } from "../../domain/field/Json.ts"
import type { AssetId, CalendarEventId, PostId } from "../../domain/shared/Id.ts"
import type { Visibility } from "../../domain/shared/Visibility.ts"
import type { ParticipantRole } from "../../domain/vocabulary/Participation.ts"
import { peopleVersion } from "../account/ProfileCache.ts"
import { toTimestamp } from "../shared/Rows.ts"

export interface EventRow {
  readonly id: CalendarEventId
  readonly created_at: Date
  readonly updated_at: Date
  readonly thread_id: PostId
  readonly name: string
  readonly slug: string
  readonly description: string
  readonly starts_at: Date
  readonly ends_at: Date
  readonly primary_image_id: AssetId | null
  readonly policy: ParticipationPolicy
  readonly visibility: Visibility
  readonly location: EventLocation | null
  readonly capacity: number | null
  readonly meta: JsonObject
  /** The role of the viewer in the event; null if the viewer takes no part. */
  readonly caller_role: ParticipantRole | null
  readonly people_version: string
}

/** The columns that are read of `calendar_events e` and of the viewer's part in it, `mine`; all but the metadata. */
export const eventColumns = `e.id, e.created_at, e.updated_at, e.thread_id, e.name, e.slug, e.description,
  e.starts_at, e.ends_at, e.primary_image_id, e.policy, e.visibility, e.location, e.capacity,
  mine.role as caller_role, ${peopleVersion} as people_version`

const sharedOf = (row: EventRow): FoundEvent["shared"] => ({
  id: row.id,
  createdAt: toTimestamp(row.created_at),
  updatedAt: toTimestamp(row.updated_at),
  misc,
  name: row.name,
  slug: row.slug,
  description: row.description,
  time_range: { start: toTimestamp(row.starts_at), end: toTimestamp(row.ends_at) },
  participation_policy: row.policy,
  visibility: row.visibility,
  location: row.location && shownLocation(row.location),
  ...(row.capacity === null ? {} : { capacity: row.capacity }),
  meta: row.meta
})

export const foundOf = (row: EventRow): FoundEvent => ({
  id: row.id,
  threadId: row.thread_id,
  visibility: row.visibility,
  callerRole: row.caller_role ?? undefined,
  shared: sharedOf(row),
  imageId: row.primary_image_id ?? undefined,
  peopleVersion: row.people_version
})

/** An event with its image and its participants. */
export const referenceOf = (
  { shared }: FoundEvent,
  image: CalendarEventReference["primary_image"],
  participants: CalendarEventReference["participants"]
): CalendarEventReference => ({
  ...shared,
  ...(image === undefined ? {} : { primary_image: image }),
  participants
})
