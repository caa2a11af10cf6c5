/** Searches end in time. */
import { Duration, Effect } from "effect"
import { SearchTookTooLong, searchSeconds } from "../../domain/text/TextProblem.ts"

const tookTooLong = new SearchTookTooLong({
  metadata: { maximum_seconds: searchSeconds, retry_after: searchSeconds }
})

/** A search that ends in time; waiting for a connection counts, too. What is interrupted is cancelled in the database. */
export const withinSearchTime = <A, E, R>(search: Effect.Effect<A, E, R>) =>
  Effect.timeoutOrElse(search, {
    duration: Duration.seconds(searchSeconds),
    orElse: () => Effect.fail(tookTooLong)
  })
