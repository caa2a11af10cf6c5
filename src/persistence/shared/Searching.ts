/** The time limit of searches. */
import { Duration, Effect } from "effect"
import { SearchTookTooLong, searchSeconds } from "../../domain/text/TextProblem.ts"

/** The failure of a search, or of another read whose cost depends on what is asked for, that is not worth its time. */
export const tookTooLong = new SearchTookTooLong({
  metadata: { maximum_seconds: searchSeconds, retry_after: searchSeconds }
})

/**
 * Limits the time of a search, the wait for a connection included. A statement that is interrupted is cancelled in the
 * database.
 */
export const withinSearchTime = <A, E, R>(search: Effect.Effect<A, E, R>) =>
  Effect.timeoutOrElse(search, {
    duration: Duration.seconds(searchSeconds),
    orElse: () => Effect.fail(tookTooLong)
  })
