import { Effect } from "effect"
import { CategoryUnknown } from "../../src/domain/category/Category.ts"
import { NotYours, PostNotFound } from "../../src/domain/thread/Post.ts"
import { ReplyTargetUnknown } from "../../src/domain/thread/Reply.ts"
import { AuthorUnknown, ThreadNotFound } from "../../src/domain/thread/Thread.ts"
import { UnsupportedMediaType } from "../../src/http/contract/RequestProblems.ts"
import { idsOf } from "../support/answers.ts"
import { category, open, reply } from "../support/discussion.ts"
import { Cast, guest, nobody, query } from "../support/people.ts"
import type { Scenario, Scenarios } from "../support/scenarios.ts"

const text = { "content-type": "text/plain" }

const body = '<p>text <a href="https://a.test/">a</a> <a href="https://b.test/">b</a></p>'

/** A thread with a category, tags, links, a read mark and two pages of replies, and what else the calls need. */
const prepare = Effect.gen(function* () {
  const { freya, loki, odin } = yield* Cast
  const [place, other] = [yield* category(odin, "Place"), yield* category(odin, "Other")]
  const thread = yield* open(freya, "Thread", {
    category: place.id,
    tags: ["a", "b"],
    url: "https://c.test/",
    body: `${body}<a href="sdr:profile/${loki.id}">m</a>`
  })
  const replies = yield* Effect.forEach(Array.from({ length: 52 }), (_, n) =>
    reply(n % 2 === 0 ? loki : odin, thread.id, body, n === 51 ? { reply_to: thread.id } : {})
  )
  yield* open(loki, "Another", { tags: ["a"] })
  const signal = JSON.stringify({ k: "thread", id: thread.id })
  yield* freya.post("/beacon", signal, text)
  const spare = yield* open(freya, "Spare", { tags: ["a"], category: other.id })
  const { etag = "" } = (yield* freya.get(`/threads/${thread.id}`)).headers
  const [first = "", second = ""] = idsOf(replies)
  return { other, place, thread, first, second, spare, signal, etag }
})

type Prepared = Effect.Success<typeof prepare>

const reading = (
  { etag, first, thread }: Prepared,
  { freya, odin }: Cast["Service"]
): ReadonlyArray<Scenario> => {
  const path = `/threads/${thread.id}`
  const known = { headers: { "if-none-match": etag } }
  const everyFilter = query({
    page: "2",
    q: "text",
    author: "freya",
    tags: "x",
    categories: "place",
    visibility: "published"
  })
  return [
    { operation: "ThreadList", when: "by a guest", call: guest.get("/threads"), expects: 200, statements: 5 },
    {
      operation: "ThreadList",
      when: "by a member",
      call: freya.get("/threads"),
      expects: 200,
      statements: 2
    },
    {
      operation: "ThreadList",
      when: "by a moderator",
      call: odin.get("/threads"),
      expects: 200,
      statements: 2
    },
    {
      operation: "ThreadList",
      when: "with every filter",
      call: freya.get(`/threads${everyFilter}`),
      expects: 200,
      statements: 3
    },
    {
      operation: "ThreadList",
      when: "with empty filters",
      call: guest.get("/threads?page=2&tags=&visibility=published"),
      expects: 200
    },
    {
      operation: "ThreadList",
      when: "by an unknown author",
      call: guest.get("/threads?author=nobody"),
      expects: AuthorUnknown,
      statements: 2
    },
    { operation: "ThreadGet", when: "by a guest", call: guest.get(path), expects: 200, statements: 1 },
    {
      operation: "ThreadGet",
      when: "by a member, the second page",
      call: freya.get(`${path}?page=2`),
      expects: 200,
      statements: 4
    },
    {
      operation: "ThreadGet",
      when: "not changed",
      call: freya.get(path, known),
      expects: 304,
      statements: 1
    },
    {
      operation: "ThreadGet",
      when: "without an id",
      call: guest.get("/threads/none"),
      expects: ThreadNotFound,
      statements: 1
    },
    {
      operation: "ThreadGet",
      when: "unknown",
      call: guest.get(`/threads/${nobody}`),
      expects: ThreadNotFound
    },
    {
      operation: "PostLocationGet",
      when: "of a thread",
      call: guest.get(`/posts/location?id=${thread.id}`),
      expects: 200,
      statements: 2
    },
    {
      operation: "PostLocationGet",
      when: "of a reply",
      call: guest.get(`/posts/location?id=${first}`),
      expects: 200,
      statements: 3
    },
    {
      operation: "PostLocationGet",
      when: "unknown",
      call: guest.get(`/posts/location?id=${nobody}`),
      expects: PostNotFound,
      statements: 2
    }
  ]
}

const writingThreads = (
  { other, place, spare, thread }: Prepared,
  { freya, loki, odin }: Cast["Service"]
): ReadonlyArray<Scenario> => {
  const path = `/threads/${thread.id}`
  return [
    {
      operation: "ThreadCreate",
      when: "as a draft",
      call: freya.post("/threads", { title: "t" }),
      expects: 200,
      statements: 5
    },
    {
      operation: "ThreadCreate",
      when: "with every field",
      call: freya.post("/threads", {
        title: "t",
        visibility: "published",
        body,
        category: place.id,
        tags: ["a", "c"],
        url: "https://d.test/",
        meta: { nested: { deeply: [1, null] } }
      }),
      expects: 200,
      statements: 22
    },
    {
      operation: "ThreadCreate",
      when: "in an unknown category",
      call: freya.post("/threads", { title: "t", category: nobody }),
      expects: CategoryUnknown
    },
    {
      operation: "ThreadCreate",
      when: "with a body that is not JSON",
      call: freya.post("/threads", "x", text),
      expects: UnsupportedMediaType
    },
    {
      operation: "ThreadUpdate",
      call: freya.patch(path, { title: "u" }),
      expects: 200,
      statements: 11
    },
    {
      operation: "ThreadUpdate",
      when: "with every field",
      call: freya.patch(path, {
        body,
        category: other.id,
        tags: ["a", "d"],
        url: "https://e.test/",
        visibility: "published"
      }),
      expects: 200,
      statements: 27
    },
    { operation: "ThreadUpdate", when: "pinned", call: odin.patch(path, { pinned: 1 }), expects: 200 },
    {
      operation: "ThreadUpdate",
      when: "by another member",
      call: loki.patch(path, {}),
      expects: NotYours,
      statements: 2
    },
    {
      operation: "ThreadDelete",
      when: "by another member",
      call: loki.delete(`/threads/${spare.id}`),
      expects: NotYours
    },
    { operation: "ThreadDelete", call: freya.delete(`/threads/${spare.id}`), expects: 200, statements: 11 }
  ]
}

const writingPosts = (
  { first, second, signal, thread }: Prepared,
  { freya, loki, odin, tyr }: Cast["Service"]
): ReadonlyArray<Scenario> => {
  const path = `/threads/${thread.id}`
  return [
    {
      operation: "ReplyCreate",
      call: loki.post(`${path}/replies`, { body: "plain" }),
      expects: 200,
      statements: 2
    },
    {
      operation: "ReplyCreate",
      when: "with links, to another",
      call: loki.post(`${path}/replies`, { body, reply_to: first }),
      expects: 200,
      statements: 9
    },
    {
      operation: "ReplyCreate",
      when: "to an unknown post",
      call: loki.post(`${path}/replies`, { body: "?", reply_to: nobody }),
      expects: ReplyTargetUnknown
    },
    {
      operation: "PostUpdate",
      call: loki.patch(`/posts/${first}`, { meta: {} }),
      expects: 200,
      statements: 7
    },
    {
      operation: "PostUpdate",
      when: "of the text",
      call: loki.patch(`/posts/${first}`, { body }),
      expects: 200,
      statements: 11
    },
    {
      operation: "PostUpdate",
      when: "of an opening post",
      call: freya.patch(`/posts/${thread.id}`, { body }),
      expects: 200,
      statements: 12
    },
    {
      operation: "PostUpdate",
      when: "of the visibility",
      call: tyr.patch(`/posts/${first}`, { visibility: "review" }),
      expects: 200
    },
    {
      operation: "PostUpdate",
      when: "unknown",
      call: freya.patch(`/posts/${nobody}`, {}),
      expects: PostNotFound
    },
    {
      operation: "PostDelete",
      when: "by another member",
      call: freya.delete(`/posts/${second}`),
      expects: NotYours
    },
    { operation: "PostDelete", call: odin.delete(`/posts/${second}`), expects: 200, statements: 7 },
    {
      operation: "PostDelete",
      when: "again",
      call: odin.delete(`/posts/${second}`),
      expects: PostNotFound,
      statements: 3
    },
    { operation: "SendBeacon", call: freya.post("/beacon", signal, text), expects: 202, statements: 2 },
    {
      operation: "SendBeacon",
      when: "without meaning",
      call: freya.post("/beacon", "x", text),
      expects: 202,
      statements: 1
    }
  ]
}

export const scenarios: Scenarios = Effect.gen(function* () {
  const [prepared, cast] = [yield* prepare, yield* Cast]
  return [...reading(prepared, cast), ...writingThreads(prepared, cast), ...writingPosts(prepared, cast)]
})
