/** Lists with so many events that pages are counted from their end, and how many there are. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { ok } from "../support/answers.ts"
import { announce, takePart } from "../support/calendar.ts"
import { category } from "../support/discussion.ts"
import * as People from "../support/people.ts"
import { Cast, guest, type Person } from "../support/people.ts"

const counted = SqlClient.SqlClient.use(
  (sql) => sql`select sum(draft)::int as draft, sum(unlisted)::int as unlisted, sum(review)::int as review,
    sum(published)::int as published from calendar_totals`
)

const pages = (person: Person) => Effect.map(person.get("/events"), (found) => ok(found).total_pages)

layer(People.layer)("the number of events", (it) => {
  it.effect("is kept as they come, change and go", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const place = yield* category(odin, "Counted")
      const [one, two, three] = [
        yield* announce(odin, place.id, "One"),
        yield* announce(odin, place.id, "Two", { visibility: "draft" }),
        yield* announce(odin, place.id, "Three", { visibility: "unlisted" })
      ]
      assert.deepStrictEqual(yield* counted, [{ draft: 1, unlisted: 1, review: 0, published: 1 }])
      ok(yield* odin.patch(`/events/${one.id}`, { visibility: "review" }))
      ok(yield* odin.patch(`/events/${one.id}`, { name: "Still one" }))
      ok(yield* takePart(odin, three.id, freya, { role: "host" }))
      assert.deepStrictEqual(yield* counted, [{ draft: 1, unlisted: 1, review: 1, published: 0 }])
      assert.deepStrictEqual([yield* pages(guest), yield* pages(freya), yield* pages(odin)], [0, 1, 1])
      ok(yield* freya.delete(`/events/${three.id}`))
      ok(yield* odin.delete(`/threads/${two.thread.id}`))
      assert.deepStrictEqual(yield* counted, [{ draft: 0, unlisted: 0, review: 1, published: 0 }])
      assert.strictEqual(yield* pages(freya), 0)
      const sql = yield* SqlClient.SqlClient
      yield* sql`delete from calendar_events`
      assert.deepStrictEqual(yield* counted, [{ draft: 0, unlisted: 0, review: 0, published: 0 }])
    })
  )
})

layer(People.layer)("events that a caller takes part in", (it) => {
  it.effect("are counted once, as everybody reads them", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const place = yield* category(odin, "Attended")
      for (let n = 0; n < 50; n++) {
        const event = yield* announce(odin, place.id, `Event ${n}`)
        if (n < 5) ok(yield* takePart(freya, event.id, freya))
      }
      // Who is no host does not see it.
      const draft = yield* announce(odin, place.id, "Draft", { visibility: "draft" })
      ok(yield* takePart(odin, draft.id, freya, { status: "invited" }))
      const deleted = yield* announce(odin, place.id, "Deleted", { visibility: "unlisted" })
      ok(yield* takePart(odin, deleted.id, freya, { status: "invited" }))
      assert.deepStrictEqual([yield* pages(guest), yield* pages(freya), yield* pages(odin)], [1, 2, 2])
      ok(yield* odin.delete(`/threads/${deleted.thread.id}`))
      assert.deepStrictEqual([yield* pages(guest), yield* pages(freya), yield* pages(odin)], [1, 1, 2])
      ok(yield* odin.delete(`/threads/${draft.thread.id}`))
      assert.deepStrictEqual([yield* pages(guest), yield* pages(freya), yield* pages(odin)], [1, 1, 1])
    })
  )
})

layer(People.layer)("far pages of events", (it) => {
  it.effect("have what comes after the pages before them, for each caller", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      // Of 2,118, each seventh is a draft, of which Freya hosts every other one.
      yield* sql`insert into threads (id, created_at, author_id, visibility, active_at)
        select 'e' || lpad(n::text, 18, '0') || '0', 'epoch', ${odin.id}, 'unlisted', 'epoch' from generate_series(1, 2118) n`
      yield* sql`insert into calendar_events (id, created_at, updated_at, thread_id, name, slug, description, starts_at,
          ends_at, policy, visibility, meta, search)
        select id, 'epoch', 'epoch', id, 'Event ' || id, id, '', timestamptz 'epoch' + (n / 3) * interval '1 day',
          '9999-01-01Z', 'open', case when n % 7 = 0 then 'draft' else 'published' end, '{}', ''
        from threads cross join lateral (select substr(id, 2, 18)::int as n) number where id like 'e%'`
      yield* sql`insert into calendar_participants (event_id, account_id, created_at, updated_at, role, status)
        select id, ${freya.id}, 'epoch', 'epoch', 'host', 'attending' from calendar_events
        where substr(id, 2, 18)::int % 14 = 0`
      const idsFor = (drafts: (n: number) => boolean) =>
        Array.from({ length: 2118 }, (_, index) => index + 1)
          .filter((n) => n % 7 !== 0 || drafts(n))
          .map((n) => `e${String(n).padStart(18, "0")}0`)
      const viewers: ReadonlyArray<readonly [Person, ReadonlyArray<string>]> = [
        [guest, idsFor(() => false)],
        [freya, idsFor((n) => n % 14 === 0)],
        [odin, idsFor(() => true)]
      ]
      for (const [viewer, ids] of viewers) {
        const last = Math.ceil(ids.length / 50)
        for (const page of [1, 2, 19, 20, 21, 22, 30, last - 1, last, last + 1, 1000]) {
          const { current_page, events, next_page, total_pages } = ok(
            yield* viewer.get(`/events?page=${page}`)
          )
          assert.deepStrictEqual(
            events.map(({ id }: { readonly id: string }) => id),
            ids.slice((page - 1) * 50, page * 50),
            `page ${page}`
          )
          assert.deepStrictEqual([current_page, total_pages], [page, last])
          assert.strictEqual(next_page, page < last ? page + 1 : undefined)
        }
      }
    })
  )
})
