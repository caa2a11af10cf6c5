import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { ok } from "../support/answers.ts"
import { open, reply } from "../support/discussion.ts"
import { Cast, guest } from "../support/people.ts"
import type { Walks } from "../support/walks.ts"

export const operations = ["ThreadList", "ThreadGet"]

export const walks: Walks = Effect.gen(function* () {
  const { freya, loki, odin } = yield* Cast
  for (let n = 0; n < 150; n++) {
    if (n % 7 === 0) yield* TestClock.adjust("1 second")
    const long = n % 50 === 1 ? '"'.repeat(55_000) : ""
    const pinned = n % 20 === 0 ? { pinned: (n % 3) - 1 } : {}
    yield* open(n % 20 === 0 ? odin : freya, `t ${n}`, { body: `common ${long}`, tags: ["one"], ...pinned })
  }
  const discussed = yield* open(loki, "discussed")
  for (let n = 0; n < 105; n++) yield* reply(n % 2 === 0 ? freya : loki, discussed.id, `${n}`)
  const remove = (id: string) => Effect.map(odin.delete(`/threads/${id}`), ok)
  const list = { operation: "ThreadList", viewer: guest, rows: "threads", remove }
  return [
    // First, as rows are removed from the lists of threads.
    {
      operation: "ThreadGet",
      viewer: guest,
      path: `/threads/${discussed.id}`,
      page: ({ replies }) => replies,
      rows: "replies",
      narrowed: "/threads?ignore_pinned=true",
      remove: (id: string) => Effect.map(odin.delete(`/posts/${id}`), ok)
    },
    { ...list, path: "/threads", narrowed: "/threads?ignore_pinned=true" },
    {
      ...list,
      when: "by activity alone",
      viewer: loki,
      path: "/threads?ignore_pinned=true",
      narrowed: "/threads?ignore_pinned=false"
    },
    {
      ...list,
      when: "with a text",
      path: "/threads?q=common&categories=null",
      narrowed: "/threads?q=common&categories=other"
    }
  ]
})
