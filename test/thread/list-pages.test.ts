import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { idsOf, ok } from "../support/answers.ts"
import { open } from "../support/discussion.ts"
import * as People from "../support/people.ts"
import { Cast, guest } from "../support/people.ts"

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
})
