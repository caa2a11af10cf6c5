/** Answers have about 2 MiB at most, however long the posts are. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { idsOf, ok } from "../support/answers.ts"
import { open, reply } from "../support/discussion.ts"
import * as People from "../support/people.ts"
import { Cast, guest } from "../support/people.ts"
import { assertInvalid } from "../support/problems.ts"

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
})

layer(People.layer)("an answer with a list", (it) => {
  it.effect("has fewer threads of a list where they are long, all whole, each once, kept texts or not", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const body = `<a href="https://brief.test/">x</a>${markup(7000)}`
      const made: Array<string> = []
      for (let n = 0; n < 70; n++) {
        const more = n % 3 === 0 ? { body, meta: { n } } : { meta: { n } }
        made.unshift((yield* open(freya, `Long ${n}`, { ...more, tags: ["long"] })).id)
        // Also the last one of all is long, whose places reach beyond the last page.
      }
      const pinned = made[40] ?? ""
      ok(yield* odin.patch(`/threads/${pinned}`, { pinned: 1 }))
      const withPinned = [pinned, ...made.filter((id) => id !== pinned)]
      for (const [search, expected] of [
        ["", withPinned],
        ["author=freya", withPinned],
        ["q=long&ignore_pinned=true", made],
        ["ignore_pinned=true", made]
      ] as const) {
        for (const reading of ["first", "second"]) {
          const shown: Array<string> = []
          let pages = 0
          for (let page: number | undefined = 1; page !== undefined; pages++) {
            const answer = yield* guest.get(`/threads?${search}&page=${page}`)
            assert.isBelow(lengthOf(answer), budget + 300_000, reading)
            const { next_page, results, threads, total_pages } = ok(answer)
            assert.strictEqual(results, threads.length)
            assert.isNotEmpty(threads, `page ${page} of ${total_pages}, ${search} ${reading}`)
            assert.strictEqual(next_page === undefined, page === total_pages)
            for (const { body_links, meta, title } of threads) {
              const n = Number(title.slice(5))
              assert.deepStrictEqual(meta, { n })
              assert.lengthOf(body_links, n % 3 === 0 ? 1 : 0)
            }
            shown.push(...idsOf(threads))
            page = next_page
          }
          assert.isAbove(pages, 3)
          assert.deepStrictEqual(shown, expected, `${search} ${reading}`)
        }
        const far = ok(yield* guest.get(`/threads?${search}&page=90`))
        assert.deepStrictEqual(far.threads, [])
        assert.notProperty(far, "next_page")
      }
      // What grew by an edit counts as it is.
      const [short] = yield* Effect.forEach([1], (n) => open(freya, `Grows ${n}`))
      ok(yield* freya.patch(`/threads/${short.id}`, { body }))
      const rows = yield* sql<{ readonly weight: number }>`
        select opening_weight as weight from threads where id = ${short.id}`
      assert.isAbove(rows[0]?.weight ?? 0, 200_000)
    })
  )

  it.effect("stays small where fifty threads have the most tags, and those that had more before count", () =>
    Effect.gen(function* () {
      const { loki } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const tags = (count: number) =>
        Array.from({ length: count }, (_, n) => String(n).padStart(3, "0").padEnd(30, "t"))
      const refused = yield* loki.post("/threads", { title: "Too many", tags: tags(51) })
      assertInvalid(refused, "body tags")
      assertInvalid(yield* loki.post("/nodes", { name: "Too many", tags: tags(51) }), "body tags")
      const first = yield* open(loki, "Tagged 0", { tags: tags(50) })
      assert.lengthOf(first.tags, 50)
      assertInvalid(yield* loki.patch(`/threads/${first.id}`, { tags: tags(51) }), "body tags")
      for (let n = 1; n < 50; n++) yield* open(loki, `Tagged ${n}`, { tags: tags(50) })
      const answer = yield* guest.get("/threads?author=loki")
      assert.lengthOf(ok(answer).threads, 50)
      assert.isBelow(lengthOf(answer), 600 * 1024)
      // Written when there was no such limit.
      yield* sql`insert into tags (id, name, created_at) select 'tag' || lpad(n::text, 16, '0') || '0', 'old-' || n, now()
        from generate_series(1, 1000) n`
      yield* sql`update threads set tag_ids = array(select id from tags where name like 'old-%')
        where author_id = ${loki.id}`
      const old = yield* guest.get("/threads?author=loki")
      assert.isBelow(lengthOf(old), budget)
      assert.isBelow(ok(old).threads.length, 20)
      assert.lengthOf(ok(old).threads[0].tags, 1000)
      assert.strictEqual(ok(old).next_page, 2)
    })
  )
})
