/** Answers have about 2 MiB at most, however long the posts are. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { idsOf, ok } from "../support/answers.ts"
import { open, reply } from "../support/discussion.ts"
import * as People from "../support/people.ts"
import { Cast, guest } from "../support/people.ts"

const budget = 2 * 1024 * 1024

// Much markup with little text, most of which JSON escapes.
const markup = (elements: number) => '<p class="x"><a href="#">x</a></p>'.repeat(elements)

const lengthOf = ({ text }: { readonly text: string }) => Buffer.byteLength(text)

layer(People.layer)("an answer", (it) => {
  it.effect("has fewer replies on each page where some are long, and no page leaves out any", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      const thread = yield* open(freya, "Long replies")
      const path = `/threads/${thread.id}`
      const made: Array<string> = []
      for (let n = 0; n < 60; n++) {
        const quoted = made.at(-1)
        const { id } = yield* reply(
          loki,
          thread.id,
          "short",
          quoted === undefined ? {} : { reply_to: quoted }
        )
        made.push(id)
      }
      assert.strictEqual(ok(yield* guest.get(path)).replies.page_size, 50)
      for (const id of made) ok(yield* loki.patch(`/posts/${id}`, { body: markup(3000) }))
      const read: Array<string> = []
      for (let page: number | undefined = 1; page !== undefined; ) {
        const answer = yield* guest.get(`${path}?page=${page}`)
        assert.isBelow(lengthOf(answer), budget)
        const { replies } = ok(answer)
        assert.isBelow(replies.page_size, 50)
        assert.isAtMost(replies.results, replies.page_size)
        read.push(...idsOf(replies.replies))
        page = replies.next_page
      }
      assert.deepStrictEqual(read, made)
      // With fewer on a page than before, an edge is read twice rather than never.
      const { total_pages } = ok(yield* guest.get(path)).replies
      assert.deepStrictEqual(ok(yield* guest.get(`${path}?page=${total_pages + 1}`)).replies.replies, [])
    })
  )

  it.effect("shows threads of a list briefly that do not fit, kept texts or not", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const body = `<a href="https://brief.test/">x</a>${markup(7000)}`
      for (let n = 0; n < 20; n++) yield* open(freya, `Long ${n}`, { body, meta: { n } })
      const list = guest.get("/threads?author=freya")
      for (const reading of ["first", "second"]) {
        const answer = yield* list
        assert.isBelow(lengthOf(answer), budget, reading)
        const { results, threads } = ok(answer)
        assert.strictEqual(results, threads.length)
        const full = threads.filter((thread: { readonly body: string }) => thread.body !== "<body></body>")
        assert.isAtLeast(full.length, 2)
        const brief = threads.at(-2)
        assert.deepStrictEqual([brief.body, brief.body_links, brief.meta], ["<body></body>", [], {}])
        assert.match(brief.description, /^x+/)
        assert.strictEqual(ok(yield* guest.get(`/threads/${brief.id}`)).body_links.length, 1)
      }
      // What grew by an edit counts as it is.
      const [short] = yield* Effect.forEach([1], (n) => open(freya, `Grows ${n}`))
      ok(yield* freya.patch(`/threads/${short.id}`, { body }))
      const rows = yield* sql<{ readonly weight: number }>`
        select opening_weight as weight from threads where id = ${short.id}`
      assert.isAbove(rows[0]?.weight ?? 0, 200_000)
      assert.isBelow(lengthOf(yield* list), budget)
    })
  )
})
