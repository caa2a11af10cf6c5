import { Effect } from "effect"
import { page } from "../library/elsewhere.ts"
import { category, open, reply } from "../support/discussion.ts"
import { Cast, guest, query } from "../support/people.ts"
import type { Scenarios } from "../support/scenarios.ts"

export const scenarios: Scenarios = Effect.gen(function* () {
  const { freya, loki, odin } = yield* Cast
  const place = yield* category(odin, "Place")
  const link = '<p>text <a href="https://a.test/">a</a></p>'
  const thread = yield* open(freya, "Text", { category: place.id, tags: ["a", "b"], body: link })
  const first = yield* reply(loki, thread.id, link)
  yield* reply(freya, thread.id, "text", { reply_to: first.id })
  for (const name of ["Text one", "Two"]) yield* page(odin, name, { tags: ["a", "b"], content: link })
  const everyFilter = query({
    q: "text",
    kind: ["thread", "reply", "node"],
    authors: ["freya", loki.id, "odin"],
    categories: "place",
    tags: ["a", "b"],
    page: "1"
  })
  return [
    {
      operation: "DatagraphSearch",
      when: "by a guest",
      call: guest.get("/datagraph"),
      expects: 200,
      statements: 13
    },
    {
      operation: "DatagraphSearch",
      when: "for a text",
      call: freya.get("/datagraph?q=text"),
      expects: 200,
      statements: 12
    },
    {
      operation: "DatagraphSearch",
      when: "with every filter",
      call: freya.get(`/datagraph${everyFilter}`),
      expects: 200,
      statements: 13
    },
    {
      operation: "DatagraphSearch",
      when: "for what nothing is called",
      call: guest.get("/datagraph?authors=nobody-at-all"),
      expects: 200,
      statements: 2
    },
    {
      operation: "DatagraphMatches",
      call: guest.get("/datagraph/matches?q=te"),
      expects: 200,
      statements: 3
    },
    {
      operation: "DatagraphMatches",
      when: "with nothing typed",
      call: guest.get("/datagraph/matches?q="),
      expects: 200,
      statements: 1
    }
  ]
})
