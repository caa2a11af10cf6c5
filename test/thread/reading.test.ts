import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { Forbidden } from "../../src/domain/shared/Actor.ts"
import { ThreadHidden } from "../../src/domain/thread/Thread.ts"
import { idsOf, ok } from "../support/answers.ts"
import { open, reply } from "../support/discussion.ts"
import * as People from "../support/people.ts"
import { Cast, grant, guest } from "../support/people.ts"
import { assertProblem } from "../support/problems.ts"

const pageStrings = [
  ["1", 1],
  ["2", 2],
  ["0", 1],
  ["-1", 1],
  ["x", 1],
  ["", 1],
  ["1.5", 1],
  ["1e2", 1],
  [" 2", 1],
  ["0x2", 1],
  ["٢", 1],
  ["02", 2],
  ["2147483647", 2_147_483_647],
  ["99999999999999", 99_999_999_999_999],
  ["99999999999999999999", 1]
] as const

layer(People.layer)("reading a thread", (it) => {
  it.effect("replies are oldest first, and quote one level deep", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      const thread = yield* open(freya, "Read me", { body: "opening" })
      const first = yield* reply(loki, thread.id, "first")
      yield* TestClock.adjust("1 second")
      const second = yield* reply(freya, thread.id, "second", { reply_to: first.id })
      const third = yield* reply(loki, thread.id, "third", { reply_to: second.id, meta: { m: 1 } })
      const fourth = yield* reply(loki, thread.id, "fourth", { reply_to: thread.id })

      const read = ok(yield* guest.get(`/threads/${thread.slug}`))
      assert.deepStrictEqual(read.replies.replies, [first, second, third, fourth])
      assert.notProperty(first, "reply_to")
      assert.deepStrictEqual(second.reply_to, first)
      const { reply_to: _, ...secondAlone } = second
      assert.deepStrictEqual(third.reply_to, secondAlone)
      assert.strictEqual(fourth.reply_to.id, thread.id)
      for (const one of read.replies.replies) {
        assert.strictEqual(one.title, "Read me")
        assert.strictEqual(one.slug, `${thread.slug}#${one.id}`)
        assert.strictEqual(one.root_id, thread.id)
        assert.strictEqual(one.root_slug, thread.slug)
      }
      assert.strictEqual(read.last_reply_at, fourth.createdAt)
      assert.deepStrictEqual(read.reply_status, { replies: 4, replied: 0 })
      assert.deepStrictEqual(ok(yield* loki.get(`/threads/${thread.id}`)).reply_status, {
        replies: 4,
        replied: 3
      })
    })
  )

  it.effect("likes and reactions are shown at their post, oldest first", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const thread = yield* open(freya, "liked")
      const answer = yield* reply(loki, thread.id, "reacted to")
      yield* sql`insert into likes (id, post_id, thread_id, account_id, created_at)
        values ('like1', ${thread.id}, ${thread.id}, ${loki.id}, now())`
      yield* sql`insert into reacts (id, post_id, account_id, emoji, created_at) values
        ('00000000000000000002', ${answer.id}, ${freya.id}, '🎉', now()),
        ('00000000000000000001', ${answer.id}, ${loki.id}, '🦋', now()),
        ('00000000000000000003', ${answer.id}, ${freya.id}, '👍', 'epoch')`
      const path = `/threads/${thread.id}`
      const seen = (read: typeof thread) => [
        read.likes,
        read.replies.replies[0].likes,
        read.reacts.length,
        read.replies.replies[0].reacts.map((react: { emoji: string; author: { handle: string } }) => [
          react.emoji,
          react.author.handle
        ])
      ]
      // Instances number what they make by themselves, so that a later one may have the lower id.
      const reacts = [
        ["👍", "freya"],
        ["🦋", "loki"],
        ["🎉", "freya"]
      ]
      const none = { likes: 0, liked: false }
      assert.deepStrictEqual(seen(ok(yield* loki.get(path))), [{ likes: 1, liked: true }, none, 0, reacts])
      for (const person of [guest, freya]) {
        assert.deepStrictEqual(seen(ok(yield* person.get(path))), [
          { likes: 1, liked: false },
          none,
          0,
          reacts
        ])
      }
    })
  )

  it.effect("a thread that is not published is read by its author and moderators", () =>
    Effect.gen(function* () {
      const { freya, loki, odin, tyr } = yield* Cast
      for (const visibility of ["draft", "unlisted", "review"]) {
        const thread = yield* open(freya, visibility, { visibility })
        const path = `/threads/${thread.id}`
        for (const person of [guest, loki]) assertProblem(yield* person.get(path), ThreadHidden, {})
        for (const person of [freya, odin, tyr]) {
          assert.deepStrictEqual(ok(yield* person.get(path)).visibility, visibility)
        }
      }
    })
  )

  it.effect("a reply in review is read by its author and moderators, a hidden one by moderators only", () =>
    Effect.gen(function* () {
      const { freya, loki, odin, tyr } = yield* Cast
      const thread = yield* open(freya, "moderated")
      const shown = yield* reply(freya, thread.id, "shown")
      const review = yield* reply(loki, thread.id, "in review")
      const draft = yield* reply(loki, thread.id, "made a draft")
      const unlisted = yield* reply(loki, thread.id, "unlisted")
      const quoting = yield* reply(freya, thread.id, "quotes it", { reply_to: review.id })
      const quotingDraft = yield* reply(freya, thread.id, "quotes that", { reply_to: draft.id })
      for (const [id, visibility] of [
        [review.id, "review"],
        [draft.id, "draft"],
        [unlisted.id, "unlisted"]
      ]) {
        ok(yield* tyr.patch(`/posts/${id}`, { visibility }))
      }
      const everything = idsOf([shown, review, draft, unlisted, quoting, quotingDraft])
      for (const [person, ids, quotes, replied] of [
        [guest, idsOf([shown, quoting, quotingDraft]), [], 0],
        [freya, idsOf([shown, quoting, quotingDraft]), [], 3],
        [loki, idsOf([shown, review, quoting, quotingDraft]), [review.id], 1],
        [odin, everything, [review.id, draft.id], 0],
        [tyr, everything, [review.id, draft.id], 0]
      ] as const) {
        const read = ok(yield* person.get(`/threads/${thread.id}`))
        assert.deepStrictEqual(idsOf(read.replies.replies), ids)
        const replies: ReadonlyArray<{ readonly reply_to?: { readonly id: string } }> = read.replies.replies
        const quoted = replies.flatMap(({ reply_to }) => reply_to?.id ?? [])
        assert.deepStrictEqual(quoted, [...quotes])
        // The numbers are of what the viewer sees, too.
        assert.strictEqual(read.replies.results, ids.length)
        assert.deepStrictEqual(read.reply_status, { replies: ids.length, replied })
        const [listed] = ok(yield* person.get("/threads?author=freya")).threads
        assert.deepStrictEqual(listed.reply_status, read.reply_status)
      }
    })
  )

  it.effect("a reply quotes the opening post of an unlisted thread", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const thread = yield* open(freya, "quiet", { visibility: "unlisted" })
      const answer = yield* reply(freya, thread.id, "to the opening", { reply_to: thread.id })
      assert.deepStrictEqual(ok(yield* freya.get(`/threads/${thread.id}`)).replies.replies, [answer])
    })
  )

  it.effect("a guest reads only while the Guest role may, and is otherwise refused with 403", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const thread = yield* open(freya, "guarded")
      yield* sql`update roles set permissions = array_remove(permissions, 'READ_PUBLISHED_THREADS')
        where name in ('Guest', 'Member')`
      for (const person of [guest, freya]) {
        for (const path of [`/threads/${thread.id}`, "/threads", "/threads?visibility=junk"]) {
          assertProblem(yield* person.get(path), Forbidden, { permission: "READ_PUBLISHED_THREADS" })
        }
      }
      yield* grant(freya, "READ_PUBLISHED_THREADS")
      ok(yield* freya.get(`/threads/${thread.id}`))
    })
  )
})

layer(People.layer)("the pages of replies", (it) => {
  it.effect("52 replies are two pages; a malformed page is the first", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      const thread = yield* open(freya, "long")
      const path = `/threads/${thread.id}`
      const all = yield* Effect.forEach(Array.from({ length: 52 }), (_, n) =>
        reply(n % 3 === 0 ? freya : loki, thread.id, `reply ${n}`)
      )
      const ids = idsOf(all)
      for (const [text, page] of pageStrings) {
        const { replies } = ok(yield* guest.get(`${path}?page=${encodeURIComponent(text)}`))
        const { replies: items, next_cursor, ...numbers } = replies
        assert.strictEqual(next_cursor !== undefined, page < 2)
        const results = Math.max(0, Math.min(50, 52 - (page - 1) * 50))
        assert.deepStrictEqual(numbers, {
          page_size: 50,
          results,
          total_pages: 2,
          current_page: page,
          ...(page < 2 ? { next_page: page + 1 } : {})
        })
        assert.deepStrictEqual(idsOf(items), ids.slice((page - 1) * 50, page * 50))
      }
      assert.deepStrictEqual(ok(yield* loki.get(`${path}?page=2`)).reply_status, { replies: 52, replied: 34 })
    })
  )

  it.effect("have every reply once, in order, whatever was deleted and quoted", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const thread = yield* open(freya, "very long")
      const path = `/threads/${thread.id}`
      const first = yield* reply(freya, thread.id, "quoted from afar")
      const others = yield* Effect.forEach(Array.from({ length: 240 }), (_, n) =>
        Effect.gen(function* () {
          if (n % 60 === 0) yield* TestClock.adjust("1 second")
          return yield* reply(
            n % 2 === 0 ? freya : odin,
            thread.id,
            `${n}`,
            n % 40 === 0 ? { reply_to: first.id } : {}
          )
        })
      )
      const gone = others.filter((_, n) => n % 20 === 7)
      yield* Effect.forEach(gone, ({ id }) => odin.delete(`/posts/${id}`))
      const left = idsOf([first, ...others.filter((one) => !gone.includes(one))])
      assert.strictEqual(left.length, 229)

      const seen: Array<string> = []
      for (let page = 1; page <= 6; page++) {
        const { replies } = ok(yield* guest.get(`${path}?page=${page}`))
        assert.deepStrictEqual(idsOf(replies.replies), left.slice((page - 1) * 50, page * 50))
        assert.strictEqual(replies.total_pages, 5)
        assert.strictEqual(replies.next_page, page < 5 ? page + 1 : undefined)
        assert.strictEqual("next_page" in replies, page < 5)
        for (const one of replies.replies) {
          if ("reply_to" in one) assert.strictEqual(one.reply_to.id, first.id)
        }
        seen.push(...idsOf(replies.replies))
      }
      assert.deepStrictEqual(seen, left)
    })
  )
})
