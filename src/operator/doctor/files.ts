/** Checks the place of uploaded files. */
import { existsSync } from "node:fs"
import { Cause, Effect } from "effect"
import { checkFiles } from "../../layers/process/StartChecks.ts"
import { AssetFiles, type Bucket } from "../../persistence/asset/AssetFiles.ts"
import { BucketRefused, FileFailures } from "../../persistence/asset/FileErrors.ts"
import { reasonOf } from "../OperatorFailure.ts"
import { type Finding, fail, ok } from "./Finding.ts"

const name = "files"

/** What to do when files cannot be stored. */
export const todoOf = (failure: unknown, bucket: Bucket | undefined): string => {
  if (bucket === undefined) return "See whether the user of the service may write there."
  if (!(failure instanceof BucketRefused)) {
    return `See whether ${bucket.endpoint.origin} (S3_ENDPOINT) can be reached from here.`
  }
  if (failure.status === 404) return `Create the bucket ${bucket.bucket}, or correct S3_BUCKET.`
  return failure.status === 401 || failure.status === 403
    ? "See whether S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY are right, and may read, write and delete in the bucket."
    : "See whether S3_ENDPOINT, S3_BUCKET and S3_REGION are those of the bucket."
}

/** Whether uploaded files can be stored. Makes no directory, as one that root made could be closed to the service. */
export const filesFinding = Effect.gen(function* () {
  const { bucket, directory } = yield* AssetFiles
  if (bucket === undefined && !existsSync(directory)) return ok(name, "There are none yet")
  const failures: Array<unknown> = []
  const remember = (failure: unknown) => Effect.sync(() => void failures.push(failure))
  return yield* checkFiles.pipe(
    Effect.map(
      (store): Finding =>
        ok(name, `Can be written to ${store === "disk" ? directory : "the bucket"} and read`)
    ),
    Effect.catchCause((cause) => {
      // What clients are told says nothing of the reason.
      const [first] = failures
      const reason = reasonOf(first === undefined ? cause : Cause.fail(first))
      return Effect.succeed(fail(name, `Cannot be stored: ${reason}`, todoOf(first, bucket)))
    }),
    Effect.provideService(FileFailures, remember)
  )
})
