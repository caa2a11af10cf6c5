import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { entriesMax } from "../../src/domain/feed/Feed.ts"
import { ThreadHidden, ThreadNotFound } from "../../src/domain/thread/Thread.ts"
import { ok } from "../support/answers.ts"
import { open, reply } from "../support/discussion.ts"
import * as People from "../support/people.ts"
import { Cast, guest, nobody } from "../support/people.ts"
import { assertProblem } from "../support/problems.ts"
import { formats, read, titles } from "./support.ts"

const pathOf = (mark: string) => `/feeds/threads/${mark}`

/** What the entries of a feed say, newest first, which is the same in all formats. */
const texts = Effect.fnUntraced(function* (mark: string) {
  yield* titles(pathOf(mark))
  const { entries } = yield* read("rss", pathOf(mark))
  return entries.map(({ summary }) => summary ?? "")
})

layer(People.layer)("a feed of replies", (it) => {
  it.effect("has the replies that guests find, newest first", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const thread = yield* open(freya, "Talk", { body: "opening" })
      assert.deepStrictEqual(yield* texts(thread.id), [])
      yield* reply(loki, thread.id, "one")
      const held = yield* reply(loki, thread.id, "held")
      const gone = yield* reply(loki, thread.id, "gone")
      const last = yield* reply(freya, thread.id, '<p>last <a href="#x">x</a></p>')
      yield* sql`update posts set visibility = 'review' where id = ${held.id}`
      ok(yield* loki.delete(`/posts/${gone.id}`))
      assert.deepStrictEqual(yield* texts(thread.id), ["last x", "one"])
      assert.deepStrictEqual(yield* texts(thread.slug), ["last x", "one"])
      for (const format of formats) {
        const [entry] = (yield* read(format, pathOf(thread.id))).entries
        assert.strictEqual(entry?.id, `tag:forum.test,2026:reply/${last.id}`)
        assert.strictEqual(entry?.address, `http://www.forum.test/t/${thread.slug}#${last.id}`)
        assert.strictEqual(entry?.title, "Re: Talk")
        assert.strictEqual(entry?.author, "freya")
        assert.strictEqual(
          entry?.content,
          `<p>last <a href="http://www.forum.test/t/${thread.slug}#x" rel="nofollow">x</a></p>`
        )
        const asked = yield* loki.get(`${pathOf(thread.id)}.${format}`)
        assert.notInclude(asked.text, "held")
      }
    })
  )

  it.effect("has the newest 50, wherever the pages of the thread end", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const thread = yield* open(freya, "Long")
      const numbers = Array.from({ length: entriesMax + 3 }, (_, number) => String(number))
      yield* Effect.forEach(numbers, (number) => reply(freya, thread.id, number))
      assert.deepStrictEqual(yield* texts(thread.id), numbers.slice(-entriesMax).reverse())
      const before = yield* guest.get(`${pathOf(thread.id)}.atom`)
      yield* reply(freya, thread.id, "newest")
      const after = yield* guest.get(`${pathOf(thread.id)}.atom`)
      assert.notStrictEqual(after.headers.etag, before.headers.etag)
      assert.strictEqual((yield* texts(thread.id))[0], "newest")
    })
  )

  it.effect("is not there for threads that guests do not read", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const hidden = yield* open(freya, "Secret plans", { visibility: "unlisted" })
      const gone = yield* open(freya, "Gone plans")
      ok(yield* freya.delete(`/threads/${gone.id}`))
      for (const format of formats) {
        for (const person of [guest, freya, odin]) {
          const answer = yield* person.get(`${pathOf(hidden.id)}.${format}`)
          assertProblem(answer, ThreadHidden)
          assert.notInclude(answer.text, "plans")
          for (const mark of [gone.id, nobody, "unknown"]) {
            assertProblem(yield* person.get(`${pathOf(mark)}.${format}`), ThreadNotFound, {
              thread_mark: mark
            })
          }
        }
      }
    })
  )
})
