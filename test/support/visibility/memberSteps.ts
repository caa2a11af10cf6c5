/** What people do together and to each other at random, and what the administration does. */
import { Effect } from "effect"
import { purgeOf } from "../../moderation/scenarios.ts"
import {
  done,
  ending,
  idBy,
  keeping,
  kinds,
  posts,
  type Step,
  tagsBy,
  telling,
  visibilities
} from "./stepping.ts"
import { anyOf, made } from "./World.ts"

export const together = {
  gather: (world, { of, person }) =>
    Effect.map(person.post("/collections", { name: `Common ${of}` }), keeping(world.collections)),
  collect: (world, { of, person, to }) => {
    const collection = anyOf(world.collections, of)
    const isPage = to % 3 === 0
    const item = isPage ? `nodes/${idBy(world.nodes, to)}` : `posts/${idBy(posts(world), to)}`
    return done(person.put(`/collections/${collection}/${item}`))
  },
  uncollect: (world, { of, person, to }) =>
    done(person.delete(`/collections/${idBy(world.collections, of)}/posts/${idBy(posts(world), to)}`)),
  deleteCollection: (world, { of, person }) =>
    done(person.delete(`/collections/${idBy(world.collections, of)}`)),
  announce: (world, { of, person, to }) =>
    Effect.map(
      person.post("/events", {
        name: `Feast ${of}`,
        content: "<p>food</p>",
        time_range: { start: "2030-01-02T10:00:00Z", end: "2030-01-02T12:00:00Z" },
        participation_policy: "open",
        visibility: anyOf(visibilities, to),
        thread_category_id: anyOf(world.categories, of)?.id
      }),
      (answer) => {
        const json = keeping(world.events)(answer)
        if (json?.thread !== undefined) world.threads.push(json.thread.id)
      }
    ),
  showEvent: (world, { of, person, to }) =>
    done(person.patch(`/events/${idBy(world.events, of)}`, { visibility: anyOf(visibilities, to) })),
  takePart: (world, { of, person, to }) => {
    const who = to % 3 === 0 ? anyOf(world.people, to) : person
    return done(person.put(`/events/${idBy(world.events, of)}/participants/${who?.id}`))
  },
  leave: (world, { of, person }) =>
    done(person.delete(`/events/${idBy(world.events, of)}/participants/${person.id}`)),
  deleteEvent: (world, { of, person }) => done(person.delete(`/events/${idBy(world.events, of)}`))
} satisfies Readonly<Record<string, Step>>

export const people = {
  /** Lets somebody moderate or curate from now on, or no longer. */
  promote: (world, { of, to }) => {
    const person = anyOf(world.people, of)
    const role = to % 2 === 0 ? "moderators" : "librarians"
    const path = `/accounts/${person?.id}/roles/${world.roles[role]}`
    if (person === undefined) return Effect.void
    const holders = world[role]
    return holders.has(person)
      ? Effect.map(done(world.odin.delete(path)), () => holders.delete(person))
      : Effect.map(done(world.odin.put(path)), () => holders.add(person))
  },
  follow: (world, { of, person }) => {
    const other = anyOf(world.people, of)
    return other === person ? Effect.void : done(person.put(`/profiles/${other?.id}/followers`))
  },
  unfollow: (world, { of, person }) => {
    const other = anyOf(world.people, of)
    return other === person ? Effect.void : done(person.delete(`/profiles/${other?.id}/followers`))
  },
  care: (_, { person, to }) => done(person.patch("/accounts", { interests: tagsBy(to) })),
  report: (world, { of, person, to }) => {
    const target_kind = anyOf(["thread", "node", "reply", "profile", "thread"], to)
    const ids = { thread: world.threads, node: world.nodes, reply: world.replies }
    const list =
      target_kind === "thread" || target_kind === "node" || target_kind === "reply"
        ? ids[target_kind]
        : world.people.map(({ id }) => id)
    const target_id = anyOf(list, of)
    if (target_id === undefined) return Effect.void
    const sent = person.post("/reports", { target_id, target_kind })
    return Effect.map(sent, telling(world.reports, person, target_id))
  },
  invite: (world, { person }) =>
    Effect.map(person.post("/invitations", {}), telling(world.invitations, person, "")),
  uninvite: ({ invitations }, { of }) =>
    ending(invitations, of, ({ by, id }) => by.delete(`/invitations/${id}`)),
  makeKey: (world, { person }) =>
    Effect.map(person.post("/auth/access-keys", { name: "Key" }), telling(world.keys, person, "")),
  warn: ({ odin, people, warnings }, { of }) => {
    const account = anyOf(people, of)?.id ?? ""
    return Effect.map(
      odin.post(`/accounts/${account}/warnings`, { reason: "Enough" }),
      telling(warnings, odin, account)
    )
  },
  unwarn: ({ odin, warnings }, { of }) =>
    ending(warnings, of, ({ id, target }) => odin.delete(`/accounts/${target}/warnings/${id}`)),
  note: ({ notes, odin, people }, { of }) => {
    const account = anyOf(people, of)?.id ?? ""
    return Effect.map(
      odin.post(`/accounts/${account}/moderation-notes`, { content: "Seen" }),
      telling(notes, odin, account)
    )
  },
  /** Suspends somebody, who does nothing from then on, or reinstates them. */
  suspend: ({ odin, people, suspended }, { of }) => {
    const person = anyOf(people, of)
    if (person === undefined) return Effect.void
    const path = `/bans/${person.id}`
    return suspended.has(person)
      ? Effect.map(done(odin.delete(path)), () => suspended.delete(person))
      : Effect.map(done(odin.post(path)), () => suspended.add(person))
  },
  /** Removes some of what somebody made, as the administration does. */
  purge: (world, { of, to }) => {
    const person = anyOf(world.people, of)
    const include = kinds.filter((_, index) => ((to >> index) & 1) === 1)
    if (person === undefined || include.length === 0) return Effect.void
    return Effect.map(world.odin.post("/admin/actions", purgeOf(person, ...include)), (answer) => {
      if (made(answer) === undefined || !include.includes("reacts")) return
      for (const reacts of world.reacts.values()) {
        for (const [id, by] of reacts) if (by === person) reacts.delete(id)
      }
    })
  }
} satisfies Readonly<Record<string, Step>>
