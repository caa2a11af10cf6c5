/** Checks whether instances can count together. */
import { Effect } from "effect"
import { SharedCounts } from "../../http/ratelimit/SharedCounts.ts"
import { fail, ok } from "./Finding.ts"

const name = "redis"

export const redisFinding = Effect.gen(function* () {
  const shared = yield* SharedCounts
  if (shared === undefined) return ok(name, "None is set: each instance counts requests for itself")
  return yield* shared.check.pipe(
    Effect.as(ok(name, "It answers")),
    Effect.catchTag("SharedCountsUnavailable", ({ reason }) =>
      Effect.succeed(
        fail(
          name,
          `It does not answer as it should: ${reason}`,
          "See whether the server runs, and whether REDIS_URL names it, its user and its password. Until then each instance counts requests for itself."
        )
      )
    )
  )
})
