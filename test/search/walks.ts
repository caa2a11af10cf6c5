import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { ok } from "../support/answers.ts"
import { open, reply } from "../support/discussion.ts"
import { Cast, guest } from "../support/people.ts"
import type { Walks } from "../support/walks.ts"

export const operations = ["DatagraphSearch"]

export const walks: Walks = Effect.gen(function* () {
  const { freya, odin } = yield* Cast
  const { id } = yield* open(freya, "first")
  for (let n = 0; n < 120; n++) {
    if (n % 7 === 0) yield* TestClock.adjust("1 second")
    const long = n % 50 === 1 ? '"'.repeat(55_000) : ""
    if (n % 2 === 0)
      yield* open(freya, n % 3 === 0 ? "common" : `${n}`, { body: "common ".repeat((n % 5) + 1) + long })
    else yield* reply(freya, id, "common")
  }
  const remove = Effect.fnUntraced(function* (post: string) {
    const answer = yield* odin.delete(`/threads/${post}`)
    return answer.status === 404 ? ok(yield* odin.delete(`/posts/${post}`)) : ok(answer)
  })
  const list = { operation: "DatagraphSearch", viewer: guest, rows: "items", remove, idOf: idOfItem }
  return [
    { ...list, path: "/datagraph?q=common&kind=post", narrowed: "/datagraph?q=common" },
    {
      ...list,
      when: "without a text",
      path: "/datagraph?kind=reply&kind=thread",
      narrowed: "/datagraph?kind=reply"
    }
  ]
})

const idOfItem = ({ ref }: { readonly ref: { readonly id: string } }) => ref.id
