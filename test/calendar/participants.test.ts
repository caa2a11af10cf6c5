import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { AccountNotFound } from "../../src/domain/account/Account.ts"
import { EventNotFound } from "../../src/domain/calendar/CalendarEvent.ts"
import {
  EventFull,
  LastHost,
  ParticipantNotFound,
  ParticipationRefused,
  TooManyParticipants
} from "../../src/domain/calendar/Participant.ts"
import { AccountSuspended, Unauthenticated } from "../../src/domain/shared/Actor.ts"
import { ok } from "../support/answers.ts"
import { announce, leave, participantsOf, takePart } from "../support/calendar.ts"
import { category } from "../support/discussion.ts"
import * as People from "../support/people.ts"
import { Cast, grant, guest, nobody, type Person, signUp, suspend } from "../support/people.ts"
import { assertInvalid, assertProblem } from "../support/problems.ts"

const partOf = Effect.fnUntraced(function* (person: Person, id: string) {
  const rows = yield* SqlClient.SqlClient.use(
    (sql) => sql<{ readonly role: string; readonly status: string }>`select role, status
      from calendar_participants where event_id = ${id} and account_id = ${person.id}`
  )
  return rows.map(({ role, status }) => `${role} ${status}`)[0] ?? "none"
})

/** Accounts without sessions, and the events that they attend without asking. */
const crowd = Effect.fnUntraced(function* (id: string, prefix: string, count: number, role = "attendee") {
  const sql = yield* SqlClient.SqlClient
  const ids = yield* sql<{ readonly id: string }>`
    insert into accounts (id, created_at, updated_at, handle, handle_key, name)
    select ${prefix} || lpad(n::text, 19, '0'), 'epoch', 'epoch', ${prefix} || n, ${prefix} || n, 'many'
    from generate_series(1, ${count}) n returning id`
  yield* sql`insert into calendar_participants (event_id, account_id, created_at, updated_at, role, status)
    select ${id}, unnest(${ids.map((one) => one.id)}::text[]), 'epoch', 'epoch', ${role}, 'requested'`
})

layer(People.layer)("members", (it) => {
  it.effect("attend and decline open events by themselves, as often as they like", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const place = yield* category(odin, "Open")
      const { id, slug } = yield* announce(odin, place.id, "Open")
      const first = yield* takePart(freya, id, freya)
      assert.deepStrictEqual([first.status, first.text, first.headers["content-length"]], [200, "", "0"])
      assert.strictEqual(yield* partOf(freya, id), "attendee attending")
      ok(yield* takePart(freya, slug, freya, { status: "attending" }))
      ok(yield* takePart(freya, `${id}-${slug}`, freya, { status: "declined" }))
      assert.strictEqual(yield* partOf(freya, id), "attendee declined")
      ok(yield* takePart(freya, id, freya, {}))
      assert.strictEqual(yield* partOf(freya, id), "attendee attending")
      for (const status of ["requested", "invited"]) {
        assertProblem(yield* takePart(freya, id, freya, { status }), ParticipationRefused, {
          reason: "status"
        })
      }
      ok(yield* leave(freya, id, freya))
      assert.strictEqual(yield* partOf(freya, id), "none")
      assertProblem(yield* takePart(freya, id, freya, { status: "declined" }), ParticipationRefused)
    })
  )

  it.effect("request to take part in invite-only events, and attend when they are invited", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const place = yield* category(odin, "Invite")
      const { id } = yield* announce(odin, place.id, "Invite", { participation_policy: "invite_only" })
      const ask = (status?: string) => takePart(freya, id, freya, status === undefined ? {} : { status })
      assertProblem(yield* ask("attending"), ParticipationRefused, { reason: "status" })
      ok(yield* ask())
      assert.strictEqual(yield* partOf(freya, id), "attendee requested")
      assertProblem(yield* ask("attending"), ParticipationRefused)
      ok(yield* takePart(odin, id, freya, { status: "invited" }))
      ok(yield* ask())
      assert.strictEqual(
        yield* partOf(freya, id),
        "attendee invited",
        "an invitation is not given up by asking"
      )
      ok(yield* ask("attending"))
      ok(yield* ask())
      assert.strictEqual(yield* partOf(freya, id), "attendee attending")
      ok(yield* ask("declined"))
      assertProblem(yield* ask("attending"), ParticipationRefused)
      ok(yield* ask())
      assert.strictEqual(yield* partOf(freya, id), "attendee requested")
    })
  )

  it.effect("may only leave closed events", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const place = yield* category(odin, "Closed")
      const { id } = yield* announce(odin, place.id, "Closed", { participation_policy: "closed" })
      const refused = { reason: "closed" } as const
      assertProblem(yield* takePart(freya, id, freya), ParticipationRefused, refused)
      ok(yield* takePart(odin, id, freya, { status: "invited" }))
      for (const status of ["attending", "declined", "invited"]) {
        assertProblem(yield* takePart(freya, id, freya, { status }), ParticipationRefused, refused)
      }
      ok(yield* leave(freya, id, freya))
      assert.strictEqual(yield* partOf(freya, id), "none")
    })
  )

  it.effect("may leave and decline what was withdrawn since, and find nothing else of it", () =>
    Effect.gen(function* () {
      const { freya, loki, odin } = yield* Cast
      const place = yield* category(odin, "Withdrawn")
      for (const visibility of ["draft", "review"]) {
        const { id, slug } = yield* announce(odin, place.id, `Withdrawn to ${visibility}`)
        for (const who of [freya, loki]) ok(yield* takePart(who, id, who))
        ok(yield* odin.patch(`/events/${id}`, { visibility }))
        const mark = { event_mark: id }
        assertProblem(yield* freya.get(`/events/${id}`), EventNotFound, mark)
        // Neither others nor anything else than leaving.
        for (const refused of [
          yield* takePart(freya, id, freya),
          yield* takePart(freya, id, freya, { status: "attending" }),
          yield* takePart(freya, id, loki, { status: "declined" }),
          yield* leave(freya, id, loki)
        ]) {
          assertProblem(refused, EventNotFound, mark)
        }
        const declined = yield* takePart(freya, slug, freya, { status: "declined" })
        assert.deepStrictEqual([declined.status, declined.text], [200, ""])
        assert.strictEqual(yield* partOf(freya, id), "attendee declined")
        const left = yield* leave(freya, slug, freya)
        assert.deepStrictEqual([left.status, left.text], [200, ""])
        assert.strictEqual(yield* partOf(freya, id), "none")
        assertProblem(yield* leave(freya, id, freya), EventNotFound, mark)
        assertProblem(yield* takePart(freya, id, freya, { status: "declined" }), EventNotFound, mark)
        ok(yield* odin.delete(`/events/${id}`))
        assertProblem(yield* leave(loki, id, loki), EventNotFound, mark)
      }
    })
  )

  it.effect("may change neither their role nor others", () =>
    Effect.gen(function* () {
      const { freya, loki, odin, tyr } = yield* Cast
      const place = yield* category(odin, "Others")
      const { id } = yield* announce(odin, place.id, "Others")
      for (const role of ["host", "attendee"]) {
        assertProblem(yield* takePart(freya, id, freya, { role }), ParticipationRefused, { reason: "role" })
      }
      ok(yield* takePart(loki, id, loki))
      for (const who of [freya, tyr]) {
        const another = { reason: "another" } as const
        assertProblem(yield* takePart(who, id, loki, { status: "declined" }), ParticipationRefused, another)
        assertProblem(yield* takePart(who, id, odin, {}), ParticipationRefused, another)
        assertProblem(yield* leave(who, id, loki), ParticipationRefused, another)
      }
      assert.strictEqual(yield* partOf(loki, id), "attendee attending")
      assertProblem(yield* takePart(guest, id, freya, "junk"), Unauthenticated, {})
      assertProblem(yield* leave(guest, id, freya), Unauthenticated, {})
      yield* suspend(loki)
      assertProblem(yield* leave(loki, id, loki), AccountSuspended)
    })
  )
})

layer(People.layer)("hosts and holders of MANAGE_EVENTS", (it) => {
  it.effect("set any role and status of anyone, whatever the policy", () =>
    Effect.gen(function* () {
      const { freya, loki, odin } = yield* Cast
      const place = yield* category(odin, "Hosts")
      const planner = yield* signUp("planner")
      yield* grant(planner, "MANAGE_EVENTS")
      const { id } = yield* announce(odin, place.id, "Hosts", { participation_policy: "closed" })
      ok(yield* takePart(odin, id, freya, { role: "host" }))
      assert.strictEqual(yield* partOf(freya, id), "host requested")
      for (const who of [odin, freya, planner]) {
        for (const role of ["host", "attendee"]) {
          for (const status of ["requested", "invited", "attending", "declined"]) {
            ok(yield* takePart(who, id, loki, { role, status }))
            assert.strictEqual(yield* partOf(loki, id), `${role} ${status}`)
          }
        }
        ok(yield* takePart(who, id, loki, { status: "attending" }))
        // What is not named stays.
        ok(yield* takePart(who, id, loki, { role: "host" }))
        assert.strictEqual(yield* partOf(loki, id), "host attending")
        ok(yield* takePart(who, id, loki, {}))
        assert.strictEqual(yield* partOf(loki, id), "host attending")
        ok(yield* leave(who, id, loki))
        ok(yield* takePart(who, id, loki))
        assert.strictEqual(yield* partOf(loki, id), "attendee requested")
        ok(yield* leave(who, id, loki))
      }
      ok(yield* takePart(planner, id, planner, { role: "host", status: "attending" }))
      assert.deepStrictEqual(participantsOf(ok(yield* guest.get(`/events/${id}`))), [
        "odin host attending",
        "freya host requested",
        "planner host attending"
      ])
    })
  )

  it.effect("cannot leave an event without a host", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const place = yield* category(odin, "Last")
      const { id } = yield* announce(odin, place.id, "Last")
      assertProblem(yield* leave(odin, id, odin), LastHost)
      assertProblem(yield* takePart(odin, id, odin, { role: "attendee" }), LastHost)
      ok(yield* takePart(odin, id, odin, { status: "declined" }))
      ok(yield* takePart(odin, id, freya, { role: "host" }))
      ok(yield* takePart(freya, id, odin, { role: "attendee" }))
      assertProblem(yield* leave(odin, id, freya), LastHost)
      assertProblem(yield* leave(freya, id, freya), LastHost)
    })
  )

  it.effect("keep one host, however many leave at the same time", () =>
    Effect.gen(function* () {
      const { freya, loki, odin, tyr } = yield* Cast
      const place = yield* category(odin, "Leaving")
      const { id } = yield* announce(odin, place.id, "Leaving")
      const hosts = [odin, freya, loki, tyr]
      for (const who of hosts) ok(yield* takePart(odin, id, who, { role: "host" }))
      const answers = yield* Effect.all(
        hosts.map((who) => leave(who, id, who)),
        { concurrency: "unbounded" }
      )
      const refused = answers.filter(({ status }) => status !== 200)
      assert.strictEqual(refused.length, 1)
      for (const answer of refused) assertProblem(answer, LastHost)
      assert.strictEqual(ok(yield* guest.get(`/events/${id}`)).participants.length, 1)
    })
  )
})

layer(People.layer)("an address of a participant", (it) => {
  it.effect("names an event and an account that there are", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const place = yield* category(odin, "Addresses")
      const { id } = yield* announce(odin, place.id, "Addresses")
      assertProblem(yield* takePart(odin, nobody, freya, {}), EventNotFound, { event_mark: nobody })
      assertProblem(yield* leave(odin, nobody, freya), EventNotFound, { event_mark: nobody })
      for (const account of [nobody, "freya", "x"]) {
        const path = `/events/${id}/participants/${account}`
        for (const who of [odin, freya]) {
          assertProblem(yield* who.put(path, {}), AccountNotFound, { account })
          assertProblem(yield* who.delete(path), AccountNotFound, { account })
        }
      }
      assertProblem(yield* leave(odin, id, freya), ParticipantNotFound, { account_id: freya.id })
      assertProblem(yield* leave(freya, id, freya), ParticipantNotFound, { account_id: freya.id })
    })
  )

  it.effect("takes a role and a status that there are", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const place = yield* category(odin, "Bodies")
      const { id } = yield* announce(odin, place.id, "Bodies")
      const change = { role: "guest", status: "maybe" }
      assertInvalid(yield* takePart(odin, id, freya, change), "body role", "body status")
      assertInvalid(yield* takePart(odin, id, freya, { status: null }), "body status")
      assertInvalid(yield* takePart(odin, id, freya, "[]"), "body")
    })
  )
})

layer(People.layer)("an event with a capacity", (it) => {
  it.effect("has so many attendees and no more, also for its hosts; who does not attend takes no place", () =>
    Effect.gen(function* () {
      const { freya, loki, odin, tyr } = yield* Cast
      const place = yield* category(odin, "Full")
      const { id } = yield* announce(odin, place.id, "Full", { capacity: 1 })
      const full = { capacity: 1 }
      ok(yield* takePart(freya, id, freya))
      assertProblem(yield* takePart(loki, id, loki), EventFull, full)
      assertProblem(yield* takePart(odin, id, loki, { status: "attending" }), EventFull, full)
      ok(yield* takePart(odin, id, loki, { status: "invited" }))
      ok(yield* takePart(odin, id, tyr, { role: "host", status: "attending" }))
      assertProblem(yield* takePart(odin, id, tyr, { role: "attendee" }), EventFull, full)
      // Who attends already needs no other place.
      ok(yield* takePart(freya, id, freya))
      ok(yield* takePart(freya, id, freya, { status: "declined" }))
      ok(yield* takePart(loki, id, loki, { status: "attending" }))
      assertProblem(yield* takePart(freya, id, freya), EventFull, full)
      ok(yield* takePart(odin, id, loki, { role: "host" }))
      ok(yield* takePart(freya, id, freya))
      ok(yield* leave(freya, id, freya))
      ok(yield* takePart(odin, id, tyr, { role: "attendee" }))
      const none = yield* announce(odin, place.id, "None", { capacity: 0 })
      assertProblem(yield* takePart(freya, none.id, freya), EventFull, { capacity: 0 })
    })
  )

  it.effect("has so many under 50 requests at the same time, while the capacity changes", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const place = yield* category(odin, "Rush")
      const { id } = yield* announce(odin, place.id, "Rush", { capacity: 7 })
      const people = yield* Effect.forEach(
        Array.from({ length: 50 }, (_, n) => `rush${n}`),
        signUp,
        { concurrency: 4 }
      )
      const answers = yield* Effect.all(
        people.map((one) => takePart(one, id, one)),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(answers.filter(({ status }) => status === 200).length, 7)
      const refused = answers.filter(({ status }) => status !== 200)
      for (const answer of refused) assertProblem(answer, EventFull, { capacity: 7 })
      const attending = Effect.map(
        guest.get(`/events/${id}`),
        (found) =>
          ok(found).participants.filter((one: { readonly role: string }) => one.role === "attendee").length
      )
      assert.strictEqual(yield* attending, 7)

      const [shrunk] = yield* Effect.all(
        [
          odin.patch(`/events/${id}`, { capacity: 8 }),
          ...people.slice(0, 20).map((one) => takePart(one, id, one)),
          odin.patch(`/events/${id}`, { capacity: 7 })
        ],
        { concurrency: "unbounded" }
      )
      assert.strictEqual(shrunk?.status, 200)
      const { capacity } = ok(yield* guest.get(`/events/${id}`))
      assert.isAtMost(yield* attending, capacity)
    })
  )

  it.effect("cannot have more in the database, whoever writes", () =>
    Effect.gen(function* () {
      const { freya, loki, odin } = yield* Cast
      const place = yield* category(odin, "Held")
      const { id } = yield* announce(odin, place.id, "Held", { capacity: 1 })
      ok(yield* takePart(freya, id, freya))
      const sql = yield* SqlClient.SqlClient
      const insert = sql`insert into calendar_participants
        values (${id}, ${loki.id}, 'epoch', 'epoch', 'attendee', 'attending')`
      assert.strictEqual((yield* Effect.exit(insert))._tag, "Failure")
      const counted = sql`select participants, hosts, attending from calendar_events where id = ${id}`
      assert.deepStrictEqual(yield* counted, [{ participants: 2, hosts: 1, attending: 1 }])
      yield* sql`delete from calendar_participants where event_id = ${id} and account_id = ${freya.id}`
      assert.deepStrictEqual(yield* counted, [{ participants: 1, hosts: 1, attending: 0 }])
    })
  )
})

layer(People.layer)("an event", (it) => {
  it.effect("has 1,000 participants at most, and 20 hosts", () =>
    Effect.gen(function* () {
      const { freya, loki, odin } = yield* Cast
      const place = yield* category(odin, "Limits")
      const { id } = yield* announce(odin, place.id, "Limits")
      yield* crowd(id, "h", 18, "host")
      ok(yield* takePart(odin, id, loki, { role: "host" }))
      const tooManyHosts = { limit: "hosts", maximum: 20 } as const
      assertProblem(yield* takePart(odin, id, freya, { role: "host" }), TooManyParticipants, tooManyHosts)
      yield* crowd(id, "m", 980)
      const tooMany = { limit: "participants", maximum: 1000 } as const
      assertProblem(yield* takePart(freya, id, freya), TooManyParticipants, tooMany)
      ok(yield* takePart(odin, id, odin, { status: "declined" }))
      ok(yield* leave(odin, id, loki))
      ok(yield* takePart(freya, id, freya))
      assert.strictEqual(ok(yield* guest.get(`/events/${id}`)).participants.length, 1000)
    })
  )
})
