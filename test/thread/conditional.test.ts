import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { HttpClient } from "effect/http"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { CategoryNotFound } from "../../src/domain/category/Category.ts"
import { Forbidden } from "../../src/domain/shared/Actor.ts"
import { ThreadHidden, ThreadNotFound } from "../../src/domain/thread/Thread.ts"
import { ok } from "../support/answers.ts"
import { category, open, reply } from "../support/discussion.ts"
import * as People from "../support/people.ts"
import { Cast, grant, guest, type Person, suspend } from "../support/people.ts"
import { assertProblem } from "../support/problems.ts"

const asking = (tag: string) => ({ headers: { "if-none-match": tag } })

const tagOf = (person: Person, path: string) =>
  Effect.map(person.get(path), (answer) => {
    ok(answer)
    const { etag } = answer.headers
    assert.match(etag ?? "", /^"[!#-~]+"$/)
    return etag ?? ""
  })

layer(People.layer)("asking again for a thread", (it) => {
  it.effect("a copy that is still good is not sent again", () =>
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
          const tag = yield* tagOf(person, path)
          const again = yield* person.get(path, asking(tag))
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

  it.effect("only exactly the one tag counts, and no date does", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const thread = yield* open(freya, "Exactly")
      const path = `/threads/${thread.id}`
      const tag = yield* tagOf(guest, path)
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
        assert.strictEqual(ok(yield* guest.get(path, asking(sent))).id, thread.id, sent)
      }
      const dated = { headers: { "if-modified-since": "Fri, 31 Dec 9999 23:59:59 GMT" } }
      ok(yield* guest.get(path, dated))
    })
  )

  it.effect("the tag changes with everything that the answer shows, and only then", () =>
    Effect.gen(function* () {
      const { freya, loki, odin, tyr } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const place = yield* category(odin, "Changing")
      const elsewhere = yield* category(odin, "Elsewhere")
      const thread = yield* open(freya, "Changing", { category: place.id, tags: ["changing"] })
      const answer = yield* reply(loki, thread.id, "answer")
      const path = `/threads/${thread.id}`
      let tag = yield* tagOf(loki, path)
      const seen = new Set([tag])

      const changes: ReadonlyArray<
        readonly [string, Effect.Effect<unknown, unknown, SqlClient.SqlClient | HttpClient.HttpClient>]
      > = [
        ["edit", freya.patch(path, { title: "Changed" })],
        [
          "edit of nothing but the time",
          TestClock.adjust("1 milli").pipe(Effect.andThen(freya.patch(path, {})))
        ],
        ["pin", odin.patch(path, { pinned: 1 })],
        ["retag", freya.patch(path, { tags: ["changing", "changed"] })],
        ["edit of the opening as a post", freya.patch(`/posts/${thread.id}`, { meta: { a: 1 } })],
        ["reply", loki.post(`${path}/replies`, { body: "another" })],
        ["edit of a reply", loki.patch(`/posts/${answer.id}`, { body: "edited" })],
        ["review of a reply", tyr.patch(`/posts/${answer.id}`, { visibility: "review" })],
        ["release of a reply", tyr.patch(`/posts/${answer.id}`, { visibility: "published" })],
        ["deletion of a reply", loki.delete(`/posts/${answer.id}`)],
        [
          "read mark",
          loki.post("/beacon", JSON.stringify({ k: "thread", id: thread.id }), {
            "content-type": "text/plain"
          })
        ],
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
        const answered = yield* loki.get(path, asking(tag))
        assert.strictEqual(answered.status, 200, `${what} goes unnoticed`)
        tag = answered.headers.etag ?? ""
        assert.isFalse(seen.has(tag), `${what} brings back an old tag`)
        seen.add(tag)
        assert.strictEqual((yield* loki.get(path, asking(tag))).status, 304, `${what} is noticed twice`)
      }

      yield* open(loki, "of no concern")
      yield* loki.get(`/threads/${thread.id}`)
      assert.strictEqual((yield* loki.get(path, asking(tag))).status, 304)
    })
  )

  it.effect("what one reader's answer shows is in that reader's tag alone", () =>
    Effect.gen(function* () {
      const { freya, loki, odin, tyr } = yield* Cast
      const thread = yield* open(freya, "Mine and yours")
      const path = `/threads/${thread.id}`
      const tags = yield* Effect.forEach([guest, freya, loki, odin, tyr], (person) => tagOf(person, path))
      assert.strictEqual(new Set(tags).size, 5)
      assert.notStrictEqual(yield* tagOf(guest, `${path}?page=2`), tags[0])
      // A role gained since shows other replies.
      yield* grant(loki, "MANAGE_POSTS")
      assert.strictEqual((yield* loki.get(path, asking(tags[2] ?? ""))).status, 200)
    })
  )

  it.effect("whoever may no longer read it is told so, however good the copy", () =>
    Effect.gen(function* () {
      const { freya, tyr } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const thread = yield* open(freya, "Withdrawn")
      const path = `/threads/${thread.id}`
      const asGuest = yield* tagOf(guest, path)
      // The tag that would fit is asked with, so that nothing but permission decides.
      ok(yield* freya.patch(path, { visibility: "draft" }))
      assertProblem(yield* guest.get(path, asking(asGuest)), ThreadHidden)
      yield* sql`update threads set version = version - 1 where id = ${thread.id}`
      assertProblem(yield* guest.get(path, asking(asGuest)), ThreadHidden)
      ok(yield* freya.patch(path, { visibility: "published" }))

      const again = yield* tagOf(guest, path)
      yield* sql`update roles set permissions = array_remove(permissions, 'READ_PUBLISHED_THREADS') where name = 'Guest'`
      assertProblem(yield* guest.get(path, asking(again)), Forbidden)
      yield* sql`update roles set permissions = permissions || '{READ_PUBLISHED_THREADS}' where name = 'Guest'`

      const last = yield* tagOf(tyr, path)
      ok(yield* freya.delete(path))
      yield* sql`update threads set version = version - 1 where id = ${thread.id}`
      assertProblem(yield* tyr.get(path, asking(last)), ThreadNotFound)
    })
  )
})

layer(People.layer)("asking again for a category", (it) => {
  it.effect("a copy is good until the category changes, and the same for everyone", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const place = yield* category(odin, "Kept")
      const path = "/categories/kept"
      let tag = yield* tagOf(guest, path)
      assert.strictEqual(yield* tagOf(freya, path), tag)
      for (const person of [guest, freya]) {
        const again = yield* person.get(path, asking(tag))
        assert.strictEqual(again.status, 304)
        assert.strictEqual(again.text, "")
        assert.strictEqual(again.headers.etag, tag)
        assert.strictEqual(again.headers["cache-control"], "public, no-cache")
        assert.strictEqual(ok(yield* person.get(path, asking('"stale"'))).id, place.id)
      }
      assert.strictEqual((yield* guest.get(path)).headers["cache-control"], "public, no-cache")
      for (const [what, change] of [
        ["name", sql`update categories set name = 'Renamed' where id = ${place.id}`],
        ["sort", sql`update categories set sort = 4 where id = ${place.id}`],
        ["child", category(odin, "Child", { parent: place.id })],
        ["thread", open(freya, "in it", { category: place.id })]
      ] as const) {
        yield* change
        const answered = yield* guest.get(path, asking(tag))
        assert.strictEqual(answered.status, 200, what)
        tag = answered.headers.etag ?? ""
      }
      yield* sql`update categories set slug = 'gone' where id = ${place.id}`
      assertProblem(yield* guest.get(path, asking(tag)), CategoryNotFound, { category_slug: "kept" })
    })
  )
})
