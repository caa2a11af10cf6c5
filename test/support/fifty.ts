/** Fifty requests at the same moment, half of them to another instance over the same database. */
import { Effect } from "effect"
import { HttpClient } from "effect/http"
import type { Answer } from "./answers.ts"
import * as TestApp from "./TestApp.ts"

export const fifty = Effect.fnUntraced(function* <E, R>(request: (n: number) => Effect.Effect<Answer, E, R>) {
  const elsewhere = yield* TestApp.UncachedClient
  return yield* Effect.forEach(
    Array(50).keys(),
    (n) => (n % 2 === 0 ? request(n) : Effect.provideService(request(n), HttpClient.HttpClient, elsewhere)),
    { concurrency: "unbounded" }
  )
})
