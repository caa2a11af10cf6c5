import type { CalendarEventPublished } from "../event/CalendarEvents.ts"
import type { CalendarEventId } from "../shared/Id.ts"
import type { Visibility } from "../shared/Visibility.ts"

/** What is logged beside a change of an event if it has become published by it. Pure. */
export const publicationOf = (
  id: CalendarEventId,
  before: Visibility | undefined,
  after: Visibility
): ReadonlyArray<CalendarEventPublished> =>
  after === "published" && before !== "published" ? [{ _tag: "CalendarEventPublished", id }] : []
