import { Effect } from "effect"
import { LinkInvalid, LinkNotFound } from "../../src/domain/link/Link.ts"
import { Unauthenticated } from "../../src/domain/shared/Actor.ts"
import { page } from "../library/elsewhere.ts"
import { open } from "../support/discussion.ts"
import { Cast, guest } from "../support/people.ts"
import type { Scenarios } from "../support/scenarios.ts"

export const scenarios: Scenarios = Effect.gen(function* () {
  const { freya, loki, odin } = yield* Cast
  for (const n of [1, 2]) yield* open(loki, `${n}`, { url: "https://known.test/" })
  for (const n of [1, 2]) yield* page(odin, `${n}`, { url: "https://known.test/", tags: ["a"] })
  const known = { url: "https://known.test/" }
  const named = { url: "https://named.test/", title: "Named", description: "And described" }
  return [
    { operation: "LinkList", call: guest.get("/links"), expects: 200, statements: 2 },
    {
      operation: "LinkList",
      when: "searched",
      call: guest.get("/links?q=known"),
      expects: 200,
      statements: 2
    },
    { operation: "LinkList", when: "far", call: guest.get("/links?page=30"), expects: 200, statements: 2 },
    { operation: "LinkGet", call: freya.get("/links/Known-Test"), expects: 200, statements: 11 },
    { operation: "LinkGet", when: "unknown", call: freya.get("/links/nope"), expects: LinkNotFound },
    {
      operation: "LinkGet",
      when: "by a guest",
      call: guest.get("/links/known-test"),
      expects: Unauthenticated
    },
    {
      operation: "LinkCreate",
      when: "of an address that is a link",
      call: freya.post("/links", known),
      expects: 200,
      statements: 8
    },
    {
      operation: "LinkCreate",
      call: freya.post("/links", { url: "https://new.test/" }),
      expects: 200,
      statements: 8
    },
    {
      operation: "LinkCreate",
      when: "with a title",
      call: freya.post("/links", named),
      expects: 200,
      statements: 9
    },
    {
      operation: "LinkCreate",
      when: "of no address",
      call: freya.post("/links", { url: "nowhere" }),
      expects: LinkInvalid
    }
  ]
})
