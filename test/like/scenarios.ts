import { Effect } from "effect"
import { AccountNotFound } from "../../src/domain/account/Account.ts"
import { PostNotFound } from "../../src/domain/thread/Post.ts"
import { ThreadHidden } from "../../src/domain/thread/Thread.ts"
import { open, reply } from "../support/discussion.ts"
import { Cast, guest, nobody } from "../support/people.ts"
import type { Scenarios } from "../support/scenarios.ts"

export const scenarios: Scenarios = Effect.gen(function* () {
  const { freya, loki } = yield* Cast
  const thread = yield* open(freya, "Thread")
  const answer = yield* reply(freya, thread.id, "Reply")
  const draft = yield* open(freya, "Draft", { visibility: "draft" })
  const likes = (post: { readonly id: string }) => `/likes/posts/${post.id}`
  return [
    { operation: "LikePostAdd", call: loki.put(likes(thread)), expects: 200, statements: 4 },
    { operation: "LikePostAdd", when: "again", call: loki.put(likes(thread)), expects: 200, statements: 3 },
    {
      operation: "LikePostAdd",
      when: "of a reply",
      call: loki.put(likes(answer)),
      expects: 200,
      statements: 5
    },
    {
      operation: "LikePostAdd",
      when: "of an unknown post",
      call: loki.put(likes({ id: nobody })),
      expects: PostNotFound,
      statements: 2
    },
    {
      operation: "LikePostAdd",
      when: "of another's draft",
      call: loki.put(likes(draft)),
      expects: ThreadHidden
    },
    { operation: "LikePostGet", call: guest.get(likes(thread)), expects: 200, statements: 3 },
    {
      operation: "LikePostGet",
      when: "by a member",
      call: freya.get(likes(thread)),
      expects: 200,
      statements: 2
    },
    {
      operation: "LikePostGet",
      when: "of an unknown post",
      call: guest.get(likes({ id: nobody })),
      expects: 200,
      statements: 2
    },
    {
      operation: "LikePostGet",
      when: "of no id",
      call: guest.get("/likes/posts/x"),
      expects: 200,
      statements: 1
    },
    {
      operation: "LikeProfileGet",
      call: guest.get("/likes/profiles/loki"),
      expects: 200,
      statements: 4
    },
    {
      operation: "LikeProfileGet",
      when: "by a member, without likes",
      call: freya.get(`/likes/profiles/${freya.id}?page=2`),
      expects: 200,
      statements: 3
    },
    {
      operation: "LikeProfileGet",
      when: "of nobody",
      call: guest.get("/likes/profiles/nobody"),
      expects: AccountNotFound,
      statements: 2
    },
    { operation: "LikePostRemove", call: loki.delete(likes(thread)), expects: 200, statements: 4 },
    {
      operation: "LikePostRemove",
      when: "again",
      call: loki.delete(likes(thread)),
      expects: 200,
      statements: 3
    },
    {
      operation: "LikePostRemove",
      when: "of an unknown post",
      call: loki.delete(likes({ id: nobody })),
      expects: PostNotFound
    }
  ]
})
