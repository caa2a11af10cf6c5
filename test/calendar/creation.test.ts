import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { AssetUnknown } from "../../src/domain/asset/Asset.ts"
import { EventSlugTaken } from "../../src/domain/calendar/CalendarEvent.ts"
import { CategoryUnknown } from "../../src/domain/category/Category.ts"
import { Forbidden, Unauthenticated } from "../../src/domain/shared/Actor.ts"
import { BodyTooLong, MarkupTooLong } from "../../src/domain/thread/Post.ts"
import { ThreadHidden } from "../../src/domain/thread/Thread.ts"
import { ok } from "../support/answers.ts"
import { announce, fieldsOf, participantsOf } from "../support/calendar.ts"
import { category } from "../support/discussion.ts"
import * as People from "../support/people.ts"
import { Cast, grant, guest, nobody, signUp } from "../support/people.ts"
import { assertInvalid, assertProblem, issuesOf } from "../support/problems.ts"

const insertAsset = (id: string, filename: string) =>
  SqlClient.SqlClient.use(
    (
      sql
    ) => sql`insert into assets (id, created_at, filename, original_name, mime_type, size, width, height, store)
      values (${id}, 'epoch', ${`${id}-${filename}`}, ${filename}, 'image/png', 10, 4, 3, 'disk')`
  )

layer(People.layer)("creating events", (it) => {
  it.effect("opens an unlisted thread and makes the creator host", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      yield* TestClock.adjust("1 minute")
      const place = yield* category(odin, "Calendar")
      const image = "00000000000000000a00"
      yield* insertAsset(image, "hall.png")
      const location = {
        location_type: "physical",
        name: "The hall",
        address: "1 Rainbow Bridge\nAsgard",
        latitude: -59.5,
        longitude: 180,
        url: "https://hall.example"
      }
      const created = ok(
        yield* odin.post("/events", {
          name: "  Winter\tGathering! ",
          description: "line\r\nline",
          content: `<p>Bring <b>a cup</b></p><script>x</script>`,
          time_range: { start: "2030-12-21T18:00:00+01:00", end: "2030-12-22T02:00:00.123456Z" },
          participation_policy: "invite_only",
          visibility: "published",
          location,
          capacity: 7,
          primary_image_asset_id: image,
          thread_category_id: place.id,
          meta: { a: { b: [null, 1] } },
          participants: [],
          id: nobody,
          unknown: "ignored"
        })
      )
      const { participants, primary_image, thread, ...event } = created
      assert.deepStrictEqual(event, {
        id: event.id,
        createdAt: "1970-01-01T00:01:00.000Z",
        updatedAt: "1970-01-01T00:01:00.000Z",
        misc: {},
        name: "Winter Gathering!",
        slug: "winter-gathering",
        description: "line\nline",
        time_range: { start: "2030-12-21T17:00:00.000Z", end: "2030-12-22T02:00:00.123Z" },
        participation_policy: "invite_only",
        visibility: "published",
        location,
        capacity: 7,
        meta: { a: { b: [null, 1] } }
      })
      assert.match(event.id, /^[0-9a-v]{19}[0g]$/)
      assert.deepStrictEqual(participantsOf(created), ["odin host attending"])
      assert.deepStrictEqual(participants[0].profile, thread.author)
      assert.strictEqual(primary_image.id, image)
      assert.strictEqual(primary_image.width, 4)
      assert.strictEqual(thread.title, "Winter Gathering!")
      assert.strictEqual(thread.body, "<body><p>Bring <b>a cup</b></p></body>")
      assert.strictEqual(thread.visibility, "unlisted")
      assert.strictEqual(thread.category.id, place.id)
      assert.deepStrictEqual(thread.replies.replies, [])
      assert.deepStrictEqual(ok(yield* guest.get(`/events/${event.id}`)), created)
      // The thread itself stays what it is: unlisted, and its author's.
      assertProblem(yield* guest.get(`/threads/${thread.id}`), ThreadHidden)
      assert.deepStrictEqual(ok(yield* guest.get("/threads")).threads, [])
      assert.strictEqual(ok(yield* guest.get("/categories")).categories[0].postCount, 0)
    })
  )

  it.effect("leaves out what is not given", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const place = yield* category(odin, "Bare")
      const event = yield* announce(odin, place.id, "Bare")
      assert.strictEqual(event.description, "")
      assert.deepStrictEqual(event.meta, {})
      assert.isNull(event.location)
      for (const key of ["capacity", "primary_image", "deletedAt"]) assert.notProperty(event, key)
      const [listed] = ok(yield* guest.get("/events?q=bare")).events
      const { thread: _, ...reference } = event
      assert.deepStrictEqual(listed, reference)
    })
  )

  it.effect("takes a slug, or makes one that is an address", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const place = yield* category(odin, "Slugs")
      const slugOf = (name: string, more = {}) =>
        Effect.map(announce(odin, place.id, name, more), ({ id, slug }) => ({ id, slug }))
      assert.strictEqual((yield* slugOf("Named", { slug: "other_1" })).slug, "other_1")
      assert.strictEqual((yield* slugOf("Бабочки")).slug, "бабочки")
      const butterfly = yield* slugOf("🦋")
      assert.strictEqual(butterfly.slug, butterfly.id)
      // What looks like an id would be read as one.
      assert.strictEqual((yield* slugOf("abcdefghijklmnopqrst")).slug, "event-abcdefghijklmnopqrst")
      assert.strictEqual((yield* slugOf("Abcdefghijklmnopqrst x")).slug, "event-abcdefghijklmnopqrst-x")
      const long = yield* slugOf("\ufdfa".repeat(200))
      assert.isAtMost([...long.slug].length, 100)
      for (const slug of ["other_1", "бабочки", butterfly.slug, "event-abcdefghijklmnopqrst", long.slug]) {
        assert.strictEqual(ok(yield* guest.get(`/events/${encodeURIComponent(slug)}`)).slug, slug)
      }
      const fields = { ...fieldsOf(place.id), name: "Refused" }
      for (const slug of ["", " ", "Upper", "a b", "-a", "a/b", nobody, `${nobody}-x`, "x".repeat(101)]) {
        assertInvalid(yield* odin.post("/events", { ...fields, slug }), "body slug")
      }
    })
  )

  it.effect("is a conflict if the slug is taken, until its event is deleted", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const place = yield* category(odin, "Conflicts")
      const fields = { ...fieldsOf(place.id), name: "Taken" }
      const first = yield* announce(odin, place.id, "Taken")
      assertProblem(yield* odin.post("/events", fields), EventSlugTaken, { slug: "taken" })
      assertProblem(yield* odin.post("/events", { ...fields, name: "Else", slug: "taken" }), EventSlugTaken)
      const sql = yield* SqlClient.SqlClient
      const threads = yield* sql`select from posts where title = 'Taken'`
      assert.strictEqual(threads.length, 1, "a refused event leaves no thread")
      ok(yield* odin.delete(`/events/${first.id}`))
      const second = yield* announce(odin, place.id, "Taken")
      assert.notStrictEqual(second.id, first.id)
      assert.strictEqual(ok(yield* guest.get("/events/taken")).id, second.id)
    })
  )

  it.effect("succeeds once for many requests with the same slug at the same time", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const place = yield* category(odin, "Races")
      const fields = { ...fieldsOf(place.id), name: "Raced" }
      const answers = yield* Effect.all(
        Array.from({ length: 20 }, () => odin.post("/events", fields)),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(answers.filter(({ status }) => status === 200).length, 1)
      assert.strictEqual(answers.filter(({ status }) => status === 409).length, 19)
    })
  )

  it.effect("requires MANAGE_EVENTS, which is checked before the body", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      assertProblem(yield* guest.post("/events", "junk"), Unauthenticated, {})
      assertProblem(yield* freya.post("/events", "junk"), Forbidden, { permission: "MANAGE_EVENTS" })
      const planner = yield* signUp("planner")
      yield* grant(planner, "MANAGE_EVENTS")
      const place = yield* category(odin, "Planned")
      assert.deepStrictEqual(participantsOf(yield* announce(planner, place.id, "Planned")), [
        "planner host attending"
      ])
    })
  )

  it.effect("refuses a category or an asset that does not exist", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const place = yield* category(odin, "Known")
      const fields = { ...fieldsOf(place.id), name: "Refused once more" }
      assertProblem(yield* odin.post("/events", { ...fields, thread_category_id: nobody }), CategoryUnknown, {
        field: "thread_category_id",
        id: nobody
      })
      assertProblem(
        yield* odin.post("/events", { ...fields, primary_image_asset_id: nobody }),
        AssetUnknown,
        {
          field: "primary_image_asset_id",
          id: nobody
        }
      )
      assert.strictEqual(ok(yield* odin.get("/events?q=once more")).total_pages, 0)
    })
  )

  it.effect("holds the limits of texts, whatever the visibility", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const place = yield* category(odin, "Texts")
      const fields = { ...fieldsOf(place.id), visibility: "draft" }
      const at = (content: string) => odin.post("/events", { ...fields, name: "Long", content })
      const markup = `<p title="${"x".repeat(524_300)}">x</p>`
      assertProblem(yield* at("x".repeat(60_001)), BodyTooLong, { maximum: 60_000, length: 60_001 })
      assertProblem(yield* at(markup), MarkupTooLong)
      const { id } = ok(yield* at("x".repeat(60_000)))
      const content = "x".repeat(60_001)
      assertProblem(yield* odin.patch(`/events/${id}`, { content }), BodyTooLong)
      assertProblem(yield* odin.patch(`/events/${id}`, { content: markup }), MarkupTooLong)
    })
  )
})

layer(People.layer)("the fields of an event", (it) => {
  it.effect("are named if they are missing or wrong", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const place = yield* category(odin, "Fields")
      const fields = fieldsOf(place.id)
      const required = ["name", "content", "time_range", "participation_policy", "visibility"]
      assertInvalid(
        yield* odin.post("/events", {}),
        ...[...required, "thread_category_id"].map((name) => `body ${name}`)
      )
      const cases: ReadonlyArray<readonly [field: string, value: unknown, place?: string]> = [
        ["name", " \u200b "],
        ["name", "x".repeat(256)],
        ["description", "x".repeat(2001)],
        ["description", null],
        ["participation_policy", "secret"],
        ["visibility", "public"],
        ["thread_category_id", "general"],
        ["primary_image_asset_id", "image"],
        ["capacity", -1],
        ["capacity", 1.5],
        ["capacity", 1_000_001],
        ["capacity", null],
        ["capacity", "7"],
        ["meta", []],
        ["location", null],
        ["time_range", { start: "2030-01-01T00:00:00Z" }, "time_range.end"]
      ]
      for (const [field, value, at = field] of cases) {
        assertInvalid(yield* odin.post("/events", { ...fields, [field]: value }), `body ${at}`)
      }
    })
  )

  it.effect("take instants with an offset, of days that there are, which end no sooner than they begin", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const place = yield* category(odin, "Times")
      const at = (start: string, end: string, name = "Timed") =>
        odin.post("/events", { ...fieldsOf(place.id), name, time_range: { start, end } })
      const valid = "2030-01-01T00:00:00Z"
      for (const start of [
        "2030-01-01",
        "2030-01-01T00:00:00",
        "2030-01-01 00:00:00Z",
        "2030-02-30T00:00:00Z",
        "2030-13-01T00:00:00Z",
        "2030-01-01T25:00:00Z",
        "1899-12-31T23:59:59Z",
        "0000-01-01T00:00:00Z",
        "1",
        ""
      ]) {
        assertInvalid(yield* at(start, valid), "body time_range.start")
      }
      const leap = "2016-12-31T23:59:60Z"
      for (const [refused, place] of [
        [yield* at(leap, valid), "body time_range.start"],
        [yield* odin.patch("/admin", { motd: { start_at: leap } }), "body motd.start_at"],
        [yield* odin.get(`/admin/audit-events?range=${leap}`), "query range"]
      ] as const) {
        assertInvalid(refused, place)
        assert.match(issuesOf(refused)[0]?.message ?? "", /with seconds up to 59/)
      }
      assertInvalid(yield* at(valid, "9999-12-31T23:59:59-01:00"), "body time_range.end")
      assertInvalid(yield* at(valid, "2029-12-31T23:59:59.999Z"), "body time_range.end")
      // Later on the clock, earlier in time.
      assertInvalid(yield* at(valid, "2030-01-01T00:30:00+01:00"), "body time_range.end")
      ok(yield* at(valid, valid, "No time at all"))
      const far = ok(yield* at("1900-01-01t00:00:00z", "9999-12-31T23:59:59.999Z", "Forever"))
      assert.deepStrictEqual(far.time_range, {
        start: "1900-01-01T00:00:00.000Z",
        end: "9999-12-31T23:59:59.999Z"
      })
    })
  )

  it.effect("take a physical or a virtual location", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const place = yield* category(odin, "Places")
      const at = (location: unknown, name = "Placed") =>
        odin.post("/events", { ...fieldsOf(place.id), name, location })
      const url = "https://call.example/room?x=1#y"
      const online = ok(yield* at({ location_type: "virtual", name: "Call", url, address: "x" }, "Online"))
      assert.deepStrictEqual(online.location, { location_type: "virtual", name: "Call", url })
      const encoded = ok(
        yield* at({ location_type: "virtual", name: "x", url: "https://ü.example/ä b" }, "Encoded")
      )
      assert.strictEqual(encoded.location.url, "https://xn--tda.example/%C3%A4%20b")
      const bare = { location_type: "physical", name: "Somewhere" }
      assert.deepStrictEqual(ok(yield* at(bare, "Bare")).location, bare)
      const unaddressed = ok(yield* at({ ...bare, address: "" }, "Unaddressed"))
      assert.deepStrictEqual(unaddressed.location, bare)

      const physical = { ...bare, address: "x", latitude: 90, longitude: -180 }
      const cases: ReadonlyArray<readonly [location: unknown, place: string]> = [
        [{ location_type: "virtual" }, "location.name"],
        [{ ...physical, location_type: "x" }, "location"],
        [{}, "location"],
        [5, "location"],
        [{ ...physical, name: " " }, "location.name"],
        [{ ...physical, latitude: 90.1 }, "location.latitude"],
        [{ ...physical, longitude: -181 }, "location.longitude"],
        [{ ...physical, latitude: "1" }, "location.latitude"],
        [{ ...physical, address: "x".repeat(1001) }, "location.address"],
        [{ ...physical, url: "javascript:alert(1)" }, "location.url"],
        [{ ...physical, url: "hall.example" }, "location.url"],
        [{ ...physical, url: "/hall" }, "location.url"]
      ]
      for (const [location, at_] of cases) assertInvalid(yield* at(location), `body ${at_}`)
      for (const location of [{}, { location_type: "moon", name: "x" }, [], "x"]) {
        const answer = yield* at(location)
        assert.strictEqual(answer.status, 400, answer.text)
      }
    })
  )
})
