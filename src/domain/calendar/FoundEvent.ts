import type { AssetId, CalendarEventId, PostId } from "../shared/Id.ts"
import type { CalendarEventReference } from "./CalendarEvent.ts"
import type { EventStanding } from "./CalendarRules.ts"

/** An event as it is found, for a viewer. */
export interface FoundEvent extends EventStanding {
  readonly id: CalendarEventId
  readonly threadId: PostId
  readonly shared: Omit<CalendarEventReference, "participants" | "primary_image">
  readonly imageId: AssetId | undefined
  /** Changes whenever any profile does. */
  readonly peopleVersion: string
}
