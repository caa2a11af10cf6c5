/** Who may see an event of the calendar, as it is: its visibility, and those who take part as far as it depends on them. */
import { audience } from "../../domain/calendar/EventVisibility.ts"
import type { CalendarStanding } from "../../domain/event/Standing.ts"
import type { AccountId } from "../../domain/shared/Id.ts"
import { Visibility } from "../../domain/shared/Visibility.ts"

export interface StandingRow {
  readonly visibility: Visibility
  readonly hosts: ReadonlyArray<AccountId> | null
  readonly attendees: ReadonlyArray<AccountId> | null
}

const visibilitiesFor = (group: "hosts" | "participants") =>
  Visibility.literals
    .filter((visibility) => audience[visibility].includes(group))
    .map((visibility) => `'${visibility}'`)
    .join(", ")

const takingPart = (event: string, role: string, group: "hosts" | "participants") =>
  `case when ${event}.visibility in (${visibilitiesFor(group)}) then array(select account_id
    from calendar_participants where event_id = ${event}.id and role = '${role}' order by account_id) end`

/** The columns of a `StandingRow` of the row of `calendar_events` under this name. */
export const standingColumns = (event: string): string => `${event}.visibility,
  ${takingPart(event, "host", "hosts")} as hosts,
  ${takingPart(event, "attendee", "participants")} as attendees`

export const standingOfRow = ({ attendees, hosts, visibility }: StandingRow): CalendarStanding => ({
  visibility,
  ...(hosts === null ? {} : { hosts }),
  ...(attendees === null ? {} : { attendees })
})
