/** What failures of places for files mean to callers. */
import { Effect, Predicate } from "effect"
import { AssetBytesUnavailable } from "../../domain/asset/Asset.ts"

const secondsToRetry = 5

/** Ends what cannot be read or written now; the log has the reason. */
export const unavailable = (cause: unknown): Effect.Effect<never, AssetBytesUnavailable> =>
  Effect.andThen(
    Effect.logWarning("Files cannot be read or written", cause),
    Effect.fail(new AssetBytesUnavailable({ metadata: { retry_after: secondsToRetry } }))
  )

/** Work with files. */
export const unavailableUnless = <A>(work: (signal: AbortSignal) => Promise<A>) =>
  Effect.catch(Effect.tryPromise(work), (error) => unavailable(error.cause))

/** Whether a failure says that there is no such file. */
export const isMissing = (error: unknown): boolean =>
  Predicate.hasProperty(error, "code") && error.code === "ENOENT"
