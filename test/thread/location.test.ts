/** `GET /posts/location` says where `GET` of the thread shows a reply, to whoever asks. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Forbidden } from "../../src/domain/shared/Actor.ts"
import { PostNotFound } from "../../src/domain/thread/Post.ts"
import { idsOf, ok } from "../support/answers.ts"
import { open, reply } from "../support/discussion.ts"
import * as People from "../support/people.ts"
import { Cast, guest, nobody, type Person } from "../support/people.ts"
import { assertInvalid, assertProblem } from "../support/problems.ts"

const times = (count: number) => Array.from({ length: count }, (_, n) => n)

const locate = (person: Person, id: string) => person.get(`/posts/location?id=${id}`)

/** Asserts for every reply of a thread that it is where the caller is told, and answers how many they are shown. */
const assertAgrees = Effect.fnUntraced(function* (
  person: Person,
  thread: { readonly id: string; readonly slug: string },
  replies: ReadonlyArray<string>
) {
  const shown = new Map<string, object>()
  let index = 0
  for (let page = 1; ; page++) {
    const read = ok(yield* person.get(`/threads/${thread.id}?page=${page}`)).replies
    for (const [position, id] of idsOf(read.replies).entries()) {
      shown.set(id, { slug: `${thread.slug}#${id}`, kind: "reply", index, page, position })
      index++
    }
    if (read.next_page === undefined) break
  }
  for (const id of replies) {
    const answer = yield* locate(person, id)
    const expected = shown.get(id)
    if (expected === undefined) assertProblem(answer, PostNotFound, { post_id: id })
    else assert.deepStrictEqual(ok(answer), expected, id)
  }
  return index
})

layer(People.layer)("the location of a post", (it) => {
  it.effect("of a thread is its slug; of a reply its number, page and position", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      const thread = yield* open(freya, "Found")
      const replies = idsOf(yield* Effect.forEach(times(52), (n) => reply(loki, thread.id, `${n}`)))
      assert.deepStrictEqual(ok(yield* locate(guest, thread.id)), { slug: thread.slug, kind: "thread" })
      assert.deepStrictEqual(ok(yield* locate(guest, replies[51] ?? "")), {
        slug: `${thread.slug}#${replies[51]}`,
        kind: "reply",
        index: 51,
        page: 2,
        position: 1
      })
      for (const person of [guest, freya]) {
        assert.strictEqual(
          yield* assertAgrees(person, thread, [...replies.slice(0, 3), ...replies.slice(48)]),
          52
        )
      }
    })
  )

  it.effect("counts only the replies that the caller is shown", () =>
    Effect.gen(function* () {
      const { freya, loki, odin, tyr } = yield* Cast
      const thread = yield* open(freya, "Gaps")
      const replies = idsOf(
        yield* Effect.forEach(times(14), (n) => reply(n % 2 === 0 ? loki : freya, thread.id, `${n}`))
      )
      for (const [n, visibility] of [
        [1, "review"],
        [2, "review"],
        [4, "draft"],
        [7, "unlisted"],
        [8, "review"]
      ] as const) {
        ok(yield* tyr.patch(`/posts/${replies[n]}`, { visibility }))
      }
      const people = [guest, freya, loki, tyr, odin]
      const counts = yield* Effect.forEach(people, (person) => assertAgrees(person, thread, replies))
      assert.deepStrictEqual(counts, [9, 10, 11, 14, 14])
      for (const n of [0, 5, 8]) ok(yield* odin.delete(`/posts/${replies[n]}`))
      const left = yield* Effect.forEach(people, (person) => assertAgrees(person, thread, replies))
      assert.deepStrictEqual(left, [7, 8, 8, 11, 11])
    })
  )

  it.effect("is on the page that long replies leave for it", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      const thread = yield* open(freya, "Heavy")
      const heavy = "<i></i>".repeat(17_000)
      const replies = idsOf(
        yield* Effect.forEach(times(20), (n) => reply(loki, thread.id, n === 3 ? heavy : `${n}`))
      )
      const size = ok(yield* guest.get(`/threads/${thread.id}`)).replies.page_size
      assert.isBelow(size, 20)
      yield* assertAgrees(guest, thread, replies)
    })
  )

  it.effect("of what is deleted, unknown or not to be read is not found", () =>
    Effect.gen(function* () {
      const { freya, loki, odin } = yield* Cast
      const thread = yield* open(freya, "Hidden")
      const answer = yield* reply(loki, thread.id, "in it")
      const deleted = yield* reply(loki, thread.id, "deleted")
      ok(yield* loki.delete(`/posts/${deleted.id}`))
      for (const id of [nobody, deleted.id]) {
        assertProblem(yield* locate(odin, id), PostNotFound, { post_id: id })
      }
      ok(yield* freya.patch(`/threads/${thread.id}`, { visibility: "draft" }))
      for (const id of [thread.id, answer.id]) {
        for (const person of [guest, loki]) assertProblem(yield* locate(person, id), PostNotFound)
        for (const person of [freya, odin]) ok(yield* locate(person, id))
      }
      ok(yield* freya.delete(`/threads/${thread.id}`))
      for (const id of [thread.id, answer.id]) assertProblem(yield* locate(odin, id), PostNotFound)
    })
  )

  it.effect("needs an id, and READ_PUBLISHED_THREADS", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const thread = yield* open(freya, "Plain")
      assertInvalid(yield* guest.get("/posts/location"), "query id")
      for (const id of ["", "short", thread.slug, `${nobody}x`, nobody.replace("0", "z")]) {
        assertInvalid(yield* locate(guest, encodeURIComponent(id)), "query id")
      }
      yield* sql`update roles set permissions = '{}' where name = 'Guest'`
      assertProblem(yield* locate(guest, thread.id), Forbidden, { permission: "READ_PUBLISHED_THREADS" })
      ok(yield* locate(freya, thread.id))
    })
  )
})
