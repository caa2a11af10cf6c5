import { Effect } from "effect"
import { EmojiInvalid, ReactionNotYours } from "../../src/domain/reaction/Reaction.ts"
import { PostNotFound } from "../../src/domain/thread/Post.ts"
import { ThreadHidden } from "../../src/domain/thread/Thread.ts"
import { ok } from "../support/answers.ts"
import { open, reply } from "../support/discussion.ts"
import { Cast, nobody } from "../support/people.ts"
import type { Scenarios } from "../support/scenarios.ts"

export const scenarios: Scenarios = Effect.gen(function* () {
  const { freya, loki, odin } = yield* Cast
  const thread = yield* open(freya, "Thread")
  const answer = yield* reply(freya, thread.id, "Reply")
  const draft = yield* open(freya, "Draft", { visibility: "draft" })
  const reacts = (post: { readonly id: string }) => `/posts/${post.id}/reacts`
  const react = (emoji: string) => Effect.map(loki.put(reacts(thread), { emoji }), ok)
  const [one, two] = [yield* react("🎉"), yield* react("🦋")]
  return [
    {
      operation: "PostReactAdd",
      call: loki.put(reacts(thread), { emoji: "👍" }),
      expects: 200,
      statements: 6
    },
    {
      operation: "PostReactAdd",
      when: "again",
      call: loki.put(reacts(thread), { emoji: "👍" }),
      expects: 200,
      statements: 4
    },
    {
      operation: "PostReactAdd",
      when: "to a reply",
      call: odin.put(reacts(answer), { emoji: "👍" }),
      expects: 200,
      statements: 8
    },
    {
      operation: "PostReactAdd",
      when: "with text",
      call: loki.put(reacts(thread), { emoji: ":)" }),
      expects: EmojiInvalid,
      statements: 1
    },
    {
      operation: "PostReactAdd",
      when: "to an unknown post",
      call: loki.put(reacts({ id: nobody }), { emoji: "👍" }),
      expects: PostNotFound
    },
    {
      operation: "PostReactAdd",
      when: "to a draft of another",
      call: loki.put(reacts(draft), { emoji: "👍" }),
      expects: ThreadHidden
    },
    {
      operation: "PostReactRemove",
      when: "of another account",
      call: freya.delete(`${reacts(thread)}/${one.id}`),
      expects: ReactionNotYours
    },
    {
      operation: "PostReactRemove",
      call: loki.delete(`${reacts(thread)}/${one.id}`),
      expects: 200,
      statements: 5
    },
    {
      operation: "PostReactRemove",
      when: "again",
      call: loki.delete(`${reacts(thread)}/${one.id}`),
      expects: 200,
      statements: 3
    },
    {
      operation: "PostReactRemove",
      when: "by an administrator",
      call: odin.delete(`${reacts(thread)}/${two.id}`),
      expects: 200
    },
    {
      operation: "PostReactRemove",
      when: "from an unknown post",
      call: loki.delete(`${reacts({ id: nobody })}/${two.id}`),
      expects: PostNotFound
    }
  ]
})
