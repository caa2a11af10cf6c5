/** Replies that moderation held: those whom they concern are told when they can be read, once. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { ok } from "../support/answers.ts"
import { open, reply } from "../support/discussion.ts"
import * as People from "../support/people.ts"
import { Cast, drainEvents, type Person } from "../support/people.ts"
import { changeModeration } from "../support/settings.ts"

interface Shown {
  readonly event: string
  readonly created_at: string
  readonly source: { readonly handle: string }
  readonly item: { readonly ref: { readonly id: string } }
}

/** What a person is told of replies; staff are told of reports, too. */
const told = Effect.fnUntraced(function* (person: Person) {
  yield* drainEvents
  const notifications: ReadonlyArray<Shown> = ok(yield* person.get("/notifications")).notifications
  return notifications
    .filter(({ event }) => event.includes("reply"))
    .map(({ event, item, source }) => `${event} by ${source.handle} of ${item.ref.id}`)
})

const deleteAll = SqlClient.SqlClient.use((sql) => sql`delete from notifications`)

layer(People.layer)("a reply that is held", (it) => {
  it.effect(
    "is told when it is published, to the author of the thread and of the reply that it answers",
    () =>
      Effect.gen(function* () {
        yield* changeModeration({ word_report_list: ["dubious"] })
        const { freya, loki, odin, tyr } = yield* Cast
        const thread = yield* open(freya, "Held")
        const first = yield* reply(odin, thread.id, "fine")
        yield* drainEvents
        yield* deleteAll
        const held = yield* reply(loki, thread.id, "dubious", { reply_to: first.id })
        ok(yield* loki.patch(`/posts/${held.id}`, { body: "still dubious" }))
        for (const person of [freya, odin, loki]) assert.deepStrictEqual(yield* told(person), [])
        // Visible to more staff, and to nobody else.
        ok(yield* tyr.patch(`/posts/${held.id}`, { visibility: "unlisted" }))
        for (const person of [freya, odin, loki]) assert.deepStrictEqual(yield* told(person), [])
        yield* TestClock.adjust("1 second")
        for (const visibility of ["published", "published", "review", "published", "draft", "published"]) {
          const { updatedAt } = ok(yield* tyr.patch(`/posts/${held.id}`, { visibility }))
          assert.isString(updatedAt)
        }
        assert.deepStrictEqual(yield* told(freya), [`thread_reply by loki of ${thread.id}`])
        assert.deepStrictEqual(yield* told(odin), [`reply_to_reply by loki of ${held.id}`])
        for (const person of [loki, tyr]) assert.deepStrictEqual(yield* told(person), [])
        const [one] = ok(yield* freya.get("/notifications")).notifications
        assert.isAbove(Date.parse(one.created_at), Date.parse(held.createdAt))
      })
  )

  it.effect(
    "is told of as it is then: nobody of what was deleted, nor of their own, and of no reply that is gone",
    () =>
      Effect.gen(function* () {
        yield* changeModeration({ word_report_list: ["dubious"] })
        const { freya, loki, odin, tyr } = yield* Cast
        yield* deleteAll
        const thread = yield* open(freya, "Held")
        const own = yield* reply(freya, thread.id, "dubious")
        const gone = yield* reply(odin, thread.id, "fine")
        const deleted = yield* reply(loki, thread.id, "dubious")
        const answer = yield* reply(loki, thread.id, "dubious", { reply_to: gone.id })
        const opening = yield* reply(odin, thread.id, "dubious", { reply_to: thread.id })
        yield* drainEvents
        yield* deleteAll
        for (const { id } of [gone, deleted]) ok(yield* tyr.delete(`/posts/${id}`))
        for (const { id } of [own, answer, opening]) {
          ok(yield* tyr.patch(`/posts/${id}`, { visibility: "published" }))
        }
        assert.deepStrictEqual((yield* told(freya)).toSorted(), [
          `thread_reply by loki of ${thread.id}`,
          `thread_reply by odin of ${thread.id}`
        ])
        for (const person of [loki, odin]) assert.deepStrictEqual(yield* told(person), [])
      })
  )

  it.effect("is not told again of what was told before it was hidden, also by an edit that is held", () =>
    Effect.gen(function* () {
      yield* changeModeration({ word_report_list: ["dubious"] })
      const { freya, loki, tyr } = yield* Cast
      const thread = yield* open(freya, "Told")
      const answers = yield* Effect.forEach(["hidden", "edited"], (body) => reply(loki, thread.id, body))
      const [hidden, edited] = answers
      yield* drainEvents
      yield* deleteAll
      ok(yield* tyr.patch(`/posts/${hidden.id}`, { visibility: "review" }))
      ok(yield* loki.patch(`/posts/${edited.id}`, { body: "dubious" }))
      for (const { id } of answers) ok(yield* tyr.patch(`/posts/${id}`, { visibility: "published" }))
      assert.deepStrictEqual(yield* told(freya), [])
    })
  )
})
