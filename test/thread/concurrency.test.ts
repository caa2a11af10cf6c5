import { assert, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { type Answer, idsOf, ok } from "../support/answers.ts"
import { untilWaiting } from "../support/database.ts"
import { category, miscountedAuthors, open, reply } from "../support/discussion.ts"
import * as People from "../support/people.ts"
import { Cast, drainEvents, guest, type Person } from "../support/people.ts"

const times = (count: number) => Array.from({ length: count }, (_, n) => n)

const atOnce = <A, E, R>(calls: ReadonlyArray<Effect.Effect<A, E, R>>) =>
  Effect.all(calls, { concurrency: "unbounded" })

const statusesOf = (answers: ReadonlyArray<Answer>) => {
  const counts: Record<number, number> = {}
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1
  return counts
}

/** Compares every stored count with the rows that it counts. */
const assertCounted = SqlClient.SqlClient.use((sql) =>
  Effect.gen(function* () {
    const wrong = yield* sql`
      select 'replies' as what, t.id from threads t where reply_count <> (
        select count(*) from posts where thread_id = t.id and id <> thread_id and deleted_at is null)
      union all select 'unpublished replies', t.id from threads t where unpublished_replies <> (
        select count(*) from posts where thread_id = t.id and id <> thread_id and deleted_at is null
          and visibility <> 'published')
      union all select 'weights', t.id from threads t where opening_weight <> (
        select post_weight(body, meta, link_count, react_count) from posts where id = t.id) or reply_weight < (
        select coalesce(max(post_weight(body, meta, link_count, react_count)), 0) from posts
        where thread_id = t.id and id <> thread_id)
      union all select 'last reply', t.id from threads t where last_reply_at is distinct from (
        select max(coalesce(published_at, created_at)) from posts where thread_id = t.id and id <> thread_id
          and deleted_at is null and visibility = 'published')
      union all select 'activity', t.id from threads t where active_at <> coalesce(last_reply_at, created_at)
      union all select 'score', a.id from accounts a left join account_counts c on c.account_id = a.id
        where coalesce(c.like_score, 0) <> (
          select count(*) from likes l join posts p on p.id = l.post_id join threads t on t.id = p.thread_id
          where p.author_id = a.id and l.account_id <> a.id and p.visibility = 'published' and p.deleted_at is null
            and t.visibility = 'published' and t.deleted_at is null)
      union all select 'participants', t.id from threads t where
        coalesce((select sum(replies) from thread_participants where thread_id = t.id), 0) <> t.reply_count
        or exists (select from thread_participants p where thread_id = t.id and replies <> (
          select count(*) from posts where thread_id = t.id and id <> thread_id and deleted_at is null
            and author_id = p.account_id))
      union all select 'category', c.id from categories c where post_count <> (
        select count(*) from threads where category_id = c.id and visibility = 'published' and deleted_at is null)
      union all select 'tags of', t.id from threads t where tag_ids <> array(
        select tag_id from thread_tags where thread_id = t.id order by tag_id)
      union all select 'tag', g.name from tags g where item_count <> (
        select count(*) from thread_tags join threads t on t.id = thread_id
        where tag_id = g.id and visibility = 'published' and deleted_at is null)
      union all select 'listed', thread_id from thread_tags g where listed <> exists (
        select from threads where id = g.thread_id and visibility = 'published' and deleted_at is null)
      union all select 'total of tags', 'total' where (select sum(tags) from tag_totals) <> (
        select count(*) from tags)
      union all select 'total', 'total' where (select sum(published) from thread_totals) <> (
        select count(*) from threads where visibility = 'published' and deleted_at is null)`
    assert.deepStrictEqual([...wrong, ...(yield* miscountedAuthors)], [])
  })
)

layer(People.layer)("concurrent requests", (it) => {
  it.effect("50 replies are all kept and counted", () =>
    Effect.gen(function* () {
      const { freya, loki, odin } = yield* Cast
      const people = [freya, loki, odin]
      const thread = yield* open(freya, "Crowded")
      const answers = yield* atOnce(
        times(50).map((n) => (people[n % 3] ?? odin).post(`/threads/${thread.id}/replies`, { body: `${n}` }))
      )
      assert.deepStrictEqual(statusesOf(answers), { 200: 50 })
      const read = ok(yield* freya.get(`/threads/${thread.id}`))
      assert.deepStrictEqual(read.reply_status, { replies: 50, replied: 17 })
      assert.deepStrictEqual(
        new Set(idsOf(read.replies.replies)),
        new Set(answers.map(({ json }) => json.id))
      )
      yield* assertCounted
      yield* drainEvents
      assert.strictEqual(ok(yield* freya.get("/notifications")).results, 33)
    })
  )

  it.effect("50 threads in one category, with the same tags in different orders, are counted once each", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const place = yield* category(odin, "Crowd")
      const names = ["a", "b", "c", "d", "e"]
      const answers = yield* atOnce(
        times(50).map((n) =>
          freya.post("/threads", {
            title: `Thread ${n}`,
            visibility: n % 5 === 0 ? "draft" : "published",
            category: place.id,
            tags: [...names.slice(n % 5), ...names.slice(0, n % 5)]
          })
        )
      )
      assert.deepStrictEqual(statusesOf(answers), { 200: 50 })
      yield* assertCounted
      assert.strictEqual(ok(yield* guest.get("/categories/crowd")).postCount, 40)
      const [listed] = ok(yield* guest.get("/threads?categories=crowd")).threads
      assert.deepStrictEqual(
        listed.tags.map(({ item_count, name }: { item_count: number; name: string }) => [name, item_count]),
        names.map((name) => [name, 40])
      )
    })
  )

  it.effect(
    "creating, retagging, moving, hiding and deleting never deadlock, and keep the counts right",
    () =>
      Effect.gen(function* () {
        const { freya, loki, odin } = yield* Cast
        const places = [
          yield* category(odin, "Here"),
          yield* category(odin, "There"),
          yield* category(odin, "Nowhere")
        ]
        const place = (n: number) => places[n % 3].id
        const names = (n: number) => [`t${n % 4}`, `t${(n + 1) % 4}`, `fresh ${n}`, `u${n % 3}`]
        const opened = yield* atOnce(
          times(30).map((n) =>
            open(n % 2 === 0 ? freya : loki, `Mixed ${n}`, { category: place(n), tags: names(n) })
          )
        )
        const owner = (n: number): Person => (n % 2 === 0 ? freya : loki)
        const path = (n: number) => `/threads/${opened[n % 30].id}`
        yield* atOnce(
          times(30).map((n) =>
            Effect.flatMap(reply(n % 3 === 0 ? odin : owner(n), opened[n % 30].id, "liked"), ({ id }) =>
              n % 2 === 0 ? freya.put(`/likes/posts/${id}`) : loki.put(`/likes/posts/${id}`)
            )
          )
        )
        const calls = times(30).flatMap((n) => [
          odin.put(`/likes/posts/${opened[n].id}`),
          owner(n).patch(path(n), { tags: names(29 - n), category: place(n + 1) }),
          odin.patch(path(n), { visibility: n % 2 === 0 ? "draft" : "published", tags: names(n * 7) }),
          odin.patch(path(n + 1), { category: place(n * 5), visibility: "published" }),
          owner(n).post("/threads", {
            title: "New",
            visibility: "published",
            category: place(n),
            tags: names(n * 3)
          }),
          owner(n).post(`${path(n)}/replies`, { body: "hi" }),
          ...(n % 3 === 0 ? [odin.delete(path(n))] : [])
        ])
        const answers = yield* atOnce(calls)
        for (const { status, text } of answers) assert.include([200, 403, 404], status, text)
        assert.strictEqual(answers.filter(({ status }) => status === 200).length > 120, true)
        yield* assertCounted
      })
  )

  it.effect("new tags of two threads never deadlock, whatever order they are named in", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const names = ["first new", "middle new", "zero new"]
      // Both wait in the middle of their tags, each with one that the other needs unless they are sorted.
      const asked = yield* sql.withTransaction(
        Effect.gen(function* () {
          yield* sql`insert into tags (id, name, created_at) values ('held', 'middle-new', now())`
          const asked = yield* Effect.forEach(
            [
              [freya, names],
              [loki, names.toReversed()]
            ] as const,
            ([author, tags]) => Effect.forkChild(author.post("/threads", { title: "Tagged", tags }))
          )
          yield* untilWaiting(2)
          return asked
        })
      )
      const answers = yield* Effect.forEach(asked, Fiber.join)
      assert.deepStrictEqual(statusesOf(answers), { 200: 2 })
    })
  )

  it.effect("withdrawing and publishing while others add tags and links never deadlock", () =>
    Effect.gen(function* () {
      const { freya, loki, odin } = yield* Cast
      const names = ["alpha", "beta", "gamma"]
      const url = (n: number) => `https://withdrawn.test/${n % 3}`
      const anchors = (n: number) => times(3).map((at) => `<a href="${url(n + at)}">x</a>`)
      const inOrder = <A>(n: number, list: ReadonlyArray<A>) => (n % 2 === 0 ? list : list.toReversed())
      const threads = yield* Effect.forEach([freya, loki], (author, n) =>
        Effect.map(
          open(author, "Shared", { tags: inOrder(n, names), url: url(n), body: anchors(n).join("") }),
          ({ id }) => ({ author, path: `/threads/${id}` })
        )
      )
      for (const round of times(6)) {
        const calls = threads.flatMap(({ author, path }, n) => [
          ...["draft", "published", "review", "published"].map((visibility, at) =>
            (at % 2 === n ? author : odin).patch(path, { visibility })
          ),
          ...times(3).flatMap((at) => [
            author.patch(path, {
              tags: [...inOrder(round + at + n, names).slice(at), `fresh ${round} ${at}`]
            }),
            odin.patch(path, { body: inOrder(at + n, anchors(round)).join("") }),
            author.patch(path, { url: url(round + at) }),
            author.post(`${path}/replies`, { body: inOrder(round + at, anchors(n)).join("") })
          ])
        ])
        const answers = yield* atOnce(calls)
        for (const { status, text } of answers) assert.include([200, 403, 404], status, text)
        yield* assertCounted
      }
      const listed = Effect.map(guest.get("/links?q=withdrawn.test"), (answer) => ok(answer).results)
      for (const [visibility, links] of [
        ["published", 3],
        ["draft", 0]
      ] as const) {
        for (const { author, path } of threads) ok(yield* author.patch(path, { visibility }))
        assert.strictEqual(yield* listed, links)
      }
    })
  )

  it.effect("links that several requests add, in different orders, are stored once", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      // Two at a time have the same slug.
      const url = (n: number) => `https://crossed.test/${n >> 1}?${n}`
      const anchor = (n: number) => `<a href="${url(n)}">x</a>`
      const thread = yield* open(freya, "Links")
      for (const round of times(4)) {
        const [a, b] = [round * 2, round * 2 + 1]
        const answers = yield* atOnce(
          times(16).map((n) => {
            const [first, second] = n % 2 === 0 ? [a, b] : [b, a]
            return n % 4 < 2
              ? freya.post("/threads", { title: "Links", url: url(first), body: anchor(second) })
              : freya.post(`/threads/${thread.id}/replies`, { body: anchor(first) + anchor(second) })
          })
        )
        assert.deepStrictEqual(statusesOf(answers), { 200: 16 })
      }
      assert.strictEqual((yield* sql`select from links where url like 'https://crossed.test/%'`).length, 8)
    })
  )

  it.effect("one of many deletions of a reply or a thread succeeds", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const place = yield* category(odin, "Emptied")
      const thread = yield* open(freya, "Deleted", { category: place.id, tags: ["deleted"] })
      const replies = yield* Effect.forEach(times(10), (n) => reply(freya, thread.id, `${n}`))
      for (const { id } of replies.slice(0, 8)) {
        const answers = yield* atOnce(
          times(8).map((n) => (n % 2 === 0 ? freya : odin).delete(`/posts/${id}`))
        )
        assert.deepStrictEqual(statusesOf(answers), { 200: 1, 404: 7 })
      }
      assert.strictEqual(ok(yield* guest.get(`/threads/${thread.id}`)).reply_status.replies, 2)
      yield* assertCounted

      const [left] = replies.slice(8)
      const answers = yield* atOnce([
        ...times(6).map((n) => odin.delete(`/${n % 2 === 0 ? "threads" : "posts"}/${thread.id}`)),
        freya.delete(`/posts/${left.id}`),
        freya.patch(`/posts/${left.id}`, { body: "late" }),
        freya.patch(`/threads/${thread.id}`, { tags: ["late"], visibility: "draft" })
      ])
      assert.deepStrictEqual(statusesOf(answers.slice(0, 6)), { 200: 1, 404: 5 })
      for (const { status } of answers.slice(6)) assert.include([200, 404], status)
      yield* assertCounted

      yield* drainEvents
      const audited = yield* sql`select type from audit_events where subject->>'thread_id' = ${thread.id}`
      assert.deepStrictEqual(audited, [{ type: "thread_deleted" }])
      assert.strictEqual(
        (yield* sql`select from audit_events where type = 'thread_reply_deleted'`).length >= 8,
        true
      )
    })
  )

  it.effect("replies to a thread that is being deleted are stored or refused", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      for (const round of times(3)) {
        const thread = yield* open(freya, `Going ${round}`)
        const post = loki.post(`/threads/${thread.id}/replies`, { body: "x" })
        const answers = yield* atOnce([
          ...times(8).map(() => post),
          freya.delete(`/threads/${thread.id}`),
          post,
          post
        ])
        for (const { status } of answers) assert.include([200, 404], status)
      }
      yield* assertCounted
    })
  )

  it.effect("changes of different fields of one thread are all kept", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const thread = yield* open(freya, "Edited", { tags: ["x"] })
      const path = `/threads/${thread.id}`
      const answers = yield* atOnce([
        freya.patch(path, { title: "New title" }),
        freya.patch(path, { body: "new body" }),
        freya.patch(path, { meta: { new: true } }),
        freya.patch(path, { tags: ["y", "z"] }),
        odin.patch(path, { pinned: 5 }),
        freya.patch(`/posts/${thread.id}`, {}),
        ...times(10).map(() => odin.post(`${path}/replies`, { body: "x" }))
      ])
      assert.deepStrictEqual(statusesOf(answers), { 200: 16 })
      const read = ok(yield* freya.get(path))
      assert.deepStrictEqual(
        [read.title, read.body, read.meta, read.tags.length, read.pinned, read.reply_status.replies],
        ["New title", "<body>new body</body>", { new: true }, 2, 5, 10]
      )
      yield* assertCounted
    })
  )
})
