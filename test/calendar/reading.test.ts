import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { EventNotFound } from "../../src/domain/calendar/CalendarEvent.ts"
import { idsOf, ok } from "../support/answers.ts"
import { announce, leave, participantsOf, takePart } from "../support/calendar.ts"
import { category, open, reply } from "../support/discussion.ts"
import { everyPage } from "../support/lists.ts"
import * as People from "../support/people.ts"
import { Cast, grant, guest, type Person, query, reinstate, signUp, suspend } from "../support/people.ts"
import { assertProblem } from "../support/problems.ts"
import { assertCancelled } from "../support/searching.ts"

const namesOf = (list: { readonly events: ReadonlyArray<{ readonly name: string }> }) =>
  list.events.map(({ name }) => name)

const names = (person: Person, path = "/events") =>
  Effect.map(person.get(path), (found) => namesOf(ok(found)))

layer(People.layer)("reading an event", (it) => {
  it.effect("works by id, by slug and by both", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const place = yield* category(odin, "Marks")
      const { id, slug } = yield* announce(odin, place.id, "Marked")
      for (const mark of [id, slug, `${id}-${slug}`, `${id}-anything`]) {
        assert.strictEqual(ok(yield* guest.get(`/events/${mark}`)).id, id, mark)
      }
      for (const mark of [
        `${id}x`,
        `x${id}`,
        `${slug}-`,
        slug.toUpperCase(),
        id.slice(1),
        `${People.nobody}-${slug}`
      ]) {
        assertProblem(yield* guest.get(`/events/${mark}`), EventNotFound, { event_mark: mark })
      }
    })
  )

  it.effect("shows the replies to those who may read threads, and the opening post to all", () =>
    Effect.gen(function* () {
      const { freya, odin, tyr } = yield* Cast
      const place = yield* category(odin, "Discussed")
      const event = yield* announce(odin, place.id, "Discussed")
      const path = `/events/${event.id}`
      const answer = yield* reply(odin, event.thread.id, "first")
      const hidden = yield* reply(odin, event.thread.id, "second")
      ok(yield* tyr.patch(`/posts/${hidden.id}`, { visibility: "review" }))
      ok(yield* odin.put(`/events/${event.id}/participants/${freya.id}`, {}))
      const repliesFor = (person: Person) =>
        Effect.map(person.get(path), (found) => {
          const { replies, reply_status } = ok(found).thread
          assert.strictEqual(reply_status.replies, replies.results)
          assert.isAtMost(reply_status.replied, reply_status.replies)
          assert.strictEqual(replies.results, replies.replies.length)
          return replies.replies.map(({ id }: { readonly id: string }) => id)
        })
      assert.deepStrictEqual(yield* repliesFor(guest), [answer.id])
      assert.deepStrictEqual(yield* repliesFor(freya), [answer.id])
      assert.deepStrictEqual(yield* repliesFor(tyr), [answer.id, hidden.id])

      // One has written replies, the other not.
      for (const suspended of [odin, tyr]) {
        yield* suspend(suspended)
        assert.deepStrictEqual(yield* repliesFor(suspended), [])
        yield* reinstate(suspended)
      }
      const sql = yield* SqlClient.SqlClient
      yield* sql`update roles set permissions = '{}' where name = 'Guest'`
      assert.deepStrictEqual(yield* repliesFor(guest), [])
      assert.strictEqual(ok(yield* guest.get(path)).thread.body, "<body><p>food</p></body>")
      assert.deepStrictEqual(yield* repliesFor(freya), [answer.id])
    })
  )

  it.effect("shows what the caller has of the thread", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const place = yield* category(odin, "Own")
      const event = yield* announce(odin, place.id, "Own")
      yield* reply(odin, event.thread.id, "mine")
      const statusOf = (person: Person) =>
        Effect.map(person.get(`/events/${event.id}`), (found) => ok(found).thread.reply_status)
      assert.deepStrictEqual(yield* statusOf(odin), { replies: 1, replied: 1 })
      assert.deepStrictEqual(yield* statusOf(freya), { replies: 1, replied: 0 })
    })
  )

  it.effect("is not possible any more when its thread is deleted, by whichever way", () =>
    Effect.gen(function* () {
      const { freya, odin, tyr } = yield* Cast
      const place = yield* category(odin, "Deleted")
      const one = yield* announce(odin, place.id, "By its author")
      const two = yield* announce(odin, place.id, "By a moderator")
      const three = yield* announce(odin, place.id, "As a post")
      const kept = yield* announce(odin, place.id, "Kept")
      ok(yield* odin.delete(`/threads/${one.thread.id}`))
      ok(yield* tyr.delete(`/threads/${two.thread.id}`))
      ok(yield* odin.delete(`/posts/${three.thread.id}`))
      for (const { id, slug } of [one, two, three]) {
        for (const mark of [id, slug]) assertProblem(yield* odin.get(`/events/${mark}`), EventNotFound)
        assertProblem(yield* takePart(freya, id, freya), EventNotFound)
        assertProblem(yield* odin.delete(`/events/${id}`), EventNotFound)
      }
      assert.deepStrictEqual(yield* names(odin, "/events?q=kept"), ["Kept"])
      for (const q of ["author", "moderator", "post"]) {
        assert.deepStrictEqual(yield* names(odin, `/events?q=${q}`), [])
      }
      const listed = yield* names(odin)
      for (const name of ["By its author", "By a moderator", "As a post"]) assert.notInclude(listed, name)
      ok(yield* guest.get(`/events/${kept.id}`))
    })
  )
})

const visibilities = ["draft", "unlisted", "review", "published"] as const
const all = [...visibilities]

layer(People.layer)("an event", (it) => {
  it.effect("is seen, listed and changed by those whom its visibility allows, and not found by others", () =>
    Effect.gen(function* () {
      const { freya, loki, odin, tyr } = yield* Cast
      const place = yield* category(odin, "Seen")
      const [planner, host, invited, declined, suspended] = [
        yield* signUp("planner"),
        yield* signUp("host"),
        yield* signUp("invited"),
        yield* signUp("declined"),
        yield* signUp("suspended")
      ]
      yield* grant(planner, "MANAGE_EVENTS")
      yield* grant(suspended, "MANAGE_EVENTS")
      const marks = new Map<string, string>()
      for (const visibility of visibilities) {
        const { id } = yield* announce(odin, place.id, visibility, { visibility })
        marks.set(visibility, id)
        ok(yield* takePart(odin, id, host, { role: "host", status: "declined" }))
        ok(yield* takePart(odin, id, invited, { status: "invited" }))
        ok(yield* takePart(odin, id, declined, { status: "declined" }))
        ok(yield* takePart(odin, id, suspended, { role: "host" }))
      }
      yield* suspend(suspended)
      // Of this one, nobody is host or participant but its creator.
      const apart = yield* announce(odin, place.id, "apart", { visibility: "unlisted" })
      const table: ReadonlyArray<readonly [who: Person, sees: ReadonlyArray<string>]> = [
        [guest, ["published"]],
        [freya, ["published"]],
        [loki, ["published"]],
        [tyr, ["published"]],
        [suspended, ["published"]],
        [invited, ["unlisted", "published"]],
        [declined, ["unlisted", "published"]],
        [host, all],
        [planner, all],
        [odin, all]
      ]
      for (const [who, sees] of table) {
        const others = who === planner || who === odin ? ["apart"] : []
        assert.deepStrictEqual((yield* names(who)).toSorted(), [...sees, ...others].toSorted())
        assert.strictEqual((yield* who.get(`/events/${apart.id}`)).status, others.length > 0 ? 200 : 404)
        for (const [visibility, id] of marks) {
          const answer = yield* who.get(`/events/${id}`)
          if (sees.includes(visibility)) ok(answer)
          else assertProblem(answer, EventNotFound, { event_mark: id })
        }
      }
      // What is not seen is not found by writes either.
      for (const visibility of ["draft", "unlisted", "review"]) {
        const id = marks.get(visibility) ?? ""
        assertProblem(yield* freya.patch(`/events/${id}`, {}), EventNotFound)
        assertProblem(yield* freya.delete(`/events/${id}`), EventNotFound)
        assertProblem(yield* takePart(freya, id, freya), EventNotFound)
        assertProblem(yield* leave(freya, id, invited), EventNotFound)
      }
      // Whoever leaves sees no more of it.
      const unlisted = marks.get("unlisted") ?? ""
      ok(yield* leave(invited, unlisted, invited))
      assertProblem(yield* invited.get(`/events/${unlisted}`), EventNotFound)
    })
  )
})

const startingAt = (hour: number) => ({
  time_range: {
    start: new Date(Date.UTC(2030, 0, 1, hour)).toISOString(),
    end: new Date(Date.UTC(2030, 0, 1, hour)).toISOString()
  }
})

/** Published events with the same start, by the order of their ids. */
const insertEvents = Effect.fnUntraced(function* (author: Person, start: string, count: number) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`insert into threads (id, created_at, author_id, visibility, active_at)
    select 't' || lpad(n::text, 19, '0'), 'epoch', ${author.id}, 'unlisted', 'epoch' from generate_series(1, ${count}) n`
  // Newest first, as the order must not depend on that of the rows.
  const rows = yield* sql<{ readonly id: string }>`insert into calendar_events (id, created_at, updated_at,
      thread_id, name, slug, description, starts_at, ends_at, policy, visibility, meta, search)
    select 'v' || lpad(n::text, 19, '0'), 'epoch', 'epoch', 't' || lpad(n::text, 19, '0'), 'tie', 'tie-' || n, '',
      ${start}::timestamptz, ${start}::timestamptz, 'open', 'published', '{}', 'tie'
    from generate_series(${count}, 1, -1) n returning id`
  return rows.map(({ id }) => id).toSorted()
})

layer(People.layer)("the list of events", (it) => {
  it.effect("is empty at first", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(ok(yield* guest.get("/events")), {
        page_size: 50,
        results: 0,
        total_pages: 0,
        current_page: 1,
        events: []
      })
    })
  )

  it.effect("has every event once, by start, then age, with true totals", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const place = yield* category(odin, "Pages")
      const [later, sooner] = [
        yield* announce(odin, place.id, "later", startingAt(9)),
        yield* announce(odin, place.id, "sooner", startingAt(1))
      ]
      const ties = yield* insertEvents(odin, startingAt(5).time_range.start, 51)
      yield* announce(odin, place.id, "hidden", { ...startingAt(5), visibility: "draft" })
      const first = ok(yield* guest.get("/events?page=x"))
      const second = ok(yield* guest.get("/events?page=2"))
      const ids = [...first.events, ...second.events].map(({ id }) => id)
      assert.deepStrictEqual(ids, [sooner.id, ...ties, later.id])
      const { events: _, next_cursor, ...numbers } = first
      assert.isString(next_cursor)
      assert.deepStrictEqual(numbers, {
        page_size: 50,
        results: 50,
        total_pages: 2,
        current_page: 1,
        next_page: 2
      })
      const { events: __, ...last } = second
      assert.deepStrictEqual(last, { page_size: 50, results: 3, total_pages: 2, current_page: 2 })
      assert.deepStrictEqual(ok(yield* guest.get("/events?page=99999999999999")), {
        page_size: 50,
        results: 0,
        total_pages: 2,
        current_page: 99_999_999_999_999,
        events: []
      })
      assert.strictEqual(ok(yield* odin.get("/events?page=2")).results, 4)
    })
  )
})

layer(People.layer)("a search for events", (it) => {
  it.effect("finds parts of names and descriptions, however they are spelled, and as they are written", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const place = yield* category(odin, "Search")
      const title = "Straße  100%"
      yield* announce(odin, place.id, title, { description: "Ein Fest\nfür ÅSGARD_" })
      yield* announce(odin, place.id, "Second", { content: "<p>fest</p>" })
      yield* announce(odin, place.id, "Third fest", { visibility: "draft" })
      yield* open(freya, "fest")
      const found = (q: string) => names(guest, `/events${query({ q })}`)
      for (const q of ["strasse 1", "STRASSE", "100%", "fest für", "asgard_", "  fest\t", "ＦＥＳＴ"]) {
        assert.deepStrictEqual(yield* found(q), [title], q)
      }
      for (const q of ["1%0", "100%ein", "asgardx", "_asgard", "food", "\\", "100% ein"]) {
        assert.deepStrictEqual(yield* found(q), [], q)
      }
      assert.deepStrictEqual(yield* found(" \u00ad "), [title, "Second"])
      assert.deepStrictEqual(yield* names(odin, "/events?q=fest"), [title, "Third fest"])
      const list = ok(yield* guest.get("/events?q=fest&page=2"))
      assert.deepStrictEqual([list.total_pages, list.results], [1, 0])
    })
  )

  it.effect("looks at what an event is called now", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const place = yield* category(odin, "Renamed")
      const { id } = yield* announce(odin, place.id, "Alpha", { description: "beta" })
      const isFound = (q: string) => Effect.map(names(guest, `/events?q=${q}`), (found) => found.length === 1)
      ok(yield* odin.patch(`/events/${id}`, { name: "Gamma" }))
      assert.deepStrictEqual(
        [yield* isFound("alpha"), yield* isFound("gamma"), yield* isFound("beta")],
        [false, true, true]
      )
      ok(yield* odin.patch(`/events/${id}`, { description: "delta" }))
      assert.deepStrictEqual(
        [yield* isFound("beta"), yield* isFound("gamma"), yield* isFound("delta")],
        [false, true, true]
      )
    })
  )

  it.effect("that takes longer than two seconds is cancelled in the database", () =>
    Effect.gen(function* () {
      yield* assertCancelled("calendar_events", guest.get("/events?q=slow"))
    })
  )
})

layer(People.layer)("a page of events", (it) => {
  it.effect("shows the first participants of each, hosts first, and the caller; the event shows all", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const place = yield* category(odin, "Crowd")
      const { id } = yield* announce(odin, place.id, "Crowd")
      const sql = yield* SqlClient.SqlClient
      yield* sql`insert into accounts (id, created_at, updated_at, handle, handle_key, name)
        select 'm' || lpad(n::text, 19, '0'), 'epoch', 'epoch', 'many' || n, 'many' || n, 'many'
        from generate_series(1, 30) n`
      yield* sql`insert into calendar_participants (event_id, account_id, created_at, updated_at, role, status)
        select ${id}, 'm' || lpad(n::text, 19, '0'), make_interval(secs => 100 - n) + 'epoch'::timestamptz, 'epoch',
          'attendee', 'attending' from generate_series(1, 30) n`
      yield* TestClock.adjust("1 hour")
      ok(yield* takePart(freya, id, freya))
      const late = yield* signUp("late")
      ok(yield* takePart(odin, id, late, { role: "host" }))
      const shown = (person: Person, path: string) =>
        Effect.map(person.get(path), (found) => {
          const answer = ok(found)
          return participantsOf(answer.events?.[0] ?? answer).map((one) => one.split(" ")[0])
        })
      const crowd = Array.from({ length: 30 }, (_, n) => `many${30 - n}`)
      const hosts = ["odin", "late"]
      assert.deepStrictEqual(yield* shown(guest, "/events"), [...hosts, ...crowd.slice(0, 18)])
      assert.deepStrictEqual(yield* shown(freya, "/events"), [...hosts, ...crowd.slice(0, 18), "freya"])
      for (const person of [guest, freya]) {
        assert.deepStrictEqual(yield* shown(person, `/events/${id}`), [...hosts, ...crowd, "freya"])
      }
    })
  )

  it.effect("has fewer on a page where they are large, all of them whole, each once", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const ties = yield* insertEvents(odin, startingAt(7).time_range.start, 70)
      yield* sql`update calendar_events set meta = jsonb_build_object('text', repeat('ü', 50000))
        where id like 'v0%' and id = any(${ties.filter((_, n) => n % 3 === 0)}::text[])`
      yield* sql`update calendar_events set visibility = 'draft', meta = jsonb_build_object('text', repeat('x', 900000))
        where id = ${ties[5]}`
      const expected = ties.filter((_, n) => n !== 5)
      for (const path of ["/events?q=tie", "/events"]) {
        for (const person of [guest, freya]) {
          const { counts, found } = yield* everyPage(person, path, "events", 250_000)
          const shown = found.filter(({ name }: { readonly name: string }) => name === "tie")
          assert.deepStrictEqual(idsOf(shown), expected)
          assert.isAbove(counts.length, 2)
          for (const { id, meta } of shown) {
            assert.lengthOf(meta.text ?? "", ties.indexOf(id) % 3 === 0 ? 50_000 : 0)
          }
        }
      }
      // Those that nobody else sees take no place of the others.
      yield* sql`update calendar_events set meta = '{}' where id <> ${ties[5]}`
      assert.deepStrictEqual((yield* everyPage(freya, "/events?q=tie", "events")).counts, [50, 19])
      assert.deepStrictEqual(ok(yield* freya.get("/events?page=99999999999999")).events, [])
      yield* sql`delete from calendar_events where name = 'tie'`
    })
  )
})
