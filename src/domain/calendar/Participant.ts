/** Who takes part in a calendar event, and why somebody may not. */

import { Schema } from "effect"
import { ProfileReference } from "../account/Profile.ts"
import { withExample } from "../field/Example.ts"
import { Problem } from "../shared/Problem.ts"
import { ParticipantRole, ParticipationStatus } from "../vocabulary/Participation.ts"

export const ParticipationPolicy = Schema.Literals(["open", "closed", "invite_only"]).annotate({
  identifier: "EventParticipationPolicy",
  description:
    "What members may do themselves: attend an `open` event, request to take part in an `invite_only` one or accept its invitation, and nothing but leave a `closed` one"
})
export type ParticipationPolicy = typeof ParticipationPolicy.Type

/** Somebody who takes part. */
export const Participant = Schema.Struct({
  profile: ProfileReference,
  role: ParticipantRole,
  status: ParticipationStatus
}).annotate({ identifier: "EventParticipant", description: "An account that takes part in an event" })
export interface Participant extends Schema.Schema.Type<typeof Participant> {}

export const ParticipationChange = Schema.Struct({
  role: Schema.optionalKey(ParticipantRole).annotateKey({
    description: "Only hosts and holders of MANAGE_EVENTS may set it; `attendee` for a new participant"
  }),
  status: Schema.optionalKey(ParticipationStatus).annotateKey({
    description:
      "If absent, of the caller: `attending` in an open event, otherwise `requested` unless they take part already; of others: as it is, `requested` at first"
  })
})
  .annotate({
    identifier: "EventParticipantMutableProps",
    description: "How an account takes part"
  })
  .pipe(withExample({ status: "attending" }))
export interface ParticipationChange extends Schema.Schema.Type<typeof ParticipationChange> {}

/** Accounts that may take part in an event, whatever their status, and how many of them may be hosts. */
export const participationMax = { participants: 1000, hosts: 20 } as const

export const participationReasons = ["another", "role", "closed", "status"] as const

export class ParticipationRefused extends Problem<ParticipationRefused>()("ParticipationRefused", {
  status: 403,
  title: "You may not take part in this event like that",
  explanation:
    "Only hosts and holders of MANAGE_EVENTS may change how others take part (`another`) and who is host (`role`). Members may not change anything of closed events (`closed`); in others, they may attend if the event is open or invited them, request to take part if it is for the invited only, and decline (`status`).",
  metadata: { reason: Schema.Literals(participationReasons) }
}) {}

export class ParticipantNotFound extends Problem<ParticipantNotFound>()("ParticipantNotFound", {
  status: 404,
  title: "This account does not take part in the event",
  explanation: "Only those who take part can be removed.",
  metadata: { account_id: Schema.String }
}) {}

export class EventFull extends Problem<EventFull>()("EventFull", {
  status: 409,
  title: "All places of this event are taken",
  explanation: "As many attend as the event has capacity for. Hosts do not count.",
  metadata: { capacity: Schema.Int }
}) {}

export class TooManyParticipants extends Problem<TooManyParticipants>()("TooManyParticipants", {
  status: 409,
  title: "The event has too many participants",
  explanation: `An event may have ${participationMax.participants.toLocaleString("en")} participants (\`participants\`), whatever their status, ${participationMax.hosts} of them hosts (\`hosts\`).`,
  metadata: { limit: Schema.Literals(["participants", "hosts"]), maximum: Schema.Int }
}) {}

export class LastHost extends Problem<LastHost>()("LastHost", {
  status: 409,
  title: "An event needs a host",
  explanation: "The last host can neither leave nor become an attendee. Make somebody else host before."
}) {}
