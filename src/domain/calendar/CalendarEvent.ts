/** Events with a time, a place and participants. In code they are calendar events: events are those of the log. */
import { Schema } from "effect"
import { Asset } from "../asset/Asset.ts"
import { onePage, withExample } from "../field/Example.ts"
import { JsonObject, Meta } from "../field/Json.ts"
import { resourceFields } from "../field/Resource.ts"
import * as Text from "../field/Text.ts"
import { AssetId, CalendarEventId, CategoryId, type PostId } from "../shared/Id.ts"
import { Instant } from "../shared/Instant.ts"
import { parseMark } from "../shared/Mark.ts"
import { PageFields } from "../shared/Page.ts"
import { Problem } from "../shared/Problem.ts"
import { isSlug, slugPattern } from "../shared/Slug.ts"
import { Visibility } from "../shared/Visibility.ts"
import { Body } from "../thread/Post.ts"
import { Thread } from "../thread/Thread.ts"
import type { ParticipantRole } from "../vocabulary/Participation.ts"
import { event, eventReference, newEvent } from "./CalendarExamples.ts"
import { eventAudience } from "./EventVisibility.ts"
import { EventLocation } from "./Location.ts"
import { Participant, ParticipationPolicy } from "./Participant.ts"

// The description stands before the check, or it is not in openapi.json.
const TimeRange = Schema.Struct({ start: Instant, end: Instant })
  .annotate({ description: "From when to when; both may be the same" })
  .check(
    Schema.makeFilter(({ end, start }) =>
      // Texts of timestamps have one form, so they sort like the instants that they name.
      end >= start ? undefined : { path: ["end"], issue: "Expected an end that is not before the start" }
    )
  )
  .annotate({ identifier: "EventTimeRange" })
export type TimeRange = typeof TimeRange.Type

const capacityMax = 1_000_000

const Capacity = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: capacityMax })).annotate({
  description: "How many may attend, hosts aside; any number if absent"
})

/** Participants that each event in a list shows. */
export const listedParticipants = 20

const visibility = Visibility.annotateKey({ description: eventAudience })

const fields = {
  id: CalendarEventId,
  ...resourceFields,
  name: Schema.String.annotate({ description: "What it is called; the title of its thread" }),
  slug: Schema.String.annotate({
    description: "A name in addresses, beside the id and `<id>-<slug>`; unique among events"
  }),
  description: Schema.String.annotate({ description: "A few sentences as plain text; may be empty" }),
  time_range: TimeRange,
  primary_image: Schema.optionalKey(Asset),
  participants: Schema.Array(Participant).annotate({
    description: `Hosts first, then in the order in which they came. Lists show the first ${listedParticipants}, and the caller.`
  }),
  participation_policy: ParticipationPolicy,
  visibility,
  location: Schema.NullOr(EventLocation).annotateKey({ description: "Always there; null if there is none" }),
  capacity: Schema.optionalKey(Capacity),
  meta: JsonObject
}

/** An event in a list. */
export const CalendarEventReference = Schema.Struct(fields)
  .annotate({ identifier: "EventReference", description: "An event in a list" })
  .pipe(withExample(eventReference))
export interface CalendarEventReference extends Schema.Schema.Type<typeof CalendarEventReference> {}

/** What the rules know of an event and of the caller's part in it. */
export interface EventStanding {
  readonly visibility: Visibility
  /** The role of the caller, if they take part. */
  readonly callerRole: ParticipantRole | undefined
}

/** An event as it is found, for a viewer. */
export interface FoundEvent extends EventStanding {
  readonly id: CalendarEventId
  readonly threadId: PostId
  readonly shared: Omit<CalendarEventReference, "participants" | "primary_image">
  readonly imageId: AssetId | undefined
  /** Changes whenever any profile does. */
  readonly peopleVersion: string
}

export const CalendarEvent = Schema.Struct({ ...fields, thread: Thread })
  .annotate({
    identifier: "Event",
    description: "An event with the first page of its discussion, whose opening post is its content"
  })
  .pipe(withExample(event))
export interface CalendarEvent extends Schema.Schema.Type<typeof CalendarEvent> {}

export const CalendarEventListResult = Schema.Struct({
  ...PageFields,
  events: Schema.Array(CalendarEventReference)
})
  .annotate({
    identifier: "EventListResult",
    description:
      "A page of events. A page has fewer where they are large, so that an answer has about 2 MiB: `next_page` goes on with the next one. Of participants whose signatures do not fit into 256 KiB, `signature` is absent."
  })
  .pipe(withExample({ ...onePage, events: [eventReference] }))
export interface CalendarEventListResult extends Schema.Schema.Type<typeof CalendarEventListResult> {}

export const slugLength = 100

/** Whether a slug names its event: what begins like an id is read as one. */
export const isEventSlug = (text: string): boolean => isSlug(text) && "slug" in parseMark(text)

const EventSlug = Text.verbatim({
  max: slugLength,
  description:
    "Letters and digits of any script in lower case, with hyphens and underscores between them. It may not begin like an id."
}).check(
  Schema.makeFilter(isEventSlug, {
    expected: "a slug: letters, digits, hyphens and underscores, not like an id",
    toJsonSchema: () => [{ pattern: slugPattern }, true]
  })
)

const Name = Text.visibleLine({ max: 255, description: "Not blank; one line" })

const optional = {
  slug: Schema.optionalKey(EventSlug),
  description: Schema.optionalKey(Text.lines({ max: 2000, description: "Plain text, or empty" })),
  meta: Schema.optionalKey(Meta)
}

export const NewCalendarEvent = Schema.Struct({
  name: Name,
  content: Body,
  time_range: TimeRange,
  participation_policy: ParticipationPolicy,
  visibility,
  thread_category_id: CategoryId.annotateKey({ description: "The category of the thread" }),
  ...optional,
  primary_image_asset_id: Schema.optionalKey(AssetId).annotateKey({ description: "The id of an asset" }),
  location: Schema.optionalKey(EventLocation),
  capacity: Schema.optionalKey(Capacity)
})
  .annotate({ identifier: "EventInitialProps", description: "An event to create" })
  .pipe(withExample(newEvent))
export interface NewCalendarEvent extends Schema.Schema.Type<typeof NewCalendarEvent> {}

/** A change of an event: absent keys stay; `time_range`, `location` and `meta` are replaced; null clears a field. */
export const CalendarEventChanges = Schema.Struct({
  name: Schema.optionalKey(Name),
  content: Schema.optionalKey(Body),
  time_range: Schema.optionalKey(TimeRange),
  participation_policy: Schema.optionalKey(ParticipationPolicy),
  visibility: Schema.optionalKey(Visibility).annotateKey({ description: eventAudience }),
  ...optional,
  primary_image_asset_id: Schema.optionalKey(Schema.NullOr(AssetId)).annotateKey({
    description: "The id of an asset; null for no image"
  }),
  location: Schema.optionalKey(Schema.NullOr(EventLocation)).annotateKey({
    description: "Instead of the one before; null for none"
  }),
  capacity: Schema.optionalKey(Schema.NullOr(Capacity)).annotateKey({
    description: "How many may attend, hosts aside; null for any number"
  })
})
  .annotate({
    identifier: "EventMutableProps",
    description: "What to change of an event; absent fields stay as they are"
  })
  .pipe(
    withExample({
      description: newEvent.description,
      capacity: newEvent.capacity,
      location: newEvent.location,
      time_range: newEvent.time_range
    })
  )
export interface CalendarEventChanges extends Schema.Schema.Type<typeof CalendarEventChanges> {}

export class EventNotFound extends Problem<EventNotFound>()("EventNotFound", {
  status: 404,
  title: "There is no such event",
  explanation:
    "An event is addressed by its id, its slug, or both with a hyphen between. Deleted events are gone, and so are those that the caller may not see.",
  metadata: { event_mark: Schema.String }
}) {}

export class NotHost extends Problem<NotHost>()("NotHost", {
  status: 403,
  title: "Only its hosts may change this event",
  explanation: "The caller is no host of the event, and their roles do not hold MANAGE_EVENTS."
}) {}

export class EventSlugTaken extends Problem<EventSlugTaken>()("EventSlugTaken", {
  status: 409,
  title: "Another event has this slug",
  explanation:
    "The slugs of events are unique. One that is not given is made from the name. The slug of a deleted event is free.",
  metadata: { slug: Schema.String }
}) {}

export class CapacityTooLow extends Problem<CapacityTooLow>()("CapacityTooLow", {
  status: 409,
  title: "More accounts attend than the event would have capacity for",
  explanation: "The capacity cannot be less than the number of attendees. Remove some of them before.",
  metadata: { capacity: Schema.Int, attending: Schema.Int }
}) {}
