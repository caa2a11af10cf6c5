import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Forbidden } from "../../src/domain/shared/Actor.ts"
import { BodyTooLong, ContentBlocked } from "../../src/domain/thread/Post.ts"
import { ok, titlesOf } from "../support/answers.ts"
import { open, reply } from "../support/discussion.ts"
import * as People from "../support/people.ts"
import { Cast, drainEvents, guest } from "../support/people.ts"
import { assertProblem } from "../support/problems.ts"
import { changeModeration } from "../support/settings.ts"

const words = changeModeration({ word_block_list: ["Verboten", "two words"], word_report_list: ["dubious"] })

/** What was appended to the event log since the last look. */
const newEvents = SqlClient.SqlClient.use((sql) =>
  Effect.map(
    sql<{ readonly event: { readonly _tag: string } }>`
      with seen as (select coalesce(max(id), 0) as id from looked),
        fresh as (select e.id, event - 'standing' as event from event_log e, seen where e.id > seen.id),
        noted as (insert into looked select max(id) from fresh having max(id) is not null)
      select event from fresh order by id`,
    (rows) => rows.map(({ event }): object => event)
  )
)

const watchEvents = SqlClient.SqlClient.use((sql) =>
  Effect.andThen(sql`create table looked (id bigint)`, newEvents)
)

const posts = SqlClient.SqlClient.use((sql) => sql`select id from posts`)

const block = (field: "title" | "body") => [ContentBlocked, { field }] as const

layer(People.layer)("a blocked word", (it) => {
  it.effect("is refused in the title and the text of what is published, and nothing is stored", () =>
    Effect.gen(function* () {
      yield* words
      const { freya } = yield* Cast
      const thread = yield* open(freya, "Fine", { body: "fine" })
      const before = yield* posts
      for (const [title, body, field] of [
        ["it is VERBOTEN", "fine", "title"],
        ["fine", "<p>ver<b>boten</b></p>", "body"],
        ["fine", "two \u00a0 w\u00adords", "body"]
      ] as const) {
        const created = { title, body, visibility: "published" }
        assertProblem(yield* freya.post("/threads", created), ...block(field))
      }
      const path = `/threads/${thread.id}`
      assertProblem(yield* freya.post(`${path}/replies`, { body: "verboten" }), ...block("body"))
      assertProblem(yield* freya.patch(path, { title: "Verboten" }), ...block("title"))
      assertProblem(yield* freya.patch(path, { body: "verboten" }), ...block("body"))
      assertProblem(yield* freya.patch(`/posts/${thread.id}`, { body: "verboten" }), ...block("body"))
      const answer = yield* reply(freya, thread.id, "fine")
      assertProblem(yield* freya.patch(`/posts/${answer.id}`, { body: "verboten" }), ...block("body"))
      assert.strictEqual((yield* posts).length, before.length + 1)
      const read = ok(yield* guest.get(path))
      assert.deepStrictEqual([read.title, read.description], ["Fine", "fine"])
      assert.strictEqual(read.replies.replies[0].description, "fine")
    })
  )

  it.effect(
    "is refused of moderators and administrators too, unless they say which visibility a post has",
    () =>
      Effect.gen(function* () {
        const { freya, odin, tyr } = yield* Cast
        const thread = yield* open(freya, "Moderated")
        const answer = yield* reply(freya, thread.id, "fine")
        for (const person of [tyr, odin]) {
          assertProblem(
            yield* person.post("/threads", { title: "Verboten", visibility: "published" }),
            ...block("title")
          )
          assertProblem(yield* person.patch(`/posts/${answer.id}`, { body: "verboten" }), ...block("body"))
          assertProblem(
            yield* person.patch(`/threads/${thread.id}`, { body: "verboten", visibility: "published" }),
            ...block("body")
          )
        }
        const quoted = { body: "verboten, quoted", visibility: "published" }
        for (const id of [answer.id, thread.id]) {
          const changed = ok(yield* tyr.patch(`/posts/${id}`, quoted))
          assert.deepStrictEqual([changed.description, changed.visibility], [quoted.body, "published"])
        }
        assertProblem(yield* freya.patch(`/posts/${answer.id}`, quoted), Forbidden)
      })
  )

  it.effect("is allowed in a draft that is created, and refused when the draft is changed or published", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      for (const visibility of ["draft", "unlisted", "review"]) {
        const draft = yield* open(freya, `Verboten ${visibility}`, { visibility, body: "verboten" })
        const path = `/threads/${draft.id}`
        assert.strictEqual(draft.visibility, visibility)
        assertProblem(yield* freya.patch(path, { visibility: "published" }), ...block("title"))
        // What stays is looked at when it is published, not only what comes.
        assertProblem(
          yield* freya.patch(path, { title: "Better", visibility: "published" }),
          ...block("body")
        )
        assertProblem(
          yield* freya.patch(path, { body: "better", visibility: "published" }),
          ...block("title")
        )
        assertProblem(yield* freya.patch(path, { body: "still verboten" }), ...block("body"))
        ok(yield* freya.patch(path, { meta: { other: "fields" } }))
        const better = { title: "Better", body: "better", visibility: "published" }
        assert.strictEqual(ok(yield* freya.patch(path, better)).visibility, "published")
      }
      // A moderator publishes what they have read.
      const other = yield* open(freya, "Verboten", { visibility: "draft" })
      ok(yield* odin.patch(`/threads/${other.id}`, { visibility: "published" }))
    })
  )

  it.effect("that is added to the list changes nothing that is there, nor how it is read", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const thread = yield* open(freya, "Older", { body: "a harmless word" })
      yield* changeModeration({ word_block_list: ["Verboten", "two words", "harmless"] })
      assert.strictEqual(ok(yield* guest.get(`/threads/${thread.id}`)).visibility, "published")
      assert.strictEqual(ok(yield* freya.patch(`/threads/${thread.id}`, { title: "New" })).title, "New")
      assertProblem(yield* freya.patch(`/threads/${thread.id}`, { body: "a harmless one" }), ...block("body"))
      yield* changeModeration({ word_block_list: [] })
      ok(yield* freya.patch(`/threads/${thread.id}`, { body: "a harmless one" }))
    })
  )
})

layer(People.layer)("a reported word", (it) => {
  it.effect("holds a thread for review: only its author and moderators see it, and the log says why", () =>
    Effect.gen(function* () {
      yield* words
      yield* watchEvents
      const { freya, loki, tyr } = yield* Cast
      const body = `about <a href="sdr:profile/${loki.id}">loki</a>`
      const held = yield* open(freya, "Something Dubious", { body, tags: ["held"] })
      assert.strictEqual(held.visibility, "review")
      assert.deepStrictEqual(yield* newEvents, [
        { _tag: "PostHeldForReview", thread_id: held.id, reason: "word", word: "dubious" }
      ])
      assert.strictEqual((yield* guest.get(`/threads/${held.id}`)).status, 403)
      assert.deepStrictEqual(titlesOf(ok(yield* guest.get("/threads"))), [])
      for (const person of [freya, tyr]) ok(yield* person.get(`/threads/${held.id}`))
      yield* drainEvents
      assert.strictEqual(ok(yield* loki.get("/notifications")).results, 0)
      // Its author may publish it as it is; then it counts as read by a person.
      const published = ok(yield* freya.patch(`/threads/${held.id}`, { visibility: "published" }))
      assert.strictEqual(published.visibility, "published")
      assert.deepInclude(yield* newEvents, { _tag: "ThreadPublished", id: held.id })
      yield* drainEvents
      assert.strictEqual(ok(yield* loki.get("/notifications")).results, 1)
    })
  )

  it.effect(
    "holds a reply: nobody is told of it until it is published, and it is counted for who sees it",
    () =>
      Effect.gen(function* () {
        const { freya, loki, tyr } = yield* Cast
        const thread = yield* open(freya, "Asked")
        yield* newEvents
        for (const more of [{}, { reply_to: thread.id }]) {
          const held = yield* reply(loki, thread.id, "dubious", more)
          assert.strictEqual(held.visibility, "review")
          assert.deepStrictEqual(yield* newEvents, [
            {
              _tag: "PostHeldForReview",
              thread_id: thread.id,
              reply_id: held.id,
              reason: "word",
              word: "dubious"
            }
          ])
        }
        yield* drainEvents
        assert.strictEqual(ok(yield* freya.get("/notifications")).results, 0)
        for (const [person, count] of [
          [guest, 0],
          [freya, 0],
          [loki, 2],
          [tyr, 2]
        ] as const) {
          const read = ok(yield* person.get(`/threads/${thread.id}`))
          assert.strictEqual(read.reply_status.replies, count)
          assert.strictEqual(read.replies.replies.length, count)
        }
      })
  )

  it.effect("that an edit brings holds what was published, whatever visibility was asked for", () =>
    Effect.gen(function* () {
      const { freya, loki, tyr } = yield* Cast
      const thread = yield* open(freya, "Edited")
      const answer = yield* reply(loki, thread.id, "fine")
      yield* newEvents
      assert.strictEqual(
        ok(yield* loki.patch(`/posts/${answer.id}`, { body: "Dubious!" })).visibility,
        "review"
      )
      assert.deepStrictEqual(yield* newEvents, [
        { _tag: "ThreadReplyUpdated", thread_id: thread.id, reply_id: answer.id },
        { _tag: "ThreadReplyUnpublished", thread_id: thread.id, reply_id: answer.id },
        {
          _tag: "PostHeldForReview",
          thread_id: thread.id,
          reply_id: answer.id,
          reason: "word",
          word: "dubious"
        }
      ])
      const path = `/threads/${thread.id}`
      for (const [person, address, edit] of [
        [freya, path, { title: "Dubious" }],
        [freya, path, { title: "Dubious", visibility: "published" }],
        [tyr, path, { body: "dubious", visibility: "published" }],
        [freya, `/posts/${thread.id}`, { body: "dubious" }]
      ] as const) {
        ok(yield* tyr.patch(`/posts/${thread.id}`, { visibility: "published" }))
        assert.strictEqual(ok(yield* person.patch(address, edit)).visibility, "review", JSON.stringify(edit))
      }
      // What is held stays held under other edits, until somebody says otherwise.
      assert.strictEqual(ok(yield* freya.patch(path, { body: "fine" })).visibility, "review")
      assert.strictEqual(
        ok(yield* freya.patch(path, { title: "Fine", visibility: "published" })).visibility,
        "published"
      )
      const shown = { body: "dubious, quoted", visibility: "published" }
      assert.strictEqual(ok(yield* tyr.patch(`/posts/${answer.id}`, shown)).visibility, "published")
    })
  )

  it.effect("in a draft holds it when its author publishes it, not when a moderator does", () =>
    Effect.gen(function* () {
      const { freya, tyr } = yield* Cast
      for (const visibility of ["draft", "unlisted"]) {
        const draft = yield* open(freya, "Dubious draft", { visibility })
        assert.strictEqual(draft.visibility, visibility)
        yield* newEvents
        const path = `/threads/${draft.id}`
        assert.strictEqual(ok(yield* freya.patch(path, { visibility: "published" })).visibility, "review")
        assert.include(JSON.stringify(yield* newEvents), "PostHeldForReview")
        const other = yield* open(freya, "Dubious draft", { visibility })
        const byTyr = ok(yield* tyr.patch(`/threads/${other.id}`, { visibility: "published" }))
        assert.strictEqual(byTyr.visibility, "published")
      }
    })
  )

  it.effect("counts less than a blocked one", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const both = { title: "dubious", body: "dubious and verboten", visibility: "published" }
      assertProblem(yield* freya.post("/threads", both), ...block("body"))
    })
  )
})

layer(People.layer)("the limits of texts", (it) => {
  it.effect("are settings, in bytes of plain text", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const thread = yield* open(freya, "Limits", { body: "12345" })
      yield* changeModeration({ thread_body_length_max: 6, reply_body_length_max: 4 })
      const path = `/threads/${thread.id}`
      ok(yield* freya.patch(path, { body: "<p><b>äöü</b></p>" }))
      assertProblem(yield* freya.patch(path, { body: "äöü!" }), BodyTooLong, { maximum: 6, length: 7 })
      assertProblem(
        yield* freya.post("/threads", { title: "x", body: "1234567", visibility: "published" }),
        BodyTooLong,
        { maximum: 6, length: 7 }
      )
      const answer = yield* reply(freya, thread.id, "1234")
      assertProblem(yield* freya.post(`${path}/replies`, { body: "12345" }), BodyTooLong, {
        maximum: 4,
        length: 5
      })
      assertProblem(yield* freya.patch(`/posts/${answer.id}`, { body: "12345" }), BodyTooLong)
      const draft = yield* open(freya, "Draft", { body: "1234567", visibility: "draft" })
      assertProblem(yield* freya.patch(`/threads/${draft.id}`, { visibility: "published" }), BodyTooLong)
      yield* changeModeration({ thread_body_length_max: 7 })
      ok(yield* freya.patch(`/threads/${draft.id}`, { visibility: "published" }))
    })
  )

  it.effect("do not let pass what says the same over and over without review", () =>
    Effect.gen(function* () {
      yield* changeModeration({ thread_body_length_max: 512 * 1024 })
      yield* watchEvents
      const { freya } = yield* Cast
      const held = yield* open(freya, "Again", { body: "and again ".repeat(20_000) })
      assert.strictEqual(held.visibility, "review")
      assert.deepStrictEqual(yield* newEvents, [
        { _tag: "PostHeldForReview", thread_id: held.id, reason: "repetition" }
      ])
    })
  )
})
