/** Turns failures of the places where files are kept into the problem that callers expect. */
import { Context, Effect, Predicate } from "effect"
import { AssetBytesUnavailable } from "../../domain/asset/Asset.ts"

const secondsToRetry = 5

/** A store of objects did not do what it was asked to. */
export class BucketRefused extends Error {
  override readonly name = "BucketRefused"
  readonly status: number
  constructor(status: number, text: string) {
    const code = /<Code>([\w.-]{1,100})<\/Code>/.exec(text)?.[1]
    super(`The bucket answered ${status}${text === "" ? "" : `: ${code ?? text}`}`)
    this.status = status
  }
}

/** Is told why files cannot be read or written, which clients are not. By default, it logs that. */
export const FileFailures = Context.Reference<(cause: unknown) => Effect.Effect<void>>(
  "forum/persistence/FileFailures",
  { defaultValue: () => (cause) => Effect.logWarning("Files cannot be read or written", cause) }
)

/** Reports why a file cannot be read or written, and fails. */
export const unavailable = (cause: unknown): Effect.Effect<never, AssetBytesUnavailable> =>
  Effect.andThen(
    Effect.flatMap(FileFailures, (tell) => tell(cause)),
    Effect.fail(new AssetBytesUnavailable({ metadata: { retry_after: secondsToRetry } }))
  )

/** Runs work with files; its failure is reported, and becomes `AssetBytesUnavailable`. */
export const unavailableUnless = <A>(work: (signal: AbortSignal) => Promise<A>) =>
  Effect.catch(Effect.tryPromise(work), (error) => unavailable(error.cause))

/** Whether a failure says that there is no such file. */
export const isMissing = (error: unknown): boolean =>
  Predicate.hasProperty(error, "code") && error.code === "ENOENT"
