import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
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
          const { threads, ...numbers } = ok(yield* person.get(`/threads${parameters}&page=${page}`))
          const items = whole.slice((page - 1) * 50, page * 50)
          assert.deepStrictEqual(idsOf(threads), items, `${parameters} ${page}`)
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
        ["categories=none-such", [0, 0], [0, 0], [0, 0]]
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
    })
  )
})
