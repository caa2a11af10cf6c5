import { Effect } from "effect"
import { TagNotFound } from "../../src/domain/tag/TagDetail.ts"
import { page } from "../library/elsewhere.ts"
import { open } from "../support/discussion.ts"
import { Cast, guest } from "../support/people.ts"
import type { Scenarios } from "../support/scenarios.ts"

export const scenarios: Scenarios = Effect.gen(function* () {
  const { freya, odin } = yield* Cast
  yield* open(freya, "Thread", { tags: ["editors", "tools"] })
  for (const n of [1, 2]) yield* page(odin, `${n}`, { tags: ["editors", "tools"] })
  return [
    { operation: "TagList", call: guest.get("/tags"), expects: 200, statements: 1 },
    {
      operation: "TagList",
      when: "a far page",
      call: guest.get("/tags?page=21"),
      expects: 200,
      statements: 1
    },
    {
      operation: "TagList",
      when: "with a text",
      call: guest.get("/tags?q=edit"),
      expects: 200,
      statements: 1
    },
    { operation: "TagGet", call: guest.get("/tags/editors"), expects: 200, statements: 12 },
    { operation: "TagGet", when: "unknown", call: guest.get("/tags/x"), expects: TagNotFound, statements: 2 }
  ]
})
