import { CalendarParticipantRemoved, CalendarParticipationChanged } from "../event/CalendarEvents.ts"
import { makeNotifying } from "../notification/NotificationConsumer.ts"
import { notificationsFor } from "./ParticipationRules.ts"

/** Notifies accounts of who takes part in their events, and of what others make of them. */
export const makeCalendarNotifications = makeNotifying({
  name: "calendar notifications",
  reads: [CalendarParticipationChanged, CalendarParticipantRemoved],
  due: notificationsFor
})
