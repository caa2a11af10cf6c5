import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { AssetUnknown } from "../../src/domain/asset/Asset.ts"
import {
  CapacityTooLow,
  EventNotFound,
  EventSlugTaken,
  NotHost
} from "../../src/domain/calendar/CalendarEvent.ts"
import { AccountSuspended, Unauthenticated } from "../../src/domain/shared/Actor.ts"
import { ThreadNotFound } from "../../src/domain/thread/Thread.ts"
import { ok } from "../support/answers.ts"
import { announce, leave, participantsOf, takePart } from "../support/calendar.ts"
import { category } from "../support/discussion.ts"
import { png, upload } from "../support/files.ts"
import * as People from "../support/people.ts"
import { Cast, grant, guest, nobody, signUp, suspend } from "../support/people.ts"
import { assertInvalid, assertProblem } from "../support/problems.ts"

const logged = SqlClient.SqlClient.use(
  (sql) => sql<{ readonly tag: string; readonly actor_id: string }>`select tag, actor_id from event_log
    where tag like 'Calendar%' or tag like 'Thread%' order by id`
)

const tags = Effect.map(logged, (rows) => rows.map(({ tag }) => tag))

layer(People.layer)("changing an event", (it) => {
  it.effect("changes what is sent, and the title and text of the thread", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const place = yield* category(odin, "Changes")
      const before = yield* announce(odin, place.id, "Before", {
        location: { location_type: "physical", name: "Hall", address: "x", latitude: 1 },
        meta: { a: 1, b: 2 },
        capacity: 3
      })
      const path = `/events/${before.id}`
      yield* TestClock.adjust("1 minute")
      const changed = ok(
        yield* odin.patch(path, {
          name: " After ",
          slug: "after-all",
          description: "more",
          content: "<p>drink</p>",
          time_range: { start: "2031-01-01T00:00:00Z", end: "2031-01-01T01:00:00Z" },
          participation_policy: "closed",
          visibility: "review",
          location: { location_type: "virtual", name: "Call" },
          capacity: 0,
          meta: { a: 2 },
          thread_category_id: nobody
        })
      )
      const { thread, ...event } = changed
      assert.deepStrictEqual(event, {
        id: before.id,
        createdAt: before.createdAt,
        updatedAt: "1970-01-01T00:01:00.000Z",
        misc: {},
        name: "After",
        slug: "after-all",
        description: "more",
        time_range: { start: "2031-01-01T00:00:00.000Z", end: "2031-01-01T01:00:00.000Z" },
        participants: before.participants,
        participation_policy: "closed",
        visibility: "review",
        location: { location_type: "virtual", name: "Call" },
        capacity: 0,
        meta: { a: 2 }
      })
      assert.deepStrictEqual(
        [thread.id, thread.title, thread.body, thread.slug, thread.visibility, thread.updatedAt],
        [
          before.thread.id,
          "After",
          "<body><p>drink</p></body>",
          before.thread.slug,
          "unlisted",
          event.updatedAt
        ]
      )
      assert.deepStrictEqual(ok(yield* odin.get(path)), changed)
      assertProblem(yield* odin.get("/events/before"), EventNotFound)
      assert.deepStrictEqual((yield* tags).slice(-2), ["ThreadUpdated", "CalendarEventUpdated"])
    })
  )

  it.effect("keeps what is not sent, and the slug when the name changes", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const place = yield* category(odin, "Kept")
      const before = yield* announce(odin, place.id, "Kept", {
        description: "d",
        capacity: 5,
        meta: { a: 1 }
      })
      const path = `/events/${before.id}`
      const count = (yield* tags).length
      yield* TestClock.adjust("1 minute")
      for (const nothing of [{}, undefined, { unknown: 1 }]) {
        assert.deepStrictEqual(ok(yield* odin.patch(path, nothing)), before)
      }
      assert.strictEqual((yield* tags).length, count)

      const described = ok(yield* odin.patch(path, { description: "" }))
      assert.deepStrictEqual(described, { ...before, description: "", updatedAt: described.updatedAt })
      assert.notStrictEqual(described.updatedAt, before.updatedAt)
      // The thread did not change.
      assert.deepStrictEqual((yield* tags).slice(count), ["CalendarEventUpdated"])
      const renamed = ok(yield* odin.patch(path, { name: "Renamed" }))
      assert.deepStrictEqual([renamed.slug, renamed.thread.body], ["kept", before.thread.body])
      const rewritten = ok(yield* odin.patch(path, { content: "new" }))
      assert.deepStrictEqual([rewritten.name, rewritten.thread.title], ["Renamed", "Renamed"])
      // Its own slug is no conflict.
      ok(yield* odin.patch(path, { slug: "kept" }))
    })
  )

  it.effect("clears the location, the capacity and the image, and nothing else", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const place = yield* category(odin, "Cleared")
      const image = yield* upload(odin, png(2, 1))
      const full = yield* announce(odin, place.id, "Cleared", {
        location: { location_type: "virtual", name: "Call" },
        capacity: 1,
        meta: { a: 1 },
        primary_image_asset_id: image.id
      })
      const path = `/events/${full.id}`
      ok(yield* takePart(odin, full.id, freya, { status: "attending" }))
      const before = ok(yield* odin.get(path))
      assert.strictEqual(before.primary_image.id, image.id)
      const cleared = { location: null, capacity: null, primary_image_asset_id: null }
      const { capacity: _, primary_image: __, ...kept } = before
      const after = ok(yield* odin.patch(path, cleared))
      assert.deepStrictEqual(
        { ...after, updatedAt: "", thread: {} },
        { ...kept, location: null, updatedAt: "", thread: {} }
      )
      // What is cleared can be set again, and limits hold again.
      assertProblem(yield* odin.patch(path, { capacity: 0 }), CapacityTooLow, { capacity: 0, attending: 1 })
      const again = ok(yield* odin.patch(path, { capacity: 1, primary_image_asset_id: image.id }))
      assert.deepStrictEqual([again.capacity, again.primary_image, again.location], [1, image, null])
      for (const field of ["name", "slug", "description", "content", "time_range", "visibility", "meta"]) {
        assertInvalid(yield* odin.patch(path, { [field]: null }), `body ${field}`)
      }
      for (const field of Object.keys(cleared)) {
        const body = { name: "x", content: "x", thread_category_id: place.id, [field]: null }
        assert.include(JSON.stringify((yield* odin.post("/events", body)).json), `"${field}"`)
      }
    })
  )

  it.effect("is for its hosts and holders of MANAGE_EVENTS, also of a thread that is not theirs", () =>
    Effect.gen(function* () {
      const { freya, loki, odin, tyr } = yield* Cast
      const place = yield* category(odin, "Rights")
      const { id } = yield* announce(odin, place.id, "Rights")
      const path = `/events/${id}`
      const planner = yield* signUp("planner")
      yield* grant(planner, "MANAGE_EVENTS")
      ok(yield* takePart(odin, id, freya, { role: "host", status: "invited" }))
      ok(yield* takePart(loki, id, loki))
      for (const [name, who] of Object.entries({ freya, planner, odin })) {
        const changed = ok(yield* who.patch(path, { name, content: name }))
        assert.deepStrictEqual([changed.thread.title, changed.thread.body], [name, `<body>${name}</body>`])
        assert.strictEqual(changed.thread.author.handle, "odin")
      }
      for (const who of [loki, tyr]) {
        assertProblem(yield* who.patch(path, { name: "Theirs" }), NotHost)
        assertProblem(yield* who.patch(path, {}), NotHost)
        // Before the body is looked at, whatever it is.
        for (const body of [{ name: 7 }, "junk", "x".repeat(2_000_000)]) {
          assertProblem(yield* who.patch(path, body), NotHost)
        }
        assertProblem(yield* who.delete(path), NotHost)
      }
      assertProblem(yield* guest.patch(path, "junk"), Unauthenticated, {})
      assertProblem(yield* guest.delete(path), Unauthenticated, {})
      assertProblem(yield* odin.patch(`/events/${nobody}`, {}), EventNotFound, { event_mark: nobody })
      // Whoever is no host any more may not.
      ok(yield* takePart(odin, id, freya, { role: "attendee" }))
      assertProblem(yield* freya.patch(path, { name: "Again" }), NotHost)
      yield* suspend(planner)
      assertProblem(yield* planner.patch(path, {}), AccountSuspended)
    })
  )

  it.effect("may hide it from everyone but hosts, who find it by their list", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const place = yield* category(odin, "Hidden")
      const { id } = yield* announce(odin, place.id, "Hidden")
      ok(yield* takePart(odin, id, freya, { role: "host" }))
      ok(yield* freya.patch(`/events/${id}`, { visibility: "draft" }))
      assertProblem(yield* guest.get(`/events/${id}`), EventNotFound)
      const { events } = ok(yield* freya.get("/events?q=hidden"))
      assert.strictEqual(events[0].id, id)
    })
  )

  it.effect("refuses the slug of another event, an asset that does not exist, and wrong fields", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const place = yield* category(odin, "Refusals")
      const one = yield* announce(odin, place.id, "Refusal one")
      const two = yield* announce(odin, place.id, "Refusal two")
      const patch = (changes: unknown) => odin.patch(`/events/${two.id}`, changes)
      assertProblem(yield* patch({ name: "Lost", slug: one.slug }), EventSlugTaken, { slug: one.slug })
      assertProblem(yield* patch({ name: "Lost", primary_image_asset_id: nobody }), AssetUnknown, {
        field: "primary_image_asset_id",
        id: nobody
      })
      for (const field of ["name", "slug", "description", "content", "time_range"]) {
        assertInvalid(yield* patch({ [field]: null }), `body ${field}`)
      }
      assertInvalid(
        yield* patch({ time_range: { start: "2030-01-02T00:00:00Z", end: "2030-01-01T00:00:00Z" } }),
        "body time_range.end"
      )
      assert.deepStrictEqual(ok(yield* odin.get(`/events/${two.id}`)), two)
    })
  )

  it.effect("refuses a capacity below the number who attend, hosts aside", () =>
    Effect.gen(function* () {
      const { freya, loki, odin, tyr } = yield* Cast
      const place = yield* category(odin, "Capacity")
      const { id } = yield* announce(odin, place.id, "Capacity", { capacity: 10 })
      for (const who of [freya, loki]) ok(yield* takePart(who, id, who))
      ok(yield* takePart(odin, id, tyr, { status: "invited" }))
      const to = (capacity: number) => odin.patch(`/events/${id}`, { name: "Smaller", capacity })
      assertProblem(yield* to(1), CapacityTooLow, { capacity: 1, attending: 2 })
      assert.strictEqual(ok(yield* odin.get(`/events/${id}`)).thread.title, "Capacity")
      assert.strictEqual(ok(yield* to(2)).capacity, 2)
      ok(yield* leave(loki, id, loki))
      ok(yield* to(1))
    })
  )
})

layer(People.layer)("deleting an event", (it) => {
  it.effect("deletes its thread, keeps both in storage, and happens once", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const place = yield* category(odin, "Deleted")
      const { id, slug, thread } = yield* announce(odin, place.id, "Deleted")
      const kept = yield* announce(odin, place.id, "Kept")
      ok(yield* takePart(odin, id, freya, { role: "host" }))
      const answer = yield* freya.delete(`/events/${slug}`)
      assert.deepStrictEqual([answer.status, answer.text, answer.headers["content-length"]], [200, "", "0"])
      for (const mark of [id, slug]) {
        assertProblem(yield* odin.get(`/events/${mark}`), EventNotFound)
        assertProblem(yield* odin.patch(`/events/${mark}`, { name: "x" }), EventNotFound)
        assertProblem(yield* odin.delete(`/events/${mark}`), EventNotFound)
      }
      assertProblem(yield* takePart(odin, id, odin), EventNotFound)
      assertProblem(yield* leave(odin, id, freya), EventNotFound)
      assertProblem(yield* odin.get(`/threads/${thread.id}`), ThreadNotFound)
      const { events, total_pages } = ok(yield* odin.get("/events"))
      assert.deepStrictEqual(
        [events.map((one: { readonly id: string }) => one.id), total_pages],
        [[kept.id], 1]
      )
      const sql = yield* SqlClient.SqlClient
      const rows = yield* sql`select from calendar_events where id = ${id} and deleted_at is not null`
      assert.strictEqual(rows.length, 1)
      const last = (yield* logged).slice(-2)
      assert.deepStrictEqual(last, [
        { tag: "ThreadDeleted", actor_id: freya.id },
        { tag: "CalendarEventDeleted", actor_id: freya.id }
      ])
    })
  )

  it.effect("happens once for many requests at the same time", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const place = yield* category(odin, "Raced")
      const { id, thread } = yield* announce(odin, place.id, "Raced")
      const answers = yield* Effect.all(
        [
          ...Array.from({ length: 8 }, () => odin.delete(`/events/${id}`)),
          odin.delete(`/threads/${thread.id}`),
          odin.patch(`/events/${id}`, { name: "Raced on" })
        ],
        { concurrency: "unbounded" }
      )
      const statuses = new Set(answers.map(({ status }) => status))
      assert.isTrue([...statuses].every((status) => status === 200 || status === 404))
      const count = (tag: string) => Effect.map(tags, (all) => all.filter((one) => one === tag).length)
      const deletions = (yield* count("ThreadDeleted")) - 1
      assert.strictEqual(deletions, 1)
      assertProblem(yield* odin.get(`/events/${id}`), EventNotFound)
    })
  )
})

layer(People.layer)("the participants of an event", (it) => {
  it.effect("stay as they are when it changes", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const place = yield* category(odin, "Stay")
      const { id } = yield* announce(odin, place.id, "Stay")
      ok(yield* takePart(freya, id, freya))
      const changed = ok(yield* odin.patch(`/events/${id}`, { participation_policy: "closed" }))
      assert.deepStrictEqual(participantsOf(changed), ["odin host attending", "freya attendee attending"])
    })
  )
})
