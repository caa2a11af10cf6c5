import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { CategoryUnknown } from "../../src/domain/category/Category.ts"
import { LinkInvalid } from "../../src/domain/link/Link.ts"
import { AccountSuspended, Forbidden, Unauthenticated } from "../../src/domain/shared/Actor.ts"
import { BodyTooLong, NotYours, PostNotFound } from "../../src/domain/thread/Post.ts"
import { ThreadNotFound, ThreadTitleMissing } from "../../src/domain/thread/Thread.ts"
import { ok } from "../support/answers.ts"
import { category, open, reply } from "../support/discussion.ts"
import * as People from "../support/people.ts"
import { Cast, guest, nobody, suspend } from "../support/people.ts"
import { assertInvalid, assertProblem } from "../support/problems.ts"

layer(People.layer)("changing threads", (it) => {
  it.effect("the author may change everything but the slug", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const [from, to] = [yield* category(odin, "From"), yield* category(odin, "To")]
      const before = yield* open(freya, "Before", {
        category: from.id,
        tags: ["kept", "dropped"],
        meta: { old: 1 },
        body: '<a href="https://old.test/">x</a>'
      })
      yield* TestClock.adjust("10 seconds")
      const after = ok(
        yield* freya.patch(`/threads/${before.slug}`, {
          title: "After",
          body: '<p>new <a href="https://new.test/">x</a></p>',
          category: to.id,
          tags: ["kept", "added"],
          meta: { new: { deep: [true] } },
          url: "https://about.test/"
        })
      )
      assert.strictEqual(after.title, "After")
      assert.strictEqual(after.slug, before.slug)
      assert.strictEqual(
        after.body,
        '<body><p>new <a href="https://new.test/" rel="nofollow">x</a></p></body>'
      )
      assert.strictEqual(after.description, "new x")
      assert.strictEqual(after.category.id, to.id)
      assert.deepStrictEqual(
        after.tags.map(({ name }: { name: string }) => name),
        ["added", "kept"]
      )
      assert.deepStrictEqual(after.meta, { new: { deep: [true] } })
      assert.strictEqual(after.link.url, "https://about.test/")
      assert.deepStrictEqual(
        after.body_links.map(({ url }: { url: string }) => url),
        ["https://new.test/"]
      )
      assert.strictEqual(after.createdAt, before.createdAt)
      assert.strictEqual(Date.parse(after.updatedAt), Date.parse(before.updatedAt) + 10_000)
      assert.deepStrictEqual(ok(yield* freya.get(`/threads/${before.id}`)), after)
    })
  )

  it.effect("a field that is not sent keeps its value, and an empty change changes nothing", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const before = yield* open(freya, "Stays", {
        body: "text",
        tags: ["stays"],
        meta: { stays: true },
        url: "https://stays.test/"
      })
      yield* reply(freya, before.id, "a reply")
      const read = ok(yield* freya.get(`/threads/${before.id}`))
      yield* TestClock.adjust("1 second")
      const sql = yield* SqlClient.SqlClient
      const events = sql`select count(*) as count from event_log`
      const logged = yield* events
      for (const path of [`/threads/${before.id}`, `/posts/${before.id}`]) ok(yield* freya.patch(path, {}))
      assert.deepStrictEqual(ok(yield* freya.patch(`/threads/${before.id}`, { unknown: 1 })), read)
      assert.deepStrictEqual(ok(yield* freya.get(`/threads/${before.id}`)), read)
      assert.deepStrictEqual(yield* events, logged)
      const after = ok(yield* freya.patch(`/threads/${before.id}`, { title: "Stays" }))
      assert.strictEqual(Date.parse(after.updatedAt), Date.parse(read.updatedAt) + 1000)
      assert.deepStrictEqual(ok(yield* freya.patch(`/threads/${before.id}`, { tags: [] })).tags, [])
      assert.deepStrictEqual(ok(yield* freya.patch(`/threads/${before.id}`, { meta: {} })).meta, {})
      const cleared = ok(yield* freya.patch(`/threads/${before.id}`, { body: "" }))
      assert.strictEqual(cleared.body, "<body></body>")
    })
  )

  it.effect("the length of the text is checked when it is published, by whichever request", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const tooLong = { maximum: 60_000, length: 60_001 }
      const body = "&amp;".repeat(60_001)
      const [created, changed] = [
        yield* open(freya, "created too long", { body, visibility: "draft" }),
        yield* open(freya, "changed too long", { visibility: "draft" })
      ]
      ok(yield* freya.patch(`/threads/${changed.id}`, { body }))
      for (const { id } of [created, changed]) {
        for (const path of [`/threads/${id}`]) {
          assertProblem(yield* freya.patch(path, { visibility: "published" }), BodyTooLong, tooLong)
          assertProblem(yield* freya.patch(path, { visibility: "published", body }), BodyTooLong, tooLong)
        }
        ok(yield* freya.patch(`/threads/${id}`, { visibility: "review" }))
        ok(yield* freya.patch(`/threads/${id}`, { visibility: "published", body: "x".repeat(60_000) }))
        // Published already: only a new text is checked.
        ok(yield* freya.patch(`/threads/${id}`, { title: "renamed" }))
        assertProblem(yield* freya.patch(`/posts/${id}`, { body }), BodyTooLong, tooLong)
      }
    })
  )

  it.effect("the author may set every visibility", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      const thread = yield* open(freya, "moves")
      for (const visibility of ["review", "published", "unlisted", "draft", "published"]) {
        const changed = ok(yield* freya.patch(`/threads/${thread.id}`, { visibility }))
        assert.strictEqual(changed.visibility, visibility)
        const seen = yield* loki.get(`/threads/${thread.id}`)
        assert.strictEqual(seen.status, visibility === "published" ? 200 : 403)
      }
    })
  )

  it.effect("pinning requires MANAGE_POSTS, even for the author", () =>
    Effect.gen(function* () {
      const { freya, tyr } = yield* Cast
      const thread = yield* open(freya, "pin me")
      assertProblem(yield* freya.patch(`/threads/${thread.id}`, { pinned: 0 }), Forbidden, {
        permission: "MANAGE_POSTS"
      })
      assert.strictEqual(ok(yield* tyr.patch(`/threads/${thread.id}`, { pinned: 3 })).pinned, 3)
      assert.strictEqual(ok(yield* freya.patch(`/threads/${thread.id}`, { title: "kept" })).pinned, 3)
    })
  )

  it.effect("moderators may change a thread, other members and guests may not", () =>
    Effect.gen(function* () {
      const { freya, loki, odin, tyr } = yield* Cast
      const thread = yield* open(freya, "mine", { visibility: "draft" })
      const path = `/threads/${thread.id}`
      for (const change of [{ title: "theirs" }, {}]) {
        assertProblem(yield* loki.patch(path, change), NotYours, {})
        assertProblem(yield* guest.patch(path, change), Unauthenticated, {})
      }
      assertProblem(yield* loki.delete(path), NotYours, {})
      assertProblem(yield* guest.delete(path), Unauthenticated, {})
      assert.strictEqual(ok(yield* tyr.patch(path, { title: "moderated" })).author.id, freya.id)
      assert.strictEqual(ok(yield* odin.patch(path, { title: "administered" })).title, "administered")
    })
  )

  it.effect("an empty URL takes the link away; without one it stays", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      for (const url of ["", " "]) {
        const thread = yield* open(freya, "linked", { url: "https://taken.test/" })
        const path = `/threads/${thread.id}`
        assert.strictEqual(ok(yield* freya.patch(path, { title: "still" })).link.url, "https://taken.test/")
        assert.notProperty(ok(yield* freya.patch(path, { url })), "link")
        assert.notProperty(ok(yield* freya.get(path)), "link")
        assert.strictEqual(
          ok(yield* freya.patch(path, { url: "https://put.test/" })).link.url,
          "https://put.test/"
        )
      }
    })
  )

  it.effect("a refused change changes nothing", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const thread = yield* open(freya, "firm", { tags: ["firm"] })
      const path = `/threads/${thread.id}`
      const refused = (change: object) => freya.patch(path, { title: "soft", tags: ["soft"], ...change })
      assertProblem(yield* refused({ category: nobody }), CategoryUnknown, {
        field: "category",
        id: nobody
      })
      const nowhere = { field: "url", url: "nowhere", rule: "address" } as const
      assertProblem(yield* refused({ url: "nowhere" }), LinkInvalid, nowhere)
      assertProblem(yield* refused({ body: "x".repeat(60_001) }), BodyTooLong, {
        maximum: 60_000,
        length: 60_001
      })
      for (const field of ["title", "body", "category", "tags", "visibility", "pinned", "url", "meta"]) {
        assertInvalid(yield* refused({ [field]: null }), `body ${field}`)
      }
      assertProblem(yield* refused({ title: " " }), ThreadTitleMissing, { field: "title" })
      assertInvalid(yield* refused({ title: "\u2800" }), "body title")
      assert.deepStrictEqual(ok(yield* freya.get(path)), thread)
    })
  )

  it.effect("whether there is the thread and whose it is comes before what is wrong with a change", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      const thread = yield* open(freya, "First things first")
      for (const change of [{ category: nobody }, { url: "nowhere" }, { body: "x".repeat(60_001) }]) {
        assertProblem(yield* loki.patch(`/threads/${thread.id}`, change), NotYours, {})
        const missing = yield* loki.patch(`/threads/${nobody}`, change)
        assertProblem(missing, ThreadNotFound, { thread_mark: nobody })
      }
    })
  )

  it.effect("a suspended author may not change a thread", () =>
    Effect.gen(function* () {
      const { loki } = yield* Cast
      const thread = yield* open(loki, "left behind")
      yield* suspend(loki)
      assertProblem(yield* loki.patch(`/threads/${thread.id}`, {}), AccountSuspended, {})
      assertProblem(yield* loki.delete(`/threads/${thread.id}`), AccountSuspended, {})
      assertProblem(yield* loki.get("/threads"), AccountSuspended, {})
      assert.isString(ok(yield* guest.get(`/threads/${thread.id}`)).author.suspended)
    })
  )
})

layer(People.layer)("deleting threads", (it) => {
  it.effect("a deleted thread is found by no operation, nor are its replies", () =>
    Effect.gen(function* () {
      const { freya, loki, odin } = yield* Cast
      const thread = yield* open(freya, "short-lived")
      const answer = yield* reply(loki, thread.id, "short-lived too")
      const deleted = yield* freya.delete(`/threads/${thread.slug}`)
      assert.strictEqual(deleted.status, 200)
      assert.strictEqual(deleted.text, "")
      assert.strictEqual(deleted.headers["content-length"], "0")

      const path = `/threads/${thread.id}`
      const gone = { thread_mark: thread.id }
      for (const person of [guest, freya, odin]) {
        assertProblem(yield* person.get(path), ThreadNotFound, gone)
        assert.strictEqual(ok(yield* person.get("/threads")).threads.length, 0)
      }
      assertProblem(yield* freya.patch(path, {}), ThreadNotFound, gone)
      assertProblem(yield* freya.delete(path), ThreadNotFound, gone)
      assertProblem(yield* loki.post(`${path}/replies`, { body: "late" }), ThreadNotFound, gone)
      for (const id of [thread.id, answer.id]) {
        assertProblem(yield* odin.patch(`/posts/${id}`, {}), PostNotFound, { post_id: id })
        assertProblem(yield* odin.delete(`/posts/${id}`), PostNotFound, { post_id: id })
      }
    })
  )

  it.effect("moderators may delete the threads of others", () =>
    Effect.gen(function* () {
      const { freya, tyr } = yield* Cast
      const thread = yield* open(freya, "moderated away", { visibility: "draft" })
      ok(yield* tyr.delete(`/threads/${thread.id}`))
      assertProblem(yield* freya.get(`/threads/${thread.id}`), ThreadNotFound)
    })
  )

  it.effect("an address that names no thread is not found by any operation", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const thread = yield* open(freya, "has a reply")
      const answer = yield* reply(freya, thread.id, "is a reply")
      for (const mark of [
        nobody,
        `${nobody}-x`,
        "short",
        thread.id.slice(1),
        thread.id.toUpperCase(),
        answer.id
      ]) {
        const path = `/threads/${mark}`
        assertProblem(yield* guest.get(path), ThreadNotFound, { thread_mark: mark })
        assertProblem(yield* freya.patch(path, {}), ThreadNotFound, { thread_mark: mark })
        assertProblem(yield* freya.delete(path), ThreadNotFound, { thread_mark: mark })
      }
      for (const mark of [`${thread.id}-anything`, `${thread.id}x`, `${thread.id}%23${answer.id}`]) {
        assert.strictEqual(ok(yield* guest.get(`/threads/${mark}`)).id, thread.id)
      }
    })
  )
})
