import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { idsOf, ok } from "../support/answers.ts"
import { category, open } from "../support/discussion.ts"
import * as People from "../support/people.ts"
import { Cast, guest, type Person } from "../support/people.ts"

layer(People.layer)("the pages of the list of threads", (it) => {
  it.effect("have every thread once, in order, pinned or not", () =>
    Effect.gen(function* () {
      const { freya, loki, odin } = yield* Cast
      const opened = yield* Effect.forEach(Array.from({ length: 230 }), (_, n) =>
        Effect.gen(function* () {
          if (n % 70 === 0) yield* TestClock.adjust("1 second")
          const pinned = n % 17 === 0 ? { pinned: (n % 3) - 1 } : {}
          const thread = yield* open(n % 17 === 0 ? odin : freya, `${n}`, {
            ...pinned,
            body: "common"
          })
          return { id: thread.id, at: Date.parse(thread.createdAt), pinned: thread.pinned }
        })
      )
      yield* open(loki, "a draft among them", { visibility: "draft" })
      const ofReview = yield* open(loki, "in review", { visibility: "review" })
      const later = (a: { id: string; at: number }, b: { id: string; at: number }) =>
        b.at - a.at || (a.id < b.id ? 1 : -1)
      const byActivity = idsOf(opened.toSorted(later))
      const byPin = idsOf(opened.toSorted((a, b) => b.pinned - a.pinned || later(a, b)))
      const freyas = opened.filter((_, n) => n % 17 !== 0)

      for (const [person, parameters, whole] of [
        [guest, "?", byPin],
        [guest, "?ignore_pinned=true", byActivity],
        [freya, "?", byPin],
        [freya, "?author=freya", idsOf(freyas.toSorted(later))],
        [freya, "?q=common", byPin],
        [freya, "?categories=null&ignore_pinned=true", byActivity],
        [odin, "?visibility=published", byPin],
        [odin, "?ignore_pinned=true&visibility=published&visibility=review", [ofReview.id, ...byActivity]],
        [loki, "?ignore_pinned=true", [ofReview.id, ...byActivity]]
      ] as const) {
        const pages = Math.ceil(whole.length / 50)
        for (let page = 1; page <= pages + 2; page++) {
          const { threads, next_cursor, ...numbers } = ok(
            yield* person.get(`/threads${parameters}&page=${page}`)
          )
          const items = whole.slice((page - 1) * 50, page * 50)
          assert.deepStrictEqual(idsOf(threads), items, `${parameters} ${page}`)
          assert.strictEqual(next_cursor !== undefined, page < pages)
          assert.deepStrictEqual(numbers, {
            page_size: 50,
            results: items.length,
            total_pages: pages,
            current_page: page,
            ...(page < pages ? { next_page: page + 1 } : {})
          })
        }
      }
    })
  )
})

layer(People.layer)("the number of pages", (it) => {
  it.effect("does not count deleted threads, whatever is listed", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      for (const visibility of ["review", "published"]) {
        const threads = yield* Effect.forEach(Array.from({ length: 51 }), (_, n) =>
          open(freya, `${n}`, { visibility })
        )
        ok(yield* freya.delete(`/threads/${threads[7].id}`))
        for (const parameters of [`?visibility=${visibility}`, `?author=freya&visibility=${visibility}`]) {
          const list = ok(yield* odin.get(`/threads${parameters}`))
          assert.deepStrictEqual([list.results, list.total_pages], [50, 1], parameters)
          assert.notProperty(list, "next_page")
        }
      }
      const everything = ok(yield* odin.get("/threads?page=2"))
      assert.deepStrictEqual([everything.results, everything.total_pages], [50, 2])
    })
  )

  it.effect("counts in categories, or in none, what the caller may see", () =>
    Effect.gen(function* () {
      const { freya, loki, odin } = yield* Cast
      const [one, two] = [yield* category(odin, "One"), yield* category(odin, "Two")]
      for (const more of [{ category: one.id }, {}]) {
        yield* Effect.forEach(Array.from({ length: 50 }), (_, n) => open(freya, `${n}`, more))
        const gone = yield* open(freya, "gone", more)
        yield* open(freya, "draft", { ...more, visibility: "draft" })
        yield* open(freya, "review", { ...more, visibility: "review" })
        ok(yield* freya.delete(`/threads/${gone.id}`))
      }
      yield* open(freya, "elsewhere", { category: two.id, visibility: "review" })
      yield* open(loki, "other", { category: two.id })
      const counted = (person: Person, parameters: string) =>
        Effect.gen(function* () {
          const first = ok(yield* person.get(`/threads?${parameters}`))
          const second = ok(yield* person.get(`/threads?${parameters}&page=2`))
          assert.strictEqual(second.total_pages, first.total_pages, parameters)
          assert.strictEqual("next_page" in first, second.results > 0, parameters)
          return [first.results + second.results, first.total_pages]
        })
      // The threads of the test before are in no category either.
      const others = ok(yield* guest.get("/threads?author=freya")).total_pages
      assert.strictEqual(others, 3)
      for (const [parameters, asGuest, asFreya, asOdin] of [
        ["categories=one", [50, 1], [51, 2], [51, 2]],
        ["categories=one&ignore_pinned=true", [50, 1], [51, 2], [51, 2]],
        ["categories=one&visibility=published", [50, 1], [50, 1], [50, 1]],
        ["categories=one&author=freya", [50, 1], [51, 2], [51, 2]],
        ["categories=two", [1, 1], [2, 1], [2, 1]],
        ["categories=one&categories=two", [51, 2], [53, 2], [53, 2]],
        ["categories=one&categories=one", [50, 1], [51, 2], [51, 2]],
        ["categories=none-such", [0, 0], [0, 0], [0, 0]],
        ["author=freya", [100, 3], [100, 5], [100, 5]],
        ["author=freya&visibility=published", [100, 3], [100, 3], [100, 3]],
        ["author=freya&visibility=review", [100, 3], [53, 2], [53, 2]],
        ["author=freya&visibility=draft", [100, 3], [2, 1], [2, 1]],
        ["author=freya&categories=null", [100, 2], [100, 4], [100, 4]],
        ["author=freya&categories=one&categories=two", [50, 1], [52, 2], [52, 2]],
        ["author=freya&categories=none-such", [0, 0], [0, 0], [0, 0]],
        ["author=loki&categories=two", [1, 1], [1, 1], [1, 1]],
        ["author=odin", [0, 0], [0, 0], [0, 0]]
      ] as const) {
        for (const [person, expected] of [
          [guest, asGuest],
          [loki, asGuest],
          [freya, asFreya],
          [odin, asOdin]
        ] as const) {
          assert.deepStrictEqual(yield* counted(person, parameters), [...expected], parameters)
        }
      }
      const inNone = Effect.map(
        guest.get("/threads?categories=null&page=9"),
        (answer) => ok(answer).total_pages
      )
      assert.strictEqual(yield* inNone, 2)
      const [last] = ok(yield* guest.get("/threads?categories=one")).threads
      ok(yield* freya.patch(`/threads/${last.id}`, { category: two.id }))
      assert.deepStrictEqual(yield* counted(guest, "categories=one"), [49, 1])
      assert.deepStrictEqual(yield* counted(guest, "categories=two"), [2, 1])
      assert.deepStrictEqual(yield* counted(guest, "categories=one&author=freya"), [49, 1])
      assert.deepStrictEqual(yield* counted(guest, "categories=two&author=freya"), [1, 1])
    })
  )

  it.effect("counts each thread with any of the tags once", () =>
    Effect.gen(function* () {
      const { freya, loki, odin } = yield* Cast
      const tagged = (author: Person, tags: ReadonlyArray<string>, visibility = "published") =>
        open(author, tags.join(), { tags, visibility })
      yield* Effect.forEach(Array.from({ length: 47 }), () => tagged(freya, ["a"]))
      yield* tagged(freya, ["a", "b"])
      yield* tagged(loki, ["a"])
      yield* tagged(loki, ["b"])
      for (const visibility of ["draft", "review"]) yield* tagged(freya, ["a"], visibility)
      const gone = yield* tagged(freya, ["a"])
      ok(yield* freya.delete(`/threads/${gone.id}`))
      const [a, b] = yield* Effect.forEach(["a", "b"], (name) =>
        Effect.map(guest.get(`/tags/${name}`), (answer): string => ok(answer).id)
      )
      for (const [parameters, asGuest, asFreya, asOdin] of [
        [`tags=${a}`, 49, 50, 50],
        [`tags=${b}`, 2, 2, 2],
        // One page for guests, as the thread with both counts once.
        [`tags=${a}&tags=${b}`, 50, 51, 51],
        [`tags=${a}&tags=${a}`, 49, 50, 50],
        [`tags=${a}&author=freya`, 48, 49, 49],
        [`tags=${a}&categories=null`, 49, 50, 50],
        [`tags=${a}&visibility=draft`, 49, 49, 1],
        [`tags=${a}&visibility=published`, 49, 49, 49]
      ] as const) {
        for (const [person, expected] of [
          [guest, asGuest],
          [freya, asFreya],
          [odin, asOdin]
        ] as const) {
          const first = ok(yield* person.get(`/threads?${parameters}`))
          const second = ok(yield* person.get(`/threads?${parameters}&page=2`))
          const found = [first.results + second.results, first.total_pages]
          assert.deepStrictEqual(found, [expected, Math.ceil(expected / 50)], parameters)
        }
      }
    })
  )
})

layer(People.layer)("far pages of the list of threads", (it) => {
  const count = 2123

  /** Threads of two authors, in a category and in none, pinned and not, some of them at the same time, hidden or deleted. */
  const insert = Effect.fnUntraced(function* (authors: ReadonlyArray<string>, place: string) {
    const sql = yield* SqlClient.SqlClient
    yield* sql`insert into threads (id, created_at, deleted_at, author_id, category_id, visibility, pinned, active_at)
      select 't' || lpad((n * 7919 % ${count}::int)::text, 18, '0') || '0', 'epoch',
        case when n % 50 = 3 then now() end, (${authors}::text[])[1 + n % 13 / 12],
        case when n % 3 > 0 then ${place} end, case when n % 40 = 7 then 'draft' else 'published' end,
        case when n % 100 = 1 then n % 5 - 2 else 0 end, 'epoch'::timestamptz + n / 3 * interval '1 minute'
      from generate_series(1, ${count}::int) n`
    yield* sql`insert into posts (id, thread_id, ordinal, author_id, created_at, updated_at, visibility, title,
        slug, body, description)
      select id, id, 0, author_id, now(), now(), visibility, 'far', id, '<body></body>', '' from threads`
    yield* sql`insert into author_totals select author_id, category_id, count(*) from threads
      where visibility = 'published' and deleted_at is null group by 1, 2`
    yield* sql`update thread_totals set published = (select sum(published) from author_totals) where shard = 0`
    yield* sql`update categories set post_count = (select sum(published) from author_totals where category_id = ${place})
      where id = ${place}`
  })

  it.effect("are the same whichever end of the list they are read from", () =>
    Effect.gen(function* () {
      const { freya, loki, odin } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const { id: place } = yield* category(odin, "Far")
      yield* insert([freya.id, loki.id], place)
      for (const [parameters, condition] of [
        ["", "true"],
        ["categories=far&", `category_id = '${place}'`],
        ["categories=null&", "category_id is null"],
        ["categories=far&categories=other&", `category_id = '${place}'`],
        ["author=freya&", `author_id = '${freya.id}'`],
        ["author=freya&categories=far&", `author_id = '${freya.id}' and category_id = '${place}'`],
        ["author=freya&categories=null&", `author_id = '${freya.id}' and category_id is null`]
      ] as const) {
        for (const [order, columns] of [
          ["", "pinned desc, active_at desc, id desc"],
          ["ignore_pinned=true&", "active_at desc, id desc"]
        ] as const) {
          const ids = idsOf(
            yield* sql<{ readonly id: string }>`select id from threads where deleted_at is null
              and visibility = 'published' and ${sql.literal(condition)} order by ${sql.literal(columns)}`
          )
          const pages = Math.ceil(ids.length / 50)
          for (const page of new Set([
            1,
            2,
            19,
            20,
            21,
            22,
            Math.ceil(pages / 2),
            pages - 1,
            pages,
            pages + 1
          ])) {
            const asked = `/threads?${parameters}${order}page=${page}`
            const list = ok(yield* guest.get(asked))
            assert.deepStrictEqual(idsOf(list.threads), ids.slice((page - 1) * 50, page * 50), asked)
            assert.strictEqual(list.total_pages, pages, asked)
          }
        }
      }
    })
  )
})
