/** Who may see and change calendar events. Pure. */
import { type Actor, accountIdOf, holds } from "../shared/Actor.ts"
import type { AccountId } from "../shared/Id.ts"
import { parseMark } from "../shared/Mark.ts"
import { slugWithin } from "../shared/Slug.ts"
import { Visibility } from "../shared/Visibility.ts"
import { type EventStanding, slugLength } from "./CalendarEvent.ts"
import { type Audience, audience } from "./EventVisibility.ts"

/** The visibilities of the events that a viewer may see, by their part in the event. */
export interface Readable {
  readonly viewer: AccountId | undefined
  readonly others: ReadonlyArray<Visibility>
  readonly attendee: ReadonlyArray<Visibility>
  readonly host: ReadonlyArray<Visibility>
}

const visibleTo = (...groups: ReadonlyArray<Audience>) =>
  Visibility.literals.filter((visibility) => audience[visibility].some((one) => groups.includes(one)))

const everyone = visibleTo("everyone")
const guest: Readable = { viewer: undefined, others: everyone, attendee: everyone, host: everyone }

/** A suspended account sees what a guest does. */
const isSuspended = (actor: Actor): boolean => actor._tag === "Account" && actor.suspended

/** Everything that the caller may see, from which lists derive as well. */
export const readableBy = (actor: Actor): Readable => {
  const viewer = accountIdOf(actor)
  if (viewer === undefined || isSuspended(actor)) return guest
  const groups: ReadonlyArray<Audience> = managesAll(actor) ? ["everyone", "staff"] : ["everyone"]
  return {
    viewer,
    others: visibleTo(...groups),
    attendee: visibleTo(...groups, "participants"),
    host: visibleTo(...groups, "participants", "hosts")
  }
}

export const maySee = ({ callerRole, visibility }: EventStanding, actor: Actor): boolean =>
  readableBy(actor)[callerRole ?? "others"].includes(visibility)

/** Whether the caller can address the event: to see it, or to end their own part in it, whatever became of it. */
export const mayAddress = (event: EventStanding, actor: Actor, purpose: "see" | "leave"): boolean =>
  maySee(event, actor) || (purpose === "leave" && event.callerRole !== undefined && !isSuspended(actor))

const managesAll = (actor: Actor): boolean => holds(actor, "MANAGE_EVENTS")

/** Whether the caller may change the event, and how anyone takes part in it. */
export const mayManage = ({ callerRole }: EventStanding, actor: Actor): boolean =>
  callerRole === "host" || managesAll(actor)

/**
 * The slug of an event whose creator gives none. Without letters and digits there is only the id, which is an
 * address as well; what begins like an id would be read as one.
 */
export const slugOfName = (name: string, id: string): string => {
  const prefix = "event-"
  const slug = slugWithin(name, slugLength - prefix.length)
  if (slug === "") return id
  return "slug" in parseMark(slug) ? slug : prefix + slug
}

/** Characters of the signatures of participants in one answer. */
export const signaturesMax = 256 * 1024

/** The profiles of participants, without the signatures for which there is no room: one may have 10,000 characters. */
export const withinSignatures = <One extends { readonly profile: { readonly signature?: string } }>(
  events: ReadonlyArray<ReadonlyArray<One>>
): ReadonlyArray<ReadonlyArray<One>> => {
  let left = signaturesMax
  return events.map((participants) =>
    participants.map((one) => {
      const { signature, ...profile } = one.profile
      if (signature === undefined) return one
      left -= signature.length
      return left < 0 ? { ...one, profile } : one
    })
  )
}
