import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { HttpClient } from "effect/http"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { Forbidden } from "../../src/domain/shared/Actor.ts"
import { ThreadHidden, ThreadNotFound } from "../../src/domain/thread/Thread.ts"
import { ok } from "../support/answers.ts"
import { category, open, reply } from "../support/discussion.ts"
import { etagOf, ifNoneMatch } from "../support/etags.ts"
import * as People from "../support/people.ts"
import { Cast, grant, guest, suspend } from "../support/people.ts"
import { assertProblem } from "../support/problems.ts"

const unseenOfAuthors = {
  bio: "<p>changed</p>",
  links: [{ text: "changed", url: "https://changed.test/" }],
  meta: { changed: true },
  interests: ["changed"]
}

layer(People.layer)("If-None-Match for a thread", (it) => {
  it.effect("is answered with 304 while the thread is the same", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const thread = yield* open(freya, "Cached", { tags: ["cached"] })
      for (const [person, caching] of [
        [guest, "public, no-cache"],
        [freya, "private, no-cache"]
      ] as const) {
        for (const path of [
          `/threads/${thread.id}`,
          `/threads/${thread.slug}`,
          `/threads/${thread.id}?page=2`
        ]) {
          const first = yield* person.get(path)
          assert.strictEqual(first.headers["cache-control"], caching)
          assert.notProperty(first.headers, "last-modified")
          const tag = yield* etagOf(person, path)
          const again = yield* person.get(path, ifNoneMatch(tag))
          assert.strictEqual(again.status, 304)
          assert.strictEqual(again.text, "")
          assert.notProperty(again.headers, "content-type")
          assert.strictEqual(again.headers.etag, tag)
          assert.strictEqual(again.headers["cache-control"], caching)
          assert.strictEqual(again.headers.vary, first.headers.vary)
        }
      }
    })
  )

  it.effect("matches one exact ETag only; If-Modified-Since is ignored", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const thread = yield* open(freya, "Exactly")
      const path = `/threads/${thread.id}`
      const tag = yield* etagOf(guest, path)
      for (const sent of [
        '"other"',
        tag.slice(1, -1),
        `W/${tag}`,
        "*",
        `${tag}, "other"`,
        `${tag.slice(0, -1)}x"`,
        "",
        '""',
        "'"
      ]) {
        assert.strictEqual(ok(yield* guest.get(path, ifNoneMatch(sent))).id, thread.id, sent)
      }
      const dated = { headers: { "if-modified-since": "Fri, 31 Dec 9999 23:59:59 GMT" } }
      ok(yield* guest.get(path, dated))
    })
  )

  it.effect("fails to match after every change that the answer shows, and only then", () =>
    Effect.gen(function* () {
      const { freya, loki, odin, tyr } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const place = yield* category(odin, "Changing")
      const elsewhere = yield* category(odin, "Elsewhere")
      const thread = yield* open(freya, "Changing", { category: place.id, tags: ["changing"] })
      const answer = yield* reply(loki, thread.id, "answer")
      const path = `/threads/${thread.id}`
      const read = loki.post("/beacon", JSON.stringify({ k: "thread", id: thread.id }), {
        "content-type": "text/plain"
      })
      let tag = yield* etagOf(loki, path)
      const seen = new Set([tag])

      const changes: ReadonlyArray<
        readonly [string, Effect.Effect<unknown, unknown, SqlClient.SqlClient | HttpClient.HttpClient>]
      > = [
        ["edit", freya.patch(path, { title: "Changed" })],
        [
          "edit of nothing but the time",
          TestClock.adjust("1 milli").pipe(Effect.andThen(freya.patch(path, { title: "Changed" })))
        ],
        ["pin", odin.patch(path, { pinned: 1 })],
        ["retag", freya.patch(path, { tags: ["changing", "changed"] })],
        ["edit of the opening as a post", freya.patch(`/posts/${thread.id}`, { meta: { a: 1 } })],
        ["reply", loki.post(`${path}/replies`, { body: "another" })],
        ["edit of a reply", loki.patch(`/posts/${answer.id}`, { body: "edited" })],
        ["review of a reply", tyr.patch(`/posts/${answer.id}`, { visibility: "review" })],
        ["release of a reply", tyr.patch(`/posts/${answer.id}`, { visibility: "published" })],
        ["deletion of a reply", loki.delete(`/posts/${answer.id}`)],
        ["read mark", read],
        ["reply after the mark", freya.post(`${path}/replies`, { body: "new" })],
        // The clock stands still.
        ["read mark at the same time", read],
        ["author's name", freya.patch("/accounts", { name: "Freya of the Vanir" })],
        ["author's signature", freya.patch("/accounts", { signature: "<p>cats</p>" })],
        ["author's role", grant(freya, "CREATE_INVITATION")],
        ["role's colour", sql`update roles set colour = 'gold' where name = 'Member'`],
        ["author's suspension", suspend(freya)],
        ["reinstatement", sql`update accounts set suspended_at = null where id = ${freya.id}`],
        [
          "category's name",
          sql`update categories set name = 'Renamed', version = version + 1 where id = ${place.id}`
        ],
        ["category's count", open(loki, "in the same place", { category: place.id })],
        ["tag's count", open(loki, "with the same tag", { tags: ["changed"] })],
        ["move", freya.patch(path, { category: elsewhere.id })],
        ["like", sql`update threads set version = version + 1 where id = ${thread.id}`]
      ]
      for (const [what, change] of changes) {
        yield* change
        const answered = yield* loki.get(path, ifNoneMatch(tag))
        assert.strictEqual(answered.status, 200, `${what} does not change the ETag`)
        tag = answered.headers.etag ?? ""
        assert.isFalse(seen.has(tag), `${what} brings back an old ETag`)
        seen.add(tag)
        assert.strictEqual(
          (yield* loki.get(path, ifNoneMatch(tag))).status,
          304,
          `${what} changes the ETag twice`
        )
      }

      for (const [what, unseen] of [
        ["another thread", open(loki, "of no concern")],
        ["what a profile shows and a post does not", freya.patch("/accounts", unseenOfAuthors)],
        ["a name that is the same", freya.patch("/accounts", { name: "Freya of the Vanir" })],
        ["reading", loki.get(path)]
      ] as const) {
        yield* unseen
        assert.strictEqual((yield* loki.get(path, ifNoneMatch(tag))).status, 304, what)
      }
    })
  )

  it.effect("differs between callers whose answers differ", () =>
    Effect.gen(function* () {
      const { freya, loki, odin, tyr } = yield* Cast
      const thread = yield* open(freya, "Mine and yours")
      const path = `/threads/${thread.id}`
      const tags = yield* Effect.forEach([guest, freya, loki, odin, tyr], (person) => etagOf(person, path))
      assert.strictEqual(new Set(tags).size, 5)
      assert.notStrictEqual(yield* etagOf(guest, `${path}?page=2`), tags[0])
      // A new role may show other replies.
      yield* grant(loki, "MANAGE_POSTS")
      assert.strictEqual((yield* loki.get(path, ifNoneMatch(tags[2] ?? ""))).status, 200)
    })
  )

  it.effect("is compared after the permission to read", () =>
    Effect.gen(function* () {
      const { freya, tyr } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const thread = yield* open(freya, "Withdrawn")
      const path = `/threads/${thread.id}`
      const asGuest = yield* etagOf(guest, path)
      // The request has the ETag that would match, so that only the permission decides.
      ok(yield* freya.patch(path, { visibility: "draft" }))
      assertProblem(yield* guest.get(path, ifNoneMatch(asGuest)), ThreadHidden)
      yield* sql`update threads set version = version - 1 where id = ${thread.id}`
      assertProblem(yield* guest.get(path, ifNoneMatch(asGuest)), ThreadHidden)
      ok(yield* freya.patch(path, { visibility: "published" }))

      const again = yield* etagOf(guest, path)
      yield* sql`update roles set permissions = array_remove(permissions, 'READ_PUBLISHED_THREADS') where name = 'Guest'`
      assertProblem(yield* guest.get(path, ifNoneMatch(again)), Forbidden)
      yield* sql`update roles set permissions = permissions || '{READ_PUBLISHED_THREADS}' where name = 'Guest'`

      const last = yield* etagOf(tyr, path)
      ok(yield* freya.delete(path))
      yield* sql`update threads set version = version - 1 where id = ${thread.id}`
      assertProblem(yield* tyr.get(path, ifNoneMatch(last)), ThreadNotFound)
    })
  )
})
