/** What people usually do with calendar events. */
import { Effect } from "effect"
import { ok } from "./answers.ts"
import type { Person } from "./people.ts"

/** What every event needs; the category has to exist. */
export const fieldsOf = (category: string) => ({
  name: "Feast",
  content: "<p>food</p>",
  time_range: { start: "2030-01-02T10:00:00Z", end: "2030-01-02T12:00:00Z" },
  participation_policy: "open",
  visibility: "published",
  thread_category_id: category
})

/** Creates an open, published event unless `more` says otherwise. */
export const announce = (
  host: Person,
  category: string,
  name: string,
  more: Readonly<Record<string, unknown>> = {}
) => Effect.map(host.post("/events", { ...fieldsOf(category), name, ...more }), ok)

/** Asks for an account to take part in an event. */
export const takePart = (by: Person, event: string, account: Person, change?: unknown) =>
  by.put(`/events/${event}/participants/${account.id}`, change)

export const leave = (by: Person, event: string, account: Person) =>
  by.delete(`/events/${event}/participants/${account.id}`)

/** Who takes part, as `handle role status`. */
export const participantsOf = (event: {
  readonly participants: ReadonlyArray<{
    readonly profile: { readonly handle: string }
    readonly role: string
    readonly status: string
  }>
}): ReadonlyArray<string> =>
  event.participants.map(({ profile, role, status }) => `${profile.handle} ${role} ${status}`)
