/** How accounts may take part in calendar events, and who is told. Pure. */
import { Result } from "effect"
import type { CalendarParticipantRemoved, CalendarParticipationChanged } from "../event/CalendarEvents.ts"
import type { DueNotification } from "../notification/NotificationRules.ts"
import type { AccountId } from "../shared/Id.ts"
import type { ParticipantRole, ParticipationStatus } from "../vocabulary/Participation.ts"
import {
  EventFull,
  LastHost,
  type ParticipationChange,
  type ParticipationPolicy,
  ParticipationRefused,
  participationMax,
  type participationReasons,
  TooManyParticipants
} from "./Participant.ts"

/** How an account takes part. */
export interface Participation {
  readonly role: ParticipantRole
  readonly status: ParticipationStatus
}

/** Who changes the part of an account: whether they are host or hold MANAGE_EVENTS, and whether it is their own. */
export interface Changer {
  readonly manages: boolean
  readonly isSelf: boolean
}

type Statuses = { readonly [Status in ParticipationStatus | "none"]: ReadonlyArray<ParticipationStatus> }

/** Which status members may give themselves, from each that they have; to keep it is no change. */
const transitions: { readonly [Policy in "open" | "invite_only"]: Statuses } = {
  open: {
    none: ["attending"],
    requested: ["attending", "declined"],
    invited: ["attending", "declined"],
    attending: ["declined"],
    declined: ["attending"]
  },
  invite_only: {
    none: ["requested"],
    requested: ["declined"],
    invited: ["attending", "declined"],
    attending: ["declined"],
    declined: ["requested"]
  }
}

/** The status that accounts mean which name none for themselves. */
const ownStatus = (policy: ParticipationPolicy, current: ParticipationStatus | undefined) => {
  if (policy === "open") return "attending"
  return current === undefined || current === "declined" ? "requested" : current
}

const refused = (reason: (typeof participationReasons)[number]) =>
  Result.fail(new ParticipationRefused({ metadata: { reason } }))

/** How an account takes part when somebody has asked for it; absent, it did not take part before. */
export const decideParticipation = (
  { isSelf, manages }: Changer,
  policy: ParticipationPolicy,
  current: Participation | undefined,
  asked: ParticipationChange
): Result.Result<Participation, ParticipationRefused> => {
  const usual = isSelf ? ownStatus(policy, current?.status) : (current?.status ?? "requested")
  const wanted: Participation = {
    role: asked.role ?? current?.role ?? "attendee",
    status: asked.status ?? usual
  }
  if (manages) return Result.succeed(wanted)
  if (!isSelf) return refused("another")
  if (asked.role !== undefined) return refused("role")
  if (policy === "closed") return refused("closed")
  const isAllowed =
    wanted.status === current?.status ||
    transitions[policy][current?.status ?? "none"].includes(wanted.status)
  return isAllowed ? Result.succeed(wanted) : refused("status")
}

/** Who may end the part of an account. */
export const decideRemoval = ({ isSelf, manages }: Changer): Result.Result<void, ParticipationRefused> =>
  isSelf || manages ? Result.void : refused("another")

/** How many take part in an event; of those who attend, attendees only. */
export interface Counts {
  readonly capacity: number | undefined
  readonly participants: number
  readonly hosts: number
  readonly attending: number
}

const takesPlace = (one: Participation | undefined) => one?.role === "attendee" && one.status === "attending"

const isHost = (one: Participation | undefined) => one?.role === "host"

/** Whether an account may cease to be a host, if it is one. */
export const decideLeaving = (
  { hosts }: Counts,
  before: Participation | undefined
): Result.Result<void, LastHost> => (isHost(before) && hosts <= 1 ? Result.fail(new LastHost()) : Result.void)

/** Whether the event has room for one account to take part in another way than before. */
export const decideRoom = (
  counts: Counts,
  before: Participation | undefined,
  after: Participation
): Result.Result<void, EventFull | TooManyParticipants | LastHost> => {
  const { attending, capacity, hosts, participants } = counts
  const max = participationMax
  if (before === undefined && participants >= max.participants) {
    return Result.fail(
      new TooManyParticipants({ metadata: { limit: "participants", maximum: max.participants } })
    )
  }
  if (isHost(after) && !isHost(before) && hosts >= max.hosts) {
    return Result.fail(new TooManyParticipants({ metadata: { limit: "hosts", maximum: max.hosts } }))
  }
  const leaving = isHost(after) ? Result.void : decideLeaving(counts, before)
  if (Result.isFailure(leaving)) return leaving
  if (takesPlace(after) && !takesPlace(before) && capacity !== undefined && attending >= capacity) {
    return Result.fail(new EventFull({ metadata: { capacity } }))
  }
  return Result.void
}

const aboutHosts = (event: CalendarParticipationChanged): ReadonlyArray<DueNotification> => {
  const named = { attending: "member_attending_event", declined: "member_declined_event" } as const
  if (event.status !== "attending" && event.status !== "declined") return []
  const name = named[event.status]
  if (event.status === event.former_status) return []
  return event.other_hosts.map((accountId) => ({ accountId, event: name, sourceId: event.account_id }))
}

const due = (
  accountId: AccountId,
  event: DueNotification["event"],
  sourceId: AccountId
): ReadonlyArray<DueNotification> => [{ accountId, event, sourceId }]

/**
 * Who is notified of a change. Hosts are told what members do themselves; accounts are told when others make them
 * hosts or remove them.
 */
export const notificationsFor = (
  event: CalendarParticipationChanged | CalendarParticipantRemoved
): ReadonlyArray<DueNotification> => {
  if (event._tag === "CalendarParticipantRemoved") {
    return event.by === event.account_id ? [] : due(event.account_id, "attendee_removed", event.by)
  }
  if (event.by === event.account_id) return aboutHosts(event)
  const isNewHost = event.role === "host" && event.former_role !== "host"
  return isNewHost ? due(event.account_id, "event_host_added", event.by) : []
}
