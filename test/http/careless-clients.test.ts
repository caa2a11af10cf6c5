import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { CategoryNotFound } from "../../src/domain/category/Category.ts"
import { MarkupTooLong, TooManyLinks, TooManyMentions } from "../../src/domain/thread/Post.ts"
import { ThreadNotFound } from "../../src/domain/thread/Thread.ts"
import {
  InvalidRequest,
  PayloadTooLarge,
  UnsupportedMediaType
} from "../../src/http/contract/RequestProblems.ts"
import { ok } from "../support/answers.ts"
import { announce, fieldsOf } from "../support/calendar.ts"
import { category, open, reply } from "../support/discussion.ts"
import * as People from "../support/people.ts"
import { Cast, drainEvents, guest, nobody, query } from "../support/people.ts"
import { assertInvalid, assertProblem } from "../support/problems.ts"

/** Operations that take JSON, each with an address that exists. */
const writes = Effect.gen(function* () {
  const { freya, odin } = yield* Cast
  const thread = yield* open(freya, "Target")
  const answer = yield* reply(freya, thread.id, "target")
  return [
    [odin.post, "/categories"],
    [freya.post, "/threads"],
    [freya.patch, `/threads/${thread.id}`],
    [freya.post, `/threads/${thread.id}/replies`],
    [freya.patch, `/posts/${answer.id}`],
    [freya.patch, "/notifications"],
    [freya.patch, `/notifications/${nobody}`]
  ] as const
})

/** JSON whose objects are nested this deep. */
const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`

layer(People.layer)("careless and hostile requests", (it) => {
  it.effect("a body that is not a JSON object is refused by every operation", () =>
    Effect.gen(function* () {
      for (const [send, path] of yield* writes) {
        for (const body of ["{", "nonsense", "[]", "null", '"text"', "5", "{}{}", '{"title":}']) {
          assertProblem(yield* send(path, body), InvalidRequest)
        }
      }
    })
  )

  it.effect(
    "metadata with text that cannot be stored is refused, at any depth; its escaped form is not",
    () =>
      Effect.gen(function* () {
        const { freya } = yield* Cast
        for (const text of ["a\\u0000b", "\\ud800", "\\udc00\\ud800"]) {
          const post = (meta: string) =>
            freya.post("/threads", `{"title":"Meta","unknown":"${text}","meta":${meta}}`)
          assertInvalid(yield* post(`{"${text}":1}`), "body meta")
          assertInvalid(yield* post(`{"a":[{"b":"${text}"}]}`), "body meta.a.0.b")
          assertInvalid(yield* post(`{"a":[{"${text}":[]}]}`), "body meta.a.0")
          // No field takes the unknown text.
          ok(yield* post("{}"))
        }
        const kept = yield* open(freya, "a\\u0000b \u{1f98b}", { meta: { "\\u0000": "\\ud800" } })
        assert.strictEqual(kept.title, "a\\u0000b \u{1f98b}")
        assert.deepStrictEqual(kept.meta, { "\\u0000": "\\ud800" })
      })
  )

  it.effect("meta is returned as it was sent, whatever its keys and at any accepted depth", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const odd =
        '{"__proto__":{"polluted":true},"constructor":{"prototype":{"x":1}},"toString":"text","":{"":[]},"a.b":null,"$where":[1.5,-0.25,1e21,true],"ä":{"__proto__":[{"__proto__":null}]}}'
      const deep = nested(120)
      for (const meta of [odd, deep]) {
        const expected = JSON.parse(meta)
        const created = ok(yield* freya.post("/threads", `{"title":"Meta","meta":${meta}}`))
        const again = ok(yield* freya.get(`/threads/${created.id}`))
        const answered = ok(yield* freya.post(`/threads/${created.id}/replies`, `{"body":"","meta":${meta}}`))
        const edited = ok(yield* freya.patch(`/posts/${answered.id}`, `{"meta":${meta}}`))
        const changed = ok(yield* freya.patch(`/threads/${created.id}`, `{"meta":${meta}}`))
        for (const resource of [created, again, answered, edited, changed]) {
          assert.strictEqual(JSON.stringify(sorted(resource.meta)), JSON.stringify(sorted(expected)))
        }
      }
      assert.notProperty({}, "polluted")
      assertInvalid(yield* freya.post("/threads", `{"title":"Too deep","meta":${nested(200)}}`), "body")
      assertInvalid(yield* freya.post("/threads", `{"title":"Too deep","x":${"[".repeat(100_000)}`), "body")
    })
  )

  it.effect("a body of one mebibyte is accepted, a larger one is not", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const padded = (size: number) => {
        const head = '{"title":"Large","body":"<i></i>","unknown":"'
        return `${head}${"x".repeat(size - head.length - 2)}"}`
      }
      const mebibyte = 1024 * 1024
      assert.strictEqual(ok(yield* freya.post("/threads", padded(mebibyte))).title, "Large")
      for (const [send, path] of yield* writes) {
        assertProblem(yield* send(path, padded(mebibyte + 1)), PayloadTooLarge, {
          maximum: mebibyte
        })
      }
    })
  )

  it.effect("a post has a maximum of markup and of metadata, so that a page of posts has one", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const meta = (length: number) => ({ x: "y".repeat(length - 8) })
      const markup = (length: number) => "<i></i>".repeat(Math.ceil((length - 13) / 7))
      const thread = yield* open(freya, "Bounds", { meta: meta(65_536), body: markup(524_288 - 7) })
      const answer = yield* reply(freya, thread.id, markup(131_072 - 7), { meta: meta(65_536) })
      const places: ReadonlyArray<readonly [typeof freya.post, string, object, number]> = [
        [freya.post, "/threads", { title: "Too large" }, 524_288],
        [freya.patch, `/threads/${thread.id}`, {}, 524_288],
        [freya.patch, `/posts/${thread.id}`, {}, 524_288],
        [freya.post, `/threads/${thread.id}/replies`, { body: "x" }, 131_072],
        [freya.patch, `/posts/${answer.id}`, {}, 131_072],
        [odin.patch, `/posts/${answer.id}`, { visibility: "review" }, 131_072]
      ]
      for (const [send, path, rest, maximum] of places) {
        assertInvalid(yield* send(path, { ...rest, meta: meta(65_537) }), "body meta")
        const refused = yield* send(path, { ...rest, body: markup(maximum + 7) })
        assertProblem(refused, MarkupTooLong)
        assert.strictEqual(refused.json.metadata.maximum, maximum)
        assert.isAbove(refused.json.metadata.length, maximum)
      }
      assertInvalid(yield* freya.patch("/accounts", { meta: meta(65_537) }), "body meta")
      const asCategory = { name: "Large", description: "", colour: "", meta: meta(65_537) }
      assertInvalid(yield* odin.post("/categories", asCategory), "body meta")
      assert.strictEqual(ok(yield* freya.get(`/threads/${thread.id}`)).replies.results, 1)
    })
  )

  it.effect("a thread takes many tags, links, mentions and elements, up to a limit", () =>
    Effect.gen(function* () {
      const { freya, loki, odin } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const { id: place } = yield* category(odin, "Crowded")
      const event = yield* announce(odin, place, "Crowded")
      const many = (count: number, of: (n: number) => string) =>
        Array.from({ length: count }, (_, n) => of(n)).join("")
      const id = (n: number) => n.toString(32).padStart(20, "0")
      const linking = (count: number) => ({ body: many(count, (n) => `<a href=http://l.t/${n}>`) })
      const links = yield* open(freya, "Links", linking(1_000))
      assert.strictEqual(links.body_links.length, 1_000)
      const refused = yield* freya.patch(`/threads/${links.id}`, linking(1_001))
      assertProblem(refused, TooManyLinks, { maximum: 1_000, count: 1_001 })
      const tooMany = yield* freya.post("/threads", { title: "Too many", ...linking(1_001) })
      assertProblem(tooMany, TooManyLinks)
      const { body: content } = linking(1_001)
      const asEvent = { ...fieldsOf(place), name: "Too many" }
      assertProblem(yield* odin.post("/events", { ...asEvent, content }), TooManyLinks)
      assertProblem(yield* odin.patch(`/events/${event.id}`, { content }), TooManyLinks)
      const path = `/threads/${links.id}/replies`
      const answer = ok(yield* freya.post(path, linking(200)))
      assert.strictEqual(answer.body_links.length, 200)
      const over = { maximum: 200, count: 201 }
      assertProblem(yield* freya.post(path, linking(201)), TooManyLinks, over)
      assertProblem(yield* freya.patch(`/posts/${answer.id}`, linking(201)), TooManyLinks, over)
      // Of one account there may be any number.
      const mentioning = (count: number) => ({
        body: `${many(count, (n) => `<a href=sdr:profile/${id(n)}>`)}${many(60, () => `<a href=sdr:profile/${id(0)}>`)}`
      })
      const crowd = yield* open(freya, "Mentions", mentioning(50))
      const mentions = ok(yield* freya.post(path, mentioning(50)))
      for (const [send, address] of [
        [freya.post, "/threads"],
        [freya.patch, `/threads/${crowd.id}`],
        [freya.patch, `/posts/${crowd.id}`],
        [freya.post, path],
        [freya.patch, `/posts/${mentions.id}`]
      ] as const) {
        const crowded = yield* send(address, { title: "Too many", ...mentioning(51) })
        assertProblem(crowded, TooManyMentions, { field: "body", maximum: 50, count: 51 })
      }
      const { body: mentions51 } = mentioning(51)
      const asked = { ...asEvent, content: mentions51 }
      assertProblem(yield* odin.post("/events", asked), TooManyMentions)
      assertProblem(yield* odin.patch(`/events/${event.id}`, { content: mentions51 }), TooManyMentions)
      yield* open(freya, "A mention", { body: `<a href="sdr:profile/${loki.id}">x</a>` })
      yield* drainEvents
      assert.strictEqual(ok(yield* loki.get("/notifications")).results, 1)
      assert.strictEqual((yield* sql`select from notifications`).length, 1)
      yield* open(freya, "Elements", { body: many(35_000, () => "<b><i>") })
      const tags = Array.from({ length: 51 }, (_, n) => `tag ${n}`)
      yield* open(freya, "Tags", { tags: tags.slice(1) })
      assertInvalid(yield* freya.post("/threads", { title: "Too many", tags }), "body tags")
    })
  )

  it.effect("text that looks like SQL or markup is stored as text", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const nasty = "'; delete from threads; -- $1 {{x}} :y \\ \" % _ <b>&amp;"
      const thread = yield* open(freya, nasty, { tags: [nasty.slice(0, 30)], meta: { [nasty]: nasty } })
      assert.strictEqual(thread.title, nasty)
      assert.deepStrictEqual(thread.meta, { [nasty]: nasty })
      assert.strictEqual(thread.tags[0].name, "delete-from-threads-1")
      for (const parameters of [
        { q: nasty },
        { categories: nasty },
        { tags: nasty },
        { visibility: [], page: nasty }
      ]) {
        ok(yield* guest.get(`/threads${query(parameters)}`))
      }
      assert.strictEqual(ok(yield* guest.get(`/threads${query({ q: nasty })}`)).results, 1)
      assertProblem(yield* guest.get(`/threads/${encodeURIComponent(nasty)}`), ThreadNotFound, {
        thread_mark: nasty
      })
      assertProblem(yield* guest.get(`/categories/${encodeURIComponent(nasty)}`), CategoryNotFound)
      assert.strictEqual((yield* sql`select from threads`).length > 0, true)
    })
  )

  it.effect("fields that no client may set are ignored", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      const forged = {
        id: nobody,
        author: loki.id,
        author_id: loki.id,
        createdAt: "2000-01-01T00:00:00Z",
        deletedAt: "2000-01-01T00:00:00Z",
        slug: "forged",
        likes: 9,
        reply_status: {},
        thread_id: nobody
      }
      const thread = yield* open(freya, "Forged", forged)
      const answer = yield* reply(freya, thread.id, "Forged", forged)
      const changed = ok(yield* freya.patch(`/threads/${thread.id}`, forged))
      const edited = ok(yield* freya.patch(`/posts/${answer.id}`, forged))
      for (const one of [thread, answer, changed, edited]) {
        assert.strictEqual(one.author.id, freya.id)
        assert.notStrictEqual(one.id, nobody)
        assert.match(one.createdAt, /^1970/)
        assert.match(one.slug, /-forged(#|$)/)
        assert.deepStrictEqual(one.likes, { likes: 0, liked: false })
        assert.notProperty(one, "deletedAt")
      }
    })
  )

  it.effect("JSON with another content type is refused", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      for (const type of ["text/plain", "application/x-www-form-urlencoded", "application/octet-stream"]) {
        const answer = yield* freya.post("/threads", '{"title":"t"}', { "content-type": type })
        assertProblem(answer, UnsupportedMediaType, { content_type: type })
      }
      const charset = { "content-type": "application/json; charset=utf-8" }
      ok(yield* freya.post("/threads", '{"title":"t"}', charset))
    })
  )
})

/** The same JSON with its keys sorted, own `__proto__` keys included. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== "object" || value === null) return value
  return Object.entries(value)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, inner]) => [key, sorted(inner)])
}
