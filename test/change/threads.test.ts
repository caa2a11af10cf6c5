/** What others are told of threads, replies and what people think of them. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { open, reply } from "../support/discussion.ts"
import * as People from "../support/people.ts"
import { Cast, drainEvents, type Person } from "../support/people.ts"
import { changeModeration } from "../support/settings.ts"
import { tells, told } from "./listening.ts"

const mention = (...people: ReadonlyArray<Person>) =>
  people.map(({ id }) => `<p><a href="sdr:profile/${id}">you</a></p>`).join("")

const thread = (what: string, id: string) => ({ event: `EventThread${what}`, id })

const replied = (what: string, thread_id: string, reply_id: string) => ({
  event: `EventThreadReply${what}`,
  thread_id,
  reply_id
})

const mentioned = (by: Person, kind: string, id: string, whom: Person) => ({
  event: "EventMemberMentioned",
  by: by.id,
  source: { kind, id },
  item: { kind: "profile", id: whom.id }
})

layer(People.layer)("a thread", (it) => {
  it.effect("is told of when it is opened as published, and not otherwise", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const { answer, changes } = yield* told(open(freya, "Open"))
      assert.deepStrictEqual(changes, [thread("Published", answer.id)])
      for (const visibility of ["draft", "unlisted", "review"]) {
        yield* tells(freya.post("/threads", { title: "Not yet", visibility }))
      }
      yield* tells(freya.post("/threads", { title: "Not said" }))
    })
  )

  it.effect("is told of when it is changed, and then of what its visibility became", () =>
    Effect.gen(function* () {
      const { freya, tyr } = yield* Cast
      const { id } = yield* open(freya, "Changing", { visibility: "draft" })
      const path = `/threads/${id}`
      yield* tells(freya.patch(path, { title: "Changed" }), thread("Updated", id))
      yield* tells(freya.patch(`/posts/${id}`, { body: "changed" }), thread("Updated", id))
      yield* tells(
        freya.patch(path, { visibility: "published" }),
        thread("Updated", id),
        thread("Published", id)
      )
      yield* tells(freya.patch(path, { visibility: "published" }), thread("Updated", id))
      for (const visibility of ["review", "unlisted", "draft"]) {
        yield* tells(tyr.patch(path, { visibility }), thread("Updated", id), thread("Unpublished", id))
      }
      yield* tells(freya.patch(path, {}))
      yield* tells(freya.get(path))
    })
  )

  it.effect("is told of when it is deleted, and its replies are not", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      const { id } = yield* open(freya, "Gone")
      yield* reply(loki, id, "gone with it")
      yield* tells(freya.delete(`/threads/${id}`), thread("Deleted", id))
    })
  )

  it.effect("that is held is told of as a report, and as published once it is", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      yield* changeModeration({ word_report_list: ["dubious"] })
      const { answer: held, changes } = yield* told(
        Effect.tap(open(freya, "A dubious thread", { body: mention(odin) }), drainEvents)
      )
      assert.strictEqual(held.visibility, "review")
      const { reports } = (yield* odin.get("/reports")).json
      assert.deepStrictEqual(changes, [
        { event: "EventReportCreated", id: reports[0].id, target: { kind: "thread", id: held.id } }
      ])
      yield* tells(
        odin.patch(`/threads/${held.id}`, { visibility: "published" }),
        thread("Updated", held.id),
        thread("Published", held.id),
        mentioned(freya, "thread", held.id, odin)
      )
      yield* changeModeration({ word_report_list: [] })
    })
  )
})

layer(People.layer)("a reply", (it) => {
  it.effect("is told of with who wrote it, and with what it answers", () =>
    Effect.gen(function* () {
      const { freya, loki, tyr } = yield* Cast
      const { id } = yield* open(freya, "Answered")
      const first = yield* told(reply(loki, id, "first"))
      const people = { thread_author_id: freya.id, reply_author_id: loki.id }
      assert.deepStrictEqual(first.changes, [{ ...replied("Created", id, first.answer.id), ...people }])
      const second = yield* told(reply(tyr, id, "second", { reply_to: first.answer.id }))
      assert.deepStrictEqual(second.changes, [
        {
          ...replied("Created", id, second.answer.id),
          thread_author_id: freya.id,
          reply_author_id: tyr.id,
          reply_to_author_id: loki.id,
          reply_to_target_id: first.answer.id
        }
      ])
      const third = yield* told(reply(loki, id, "third", { reply_to: id }))
      assert.deepStrictEqual(third.changes, [{ ...replied("Created", id, third.answer.id), ...people }])
    })
  )

  it.effect("is told of when it is changed, then of what its visibility became, and when it is deleted", () =>
    Effect.gen(function* () {
      const { freya, loki, tyr } = yield* Cast
      const { id: threadId } = yield* open(freya, "Changing replies")
      const { id } = yield* reply(loki, threadId, "changing")
      const path = `/posts/${id}`
      const as = (what: string) => replied(what, threadId, id)
      yield* tells(loki.patch(path, { body: "changed" }), as("Updated"))
      yield* tells(tyr.patch(path, { visibility: "draft" }), as("Updated"), as("Unpublished"))
      yield* tells(tyr.patch(path, { visibility: "published" }), as("Updated"), as("Published"))
      yield* tells(tyr.patch(path, { visibility: "published" }), as("Updated"))
      yield* tells(tyr.patch(path, { visibility: "review" }), as("Updated"), as("Unpublished"))
      yield* tells(tyr.delete(path), as("Deleted"))
    })
  )

  it.effect("that is held is told of as a report, and as published once it is", () =>
    Effect.gen(function* () {
      const { freya, loki, odin } = yield* Cast
      yield* changeModeration({ word_report_list: ["dubious"] })
      const { id: threadId } = yield* open(freya, "With a held reply")
      const { answer: held, changes } = yield* told(
        Effect.tap(reply(loki, threadId, `dubious ${mention(freya)}`), drainEvents)
      )
      const { reports } = (yield* odin.get("/reports")).json
      assert.deepStrictEqual(changes, [
        { event: "EventReportCreated", id: reports[0].id, target: { kind: "reply", id: held.id } }
      ])
      yield* tells(
        odin.patch(`/posts/${held.id}`, { visibility: "published" }),
        replied("Updated", threadId, held.id),
        replied("Published", threadId, held.id),
        mentioned(loki, "reply", held.id, freya)
      )
      yield* changeModeration({ word_report_list: [] })
    })
  )
})

layer(People.layer)("a mention", (it) => {
  it.effect("is told of once for each account, and not of one's own", () =>
    Effect.gen(function* () {
      const { freya, loki, odin } = yield* Cast
      const opened = yield* told(open(freya, "Mentioning", { body: mention(loki, freya, odin, loki) }))
      const { id } = opened.answer
      assert.deepStrictEqual(opened.changes[0], thread("Published", id))
      assert.sameDeepMembers(opened.changes.slice(1), [
        mentioned(freya, "thread", id, loki),
        mentioned(freya, "thread", id, odin)
      ])
      yield* tells(freya.patch(`/threads/${id}`, { body: mention(loki) }), thread("Updated", id))
      const answered = yield* told(reply(loki, id, mention(freya, loki)))
      assert.deepStrictEqual(answered.changes.slice(1), [mentioned(loki, "reply", answered.answer.id, freya)])
    })
  )
})

layer(People.layer)("a post", (it) => {
  it.effect("is told of when somebody likes it or reacts to it, and takes that back", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      const { id: threadId } = yield* open(freya, "Liked")
      const answer = yield* reply(freya, threadId, "liked")
      for (const post_id of [threadId, answer.id]) {
        const post = (what: string) => ({ event: `EventPost${what}`, post_id, root_post_id: threadId })
        yield* tells(loki.put(`/likes/posts/${post_id}`), post("Liked"))
        yield* tells(loki.put(`/likes/posts/${post_id}`))
        yield* tells(loki.delete(`/likes/posts/${post_id}`), post("Unliked"))
        yield* tells(loki.delete(`/likes/posts/${post_id}`))
        const reacts = `/posts/${post_id}/reacts`
        const { id } = yield* tells(loki.put(reacts, { emoji: "👍" }), post("Reacted"))
        yield* tells(loki.put(reacts, { emoji: "👍" }))
        yield* tells(loki.delete(`${reacts}/${id}`), post("Unreacted"))
        yield* tells(loki.delete(`${reacts}/${id}`))
      }
    })
  )
})
