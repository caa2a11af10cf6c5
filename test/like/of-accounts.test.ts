import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { AccountNotFound } from "../../src/domain/account/Account.ts"
import { likesMax } from "../../src/domain/like/Like.ts"
import { type Answer, idsOf, ok } from "../support/answers.ts"
import { open, reply } from "../support/discussion.ts"
import * as People from "../support/people.ts"
import { Cast, guest, nobody, type Person, reinstate, suspend } from "../support/people.ts"
import { assertProblem } from "../support/problems.ts"

interface Post {
  readonly id: string
}

const like = (who: Person, post: Post) => Effect.map(who.put(`/likes/posts/${post.id}`), ok)

/** A page of what an account likes: the ids of the posts, and the numbers of the page. */
const liked = (reader: Person, whose: string, page = "") =>
  Effect.map(reader.get(`/likes/profiles/${whose}${page}`), (answer) => {
    const { likes, ...envelope } = ok(answer)
    return { posts: likes.map(({ item }: Answer["json"]) => item.ref.id), ...envelope }
  })

const onePage = (...posts: ReadonlyArray<Post>) => ({
  posts: idsOf(posts),
  page_size: 50,
  results: posts.length,
  total_pages: posts.length === 0 ? 0 : 1,
  current_page: 1
})

layer(People.layer)("the likes of an account", (it) => {
  it.effect("are posts, newest likes first, each at the address of its thread", () =>
    Effect.gen(function* () {
      const { freya, loki, odin } = yield* Cast
      const thread = yield* open(freya, "Liked", { body: "opening" })
      const answer = yield* reply(odin, thread.id, "reply")
      yield* like(loki, answer)
      yield* TestClock.adjust("1 second")
      yield* like(loki, thread)
      yield* like(odin, thread)
      assert.deepStrictEqual(yield* liked(guest, "loki"), onePage(thread, answer))
      assert.deepStrictEqual(yield* liked(guest, loki.id), onePage(thread, answer))
      const [first, second] = ok(yield* loki.get("/likes/profiles/loki")).likes
      assert.deepStrictEqual(Object.keys(first).sort(), ["created_at", "id", "item"])
      assert.isAbove(Date.parse(first.created_at), Date.parse(second.created_at))
      for (const { item } of [first, second]) {
        assert.strictEqual(item.kind, "post")
        assert.strictEqual(item.ref.slug, thread.slug)
        assert.isTrue(item.ref.likes.liked)
      }
      assert.strictEqual(first.item.ref.body, thread.body)
      assert.strictEqual(first.item.ref.likes.likes, 2)
      const [forGuest] = ok(yield* guest.get("/likes/profiles/loki")).likes
      assert.deepStrictEqual(forGuest.item.ref.likes, { likes: 2, liked: false })
      ok(yield* loki.delete(`/likes/posts/${thread.id}`))
      assert.deepStrictEqual(yield* liked(guest, "loki"), onePage(answer))
    })
  )

  it.effect("are of posts that the caller may read, in the page and in its numbers", () =>
    Effect.gen(function* () {
      const { freya, loki, odin, tyr } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      yield* sql`delete from likes`
      const shown = yield* open(freya, "Shown")
      const hidden = yield* open(freya, "Hidden")
      const inHidden = yield* reply(loki, hidden.id, "in it")
      const held = yield* reply(loki, shown.id, "held")
      const drafted = yield* reply(loki, shown.id, "drafted")
      const deleted = yield* reply(loki, shown.id, "deleted")
      const gone = yield* open(freya, "Gone")
      const inGone = yield* reply(loki, gone.id, "in it")
      for (const post of [shown, hidden, inHidden, held, drafted, deleted, gone, inGone]) {
        yield* like(odin, post)
      }
      ok(yield* freya.patch(`/threads/${hidden.id}`, { visibility: "unlisted" }))
      ok(yield* tyr.patch(`/posts/${held.id}`, { visibility: "review" }))
      ok(yield* tyr.patch(`/posts/${drafted.id}`, { visibility: "draft" }))
      ok(yield* loki.delete(`/posts/${deleted.id}`))
      ok(yield* freya.delete(`/threads/${gone.id}`))
      const by = (reader: Person) =>
        Effect.map(liked(reader, "odin"), ({ posts, ...envelope }) => ({
          posts: [...posts].sort(),
          ...envelope
        }))
      const of = (...posts: ReadonlyArray<Post>) => ({ ...onePage(...posts), posts: idsOf(posts).sort() })
      assert.deepStrictEqual(yield* by(guest), of(shown))
      assert.deepStrictEqual(yield* by(freya), of(shown, hidden, inHidden))
      assert.deepStrictEqual(yield* by(loki), of(shown, held))
      for (const moderator of [tyr, odin]) {
        assert.deepStrictEqual(yield* by(moderator), of(shown, hidden, inHidden, held, drafted))
      }
    })
  )

  it.effect("are none for those who may read no threads", () =>
    Effect.gen(function* () {
      const { freya, loki, tyr } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const thread = yield* open(freya, "Forbidden")
      yield* like(tyr, thread)
      yield* suspend(loki)
      assert.deepStrictEqual(yield* liked(loki, "tyr"), onePage())
      yield* reinstate(loki)
      yield* sql`update roles set permissions = array_remove(permissions, 'READ_PUBLISHED_THREADS') where name <> 'Admin'`
      for (const reader of [guest, loki]) assert.deepStrictEqual(yield* liked(reader, "tyr"), onePage())
      yield* sql`update roles set permissions = permissions || '{READ_PUBLISHED_THREADS}' where name <> 'Admin'`
      assert.deepStrictEqual(yield* liked(loki, "tyr"), onePage(thread))
    })
  )

  it.effect("of nobody are not found", () =>
    Effect.gen(function* () {
      for (const whose of ["nobody", nobody, "x", "%20"]) {
        const account = decodeURIComponent(whose)
        assertProblem(yield* guest.get(`/likes/profiles/${whose}`), AccountNotFound, { account })
      }
    })
  )
})

layer(People.layer)("many likes of an account", (it) => {
  /** So many threads, each with a like of the account, all at the same time. */
  const prepare = Effect.fnUntraced(function* (count: number, author: string, account: string) {
    const sql = yield* SqlClient.SqlClient
    yield* sql`insert into threads (id, created_at, author_id, visibility, active_at)
      select 'th' || lpad(n::text, 17, '0') || '0', now(), ${author}, 'published', now()
      from generate_series(1, ${count}::int) n`
    yield* sql`insert into posts (id, thread_id, ordinal, author_id, created_at, updated_at, visibility, title,
        slug, body, description)
      select id, id, 0, author_id, now(), now(), visibility, 'liked', id, '<body></body>', '' from threads`
    // In another order than that of the threads.
    yield* sql`insert into likes (id, post_id, thread_id, account_id, created_at)
      select 'li' || lpad((n * 7919 % ${count}::int)::text, 17, '0') || '0', 'th' || lpad(n::text, 17, '0') || '0',
        'th' || lpad(n::text, 17, '0') || '0', ${account}, 'epoch'
      from generate_series(1, ${count}::int) n`
    const newest = yield* sql<{ readonly post_id: string }>`select post_id from likes
      where account_id = ${account} order by id desc`
    return newest.map(({ post_id }) => post_id)
  })

  it.effect("are in pages that follow each other, up to a limit", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const newest = yield* prepare(likesMax + 30, freya.id, loki.id)
      const read: Array<string> = []
      let pages = 0
      for (let page: number | undefined = 1; page !== undefined; ) {
        const found: Answer["json"] = yield* liked(guest, "loki", `?page=${page}`)
        assert.strictEqual(found.total_pages, likesMax / 50)
        read.push(...found.posts)
        page = found.next_page
        pages++
      }
      assert.strictEqual(pages, likesMax / 50)
      assert.deepStrictEqual(read, newest.slice(0, likesMax))

      // Those that are hidden do not make room for older ones, so that a page costs the same.
      const hidden = newest.slice(0, 70)
      yield* sql`update threads set visibility = 'draft' where id = any(${hidden}::text[])`
      const first = yield* liked(guest, "loki")
      assert.deepStrictEqual(first.posts, newest.slice(70, 120))
      assert.strictEqual(first.total_pages, Math.ceil((likesMax - 70) / 50))
      const last = yield* liked(guest, "loki", `?page=${first.total_pages}`)
      assert.deepStrictEqual(last.posts, newest.slice(likesMax - 30, likesMax))
      assert.notProperty(last, "next_page")
      const past = yield* liked(guest, "loki", "?page=99999999999999")
      assert.deepStrictEqual([past.posts, past.results, past.current_page], [[], 0, 99_999_999_999_999])
      assert.strictEqual(past.total_pages, first.total_pages)
    })
  )

  it.effect("have fewer on a page where they are large, reactions included, and leave none out", () =>
    Effect.gen(function* () {
      const { freya, loki, odin } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const everyone = [freya, loki, odin]
      for (let n = 0; n < 30; n++) {
        const thread = yield* open(freya, `Long ${n}`, { body: "<i></i>".repeat(3000) })
        for (const who of everyone) {
          yield* sql`insert into reacts (id, post_id, account_id, emoji, created_at)
            select lpad(((select count(*) from reacts) + e)::text, 20, '0'), ${thread.id}, ${who.id}, 'e' || e, now()
            from generate_series(1, 60) e`
        }
        yield* like(odin, thread)
      }
      const shown: Array<string> = []
      let pages = 0
      for (let page: number | undefined = 1; page !== undefined; pages++) {
        const answer = yield* guest.get(`/likes/profiles/odin?page=${page}`)
        assert.isBelow(Buffer.byteLength(answer.text), 2.2 * 1024 * 1024)
        const { likes, next_page } = ok(answer)
        for (const { item } of likes) {
          assert.strictEqual(item.ref.reacts.length, 180)
          assert.isAbove(item.ref.body.length, 20_000)
          shown.push(item.ref.id)
        }
        page = next_page
      }
      assert.isAbove(pages, 2)
      assert.lengthOf(shown, 30)
      assert.deepStrictEqual(shown, shown.toSorted().reverse())
      assert.lengthOf(new Set(shown), 30)
    })
  )
})
