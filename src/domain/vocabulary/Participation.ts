/** How accounts take part in calendar events. */
import { Schema } from "effect"

export const ParticipantRole = Schema.Literals(["attendee", "host"]).annotate({
  identifier: "EventParticipantRole",
  description: "Hosts may change the event and who takes part in it"
})
export type ParticipantRole = typeof ParticipantRole.Type

export const ParticipationStatus = Schema.Literals([
  "requested",
  "invited",
  "attending",
  "declined"
]).annotate({
  identifier: "EventParticipationStatus",
  description: "Whether the account wants to take part, was asked to, does, or does not"
})
export type ParticipationStatus = typeof ParticipationStatus.Type
