import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { EventNotFound } from "../../src/domain/calendar/CalendarEvent.ts"
import { entriesMax } from "../../src/domain/feed/Feed.ts"
import { MethodNotAllowed } from "../../src/http/contract/RequestProblems.ts"
import { ok } from "../support/answers.ts"
import { announce } from "../support/calendar.ts"
import { category } from "../support/discussion.ts"
import { ifNoneMatch } from "../support/etags.ts"
import * as People from "../support/people.ts"
import { Cast, guest, nobody, query } from "../support/people.ts"
import { assertInvalid, assertProblem } from "../support/problems.ts"
import { eventsOf, namesOf } from "./calendars.ts"

const path = "/feeds/events.ics"

const at = (start: string, end: string) => ({ time_range: { start, end } })

layer(People.layer)("a calendar of the events", (it) => {
  it.effect("is valid without events, and anyone may keep it for a minute", () =>
    Effect.gen(function* () {
      const answer = yield* guest.get(path)
      assert.deepStrictEqual(eventsOf(answer), [])
      assert.strictEqual(answer.headers["cache-control"], "public, max-age=60")
      const again = yield* guest.get(path, ifNoneMatch(answer.headers.etag ?? ""))
      assert.strictEqual(again.status, 304)
    })
  )

  it.effect("has what guests see and has not ended, whoever asks", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const place = yield* category(odin, "Hall")
      yield* announce(odin, place.id, "Later", at("2030-03-01T10:00:00Z", "2030-03-01T11:00:00Z"))
      yield* announce(odin, place.id, "Long", at("2029-01-01T10:00:00Z", "2030-02-01T11:00:00Z"))
      yield* announce(odin, place.id, "Past", at("1960-01-01T10:00:00Z", "1960-01-01T11:00:00Z"))
      for (const visibility of ["draft", "unlisted", "review"]) {
        yield* announce(odin, place.id, `Hidden ${visibility}`, { visibility })
      }
      const gone = yield* announce(odin, place.id, "Gone")
      ok(yield* odin.delete(`/events/${gone.id}`))
      const plain = yield* guest.get(path)
      assert.deepStrictEqual(namesOf(plain), ["Long", "Later"])
      for (const person of [freya, odin]) assert.strictEqual((yield* person.get(path)).text, plain.text)
      const from = (time: string) => Effect.map(guest.get(path + query({ from: time })), namesOf)
      assert.deepStrictEqual(yield* from("1950-01-01T00:00:00Z"), ["Past", "Long", "Later"])
      assert.deepStrictEqual(yield* from("2030-02-01T12:00:00+01:00"), ["Long", "Later"])
      assert.deepStrictEqual(yield* from("2030-02-01T11:00:00.001Z"), ["Later"])
      assert.deepStrictEqual(yield* from("2031-01-01T00:00:00Z"), [])
      for (const wrong of ["tomorrow", "2030-02-30T00:00:00Z", "2030-01-01", "2030-01-01T00:00:00"]) {
        assertInvalid(yield* guest.get(path + query({ from: wrong })), "query from")
      }
    })
  )

  it.effect("says of an event when, where and what it is", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const place = yield* category(odin, "Grove")
      const name = `Feast, with; odd \\ signs 😀${"😀é".repeat(40)}`
      const description = `One\nTwo, three; four \\n five\n${"ä€😀 ".repeat(300)}`
      const made = yield* announce(odin, place.id, name, {
        description,
        slug: "the-feast",
        capacity: 3,
        location: {
          location_type: "physical",
          name: "Hall; old",
          address: "1 Way,\nTown",
          latitude: 59.5,
          longitude: -17.25
        },
        ...at("2030-01-02T10:00:00.123+02:00", "2030-01-02T12:30:00Z")
      })
      const address = `/events/${made.id}.ics`
      const [found] = eventsOf(yield* guest.get(address))
      assert.isDefined(found)
      const { component, event } = found
      assert.strictEqual(event.uid, `${made.id}@forum.test`)
      assert.strictEqual(event.summary, made.name)
      assert.strictEqual(event.description, made.description)
      assert.strictEqual(event.location, "Hall; old, 1 Way,\nTown")
      assert.strictEqual(event.startDate.toJSDate().toISOString(), "2030-01-02T08:00:00.000Z")
      assert.strictEqual(event.endDate.toJSDate().toISOString(), "2030-01-02T12:30:00.000Z")
      assert.strictEqual(event.sequence, 0)
      assert.strictEqual(component.getFirstPropertyValue("status"), "CONFIRMED")
      assert.strictEqual(component.getFirstPropertyValue("url"), "http://www.forum.test/events/the-feast")
      assert.deepStrictEqual(component.getFirstPropertyValue("geo"), [59.5, -17.25] as never)

      yield* TestClock.adjust("1 minute")
      ok(
        yield* odin.patch(`/events/${made.id}`, {
          name: "Changed",
          location: { location_type: "virtual", name: "Call", url: "https://call.test/a,b;c" }
        })
      )
      const [changed] = eventsOf(yield* guest.get("/events/the-feast.ics"))
      assert.strictEqual(changed?.event.summary, "Changed")
      assert.strictEqual(changed?.event.uid, `${made.id}@forum.test`)
      assert.strictEqual(changed?.event.sequence, 60)
      assert.strictEqual(changed?.component.getFirstPropertyValue("conference"), "https://call.test/a,b;c")
    })
  )

  it.effect("has no end for an event that ends as it starts", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const place = yield* category(odin, "Moment")
      const made = yield* announce(
        odin,
        place.id,
        "Moment",
        at("2030-01-02T10:00:00Z", "2030-01-02T10:00:00.500Z")
      )
      const [found] = eventsOf(yield* guest.get(`/events/${made.id}.ics`))
      assert.isNull(found?.component.getFirstProperty("dtend"))
      assert.strictEqual(found?.event.endDate.toJSDate().toISOString(), "2030-01-02T10:00:00.000Z")
    })
  )

  it.effect("is not there for an event that guests do not see", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const place = yield* category(odin, "Cellar")
      const hidden = yield* announce(odin, place.id, "Secret", { visibility: "unlisted" })
      for (const person of [guest, odin]) {
        for (const mark of [hidden.id, nobody, "unknown"]) {
          assertProblem(yield* person.get(`/events/${mark}.ics`), EventNotFound, { event_mark: mark })
        }
      }
      // The event itself is where it was.
      assert.strictEqual(ok(yield* odin.get(`/events/${hidden.id}`)).id, hidden.id)
      assertProblem(yield* odin.patch(`/events/${hidden.id}.ics`, {}), MethodNotAllowed, {
        allow: ["GET", "HEAD", "OPTIONS"]
      })
    })
  )

  it.effect("has the 50 events that end next", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const place = yield* category(odin, "Many")
      const one = yield* announce(odin, place.id, "Many", at("2040-01-01T00:00:00Z", "2040-01-01T01:00:00Z"))
      yield* sql`with thread as (
          insert into threads select (jsonb_populate_record(t, jsonb_build_object('id', lpad(n::text, 20, '0')))).*
          from threads t, generate_series(1, 60) n where t.id = ${one.thread.id} returning id)
        insert into calendar_events (id, created_at, updated_at, thread_id, name, slug, description, starts_at, ends_at,
          policy, visibility, meta, search)
        select id, 'epoch', 'epoch', id, 'Many ' || id::int, 'many-' || id, '', '2040-01-01', timestamptz '2040-01-02' + id::int * interval '1 hour',
          'open', 'published', '{}', '' from thread`
      const found = namesOf(yield* guest.get(`${path}?from=2040-01-01T00:00:00Z`))
      assert.lengthOf(found, entriesMax)
      assert.deepStrictEqual(found.slice(0, 3), ["Many", "Many 1", "Many 2"])
    })
  )
})
