/** The place of uploaded files. */
import { existsSync } from "node:fs"
import { Effect } from "effect"
import { checkFiles } from "../../layers/StartChecks.ts"
import { AssetFiles } from "../../persistence/asset/AssetFiles.ts"
import { reasonOf } from "../OperatorFailure.ts"
import { type Finding, fail, ok } from "./Finding.ts"

const name = "files"

/** Makes no directory: one that root made could be closed to the service. */
export const filesFinding = Effect.gen(function* () {
  const { bucket, directory } = yield* AssetFiles
  if (bucket === undefined && !existsSync(directory)) return ok(name, "There are none yet")
  const store = yield* checkFiles
  return ok(name, `Can be written to ${store === "disk" ? directory : "the bucket"} and read`)
}).pipe(
  Effect.catchCause((cause) =>
    Effect.succeed<Finding>(
      fail(
        name,
        `Cannot be stored: ${reasonOf(cause)}`,
        "See whether the user of the service may write there."
      )
    )
  )
)
