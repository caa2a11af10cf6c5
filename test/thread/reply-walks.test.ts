/** Walks through the replies of a thread by cursors. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { idsOf, ok } from "../support/answers.ts"
import { announce } from "../support/calendar.ts"
import { category, open, reply } from "../support/discussion.ts"
import * as People from "../support/people.ts"
import { Cast, guest, type Person } from "../support/people.ts"
import { assertInvalid } from "../support/problems.ts"

const times = (count: number) => Array.from({ length: count }, (_, n) => n)

/** The pages of replies from a page on, as `next_cursor` leads on; `between` is done after each. */
const walk = Effect.fnUntraced(function* (
  viewer: Person,
  path: string,
  between: ReturnType<typeof reply> | Effect.Effect<void> = Effect.void
) {
  const pages: Array<ReadonlyArray<string>> = []
  for (let query = ""; ; ) {
    const answer = yield* viewer.get(`${path}${query}`)
    const { replies, next_cursor, current_page, results } = ok(answer).replies
    pages.push(idsOf(replies))
    assert.deepStrictEqual([current_page, results], [pages.length, replies.length])
    assert.strictEqual(
      answer.headers.link?.replace(/http:..[^/]*/, ""),
      next_cursor && `</api${path}?cursor=${next_cursor}>; rel="next"`
    )
    if (next_cursor === undefined) return pages
    query = `?cursor=${next_cursor}`
    yield* between
  }
})

layer(People.layer)("walks through the replies of a thread", (it) => {
  it.effect("show those that stay once, whatever is written, hidden and deleted meanwhile", () =>
    Effect.gen(function* () {
      const { freya, loki, odin } = yield* Cast
      const { id, slug } = yield* open(freya, "discussed")
      const made = yield* Effect.forEach(times(160), (n) => reply(n % 3 === 0 ? loki : freya, id, `${n}`))
      const ids = idsOf(made)
      const hidden = ids.filter((_, n) => n % 3 === 0 && n % 4 === 0)
      for (const one of hidden) ok(yield* odin.patch(`/posts/${one}`, { visibility: "review" }))
      const shown = ids.filter((one) => !hidden.includes(one))
      for (const [viewer, whole] of [
        [guest, shown],
        [freya, shown],
        [loki, ids],
        [odin, ids]
      ] as const) {
        const pages = yield* walk(viewer, `/threads/${id}`)
        assert.deepStrictEqual(pages.flat(), whole)
        for (const [n, page] of pages.entries()) {
          const { replies } = ok(yield* viewer.get(`/threads/${slug}?page=${n + 1}`)).replies
          assert.deepStrictEqual(idsOf(replies), page)
        }
      }
      const removed: Array<string> = []
      const deletes = Effect.gen(function* () {
        for (const place of [10, 49, 50, 51, 52, 100, 120]) {
          const one = shown[place - removed.length * 3]
          if (one === undefined || removed.includes(one)) continue
          ok(yield* odin.delete(`/posts/${one}`))
          removed.push(one)
        }
        return yield* reply(freya, id, "one more")
      })
      const pages = (yield* walk(guest, `/threads/${slug}`, deletes)).flat()
      assert.strictEqual(new Set(pages).size, pages.length)
      const stay = shown.filter((one) => !removed.includes(one))
      assert.deepStrictEqual(
        pages.filter((one) => stay.includes(one)),
        stay
      )
      assert.isAbove(removed.length, 10)
    })
  )

  it.effect("go on by either mark, are answered 304, and begin where others show the thread", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const { id: place } = yield* category(odin, "Gatherings")
      const event = yield* announce(odin, place, "Feast")
      ok(yield* odin.patch(`/threads/${event.thread.id}`, { visibility: "published" }))
      const { id } = event.thread
      for (const n of times(60)) yield* reply(freya, id, `${n}`)
      const { next_cursor } = ok(yield* guest.get(`/events/${event.id}`)).thread.replies
      const answer = yield* guest.get(`/threads/${event.thread.slug}?cursor=${next_cursor}`)
      assert.strictEqual(ok(answer).replies.results, 10)
      const again = yield* guest.get(`/threads/${id}?cursor=${next_cursor}`, {
        headers: { "if-none-match": answer.headers.etag ?? "" }
      })
      assert.strictEqual(again.status, 304)
      const numbered = yield* guest.get(`/threads/${id}?page=2`)
      assert.notStrictEqual(numbered.headers.etag, answer.headers.etag)
    })
  )

  it.effect("refuse cursors that name no reply", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const { id } = yield* open(freya, "short")
      for (const n of times(51)) yield* reply(freya, id, `${n}`)
      const { next_cursor: cursor } = ok(yield* guest.get(`/threads/${id}`)).replies
      const [version, list] = JSON.parse(Buffer.from(cursor, "base64url").toString())
      const forged = (values: ReadonlyArray<unknown>) =>
        guest.get(
          `/threads/${id}?cursor=${Buffer.from(JSON.stringify([version, list, 2, values])).toString("base64url")}`
        )
      assert.strictEqual(ok(yield* forged(["51"])).replies.results, 0)
      for (const values of [[], [""], ["x"], ["-1"], ["1e3"], ["9999999999"], ["1", "2"]]) {
        assertInvalid(yield* forged(values), "query cursor")
      }
    })
  )
})
