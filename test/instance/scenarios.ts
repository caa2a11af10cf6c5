import { Effect } from "effect"
import { ProblemUnknown } from "../../src/http/instance/InstanceApi.ts"
import { Cast, guest } from "../support/people.ts"
import type { Scenarios } from "../support/scenarios.ts"

export const scenarios: Scenarios = Effect.gen(function* () {
  const { freya } = yield* Cast
  const known = (path: string) =>
    Effect.map(guest.get(path), ({ headers: { etag = "" } }) => ({ headers: { "if-none-match": etag } }))
  const [spec, docs] = [yield* known("/openapi.json"), yield* known("/docs")]
  return [
    { operation: "GetVersion", call: guest.get("/version"), expects: 200, statements: 0 },
    { operation: "GetInfo", call: guest.get("/info"), expects: 200, statements: 1 },
    { operation: "GetSession", when: "by a guest", call: guest.get("/session"), expects: 200, statements: 2 },
    {
      operation: "GetSession",
      when: "by an account",
      call: freya.get("/session"),
      expects: 200,
      statements: 5
    },
    { operation: "GetSpec", call: guest.get("/openapi.json"), expects: 200, statements: 0 },
    { operation: "GetSpec", when: "not changed", call: guest.get("/openapi.json", spec), expects: 304 },
    { operation: "GetDocs", call: guest.get("/docs"), expects: 200, statements: 0 },
    { operation: "GetDocs", when: "not changed", call: guest.get("/docs", docs), expects: 304 },
    { operation: "ProblemList", call: guest.get("/problems"), expects: 200, statements: 0 },
    { operation: "ProblemGet", call: guest.get("/problems/forbidden"), expects: 200, statements: 0 },
    { operation: "ProblemGet", when: "unknown", call: guest.get("/problems/nope"), expects: ProblemUnknown }
  ]
})
