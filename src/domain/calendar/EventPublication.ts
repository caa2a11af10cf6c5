import type { NewEvent } from "../event/EventLog.ts"
import { type CalendarStanding, wasOf } from "../event/Standing.ts"
import type { AccountId, CalendarEventId } from "../shared/Id.ts"
import type { Visibility } from "../shared/Visibility.ts"
import { audience } from "./EventVisibility.ts"

/** Who takes part in an event, by role. */
export interface TakingPart {
  readonly hosts: ReadonlyArray<AccountId>
  readonly attendees: ReadonlyArray<AccountId>
}

/** Whether who attends an event decides on who sees it, at any of these visibilities. */
export const isForAttendees = (...visibilities: ReadonlyArray<Visibility>): boolean =>
  visibilities.some((one) => audience[one].includes("participants"))

/** What is recorded of an event; those who take part only where it depends on them who sees it. */
export const standingOfEvent = (
  visibility: Visibility,
  before: Visibility | undefined,
  { attendees, hosts }: TakingPart
): CalendarStanding => {
  const isForHosts = [visibility, before ?? visibility].some((one) => audience[one].includes("hosts"))
  return {
    visibility,
    ...wasOf(before, visibility),
    ...(isForHosts ? { hosts } : {}),
    ...(isForAttendees(visibility, before ?? visibility) ? { attendees } : {})
  }
}

/** What is logged beside a change of an event if it has become published by it. Pure. */
export const publicationOf = (
  id: CalendarEventId,
  before: Visibility | undefined,
  standing: CalendarStanding
): ReadonlyArray<NewEvent> =>
  standing.visibility === "published" && before !== "published"
    ? [{ _tag: "CalendarEventPublished", id, standing }]
    : []
