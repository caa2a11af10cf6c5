/** Checks the collector that traces and logs go to. */
import { Effect } from "effect"
import { errorText, redacted } from "../../domain/operations/InternalErrorRules.ts"
import { addressOf } from "../../domain/settings/Deployment.ts"
import { Settings } from "../../layers/process/Settings.ts"
import { type Finding, ok, warn } from "./Finding.ts"

const patienceMillis = 5_000

/** Sends an empty list of traces, which a collector accepts. */
export const collectorFinding = Effect.gen(function* () {
  const { otlpUrl } = yield* Settings
  if (otlpUrl === undefined) return ok("collector", "None is set, so that logs go to standard output alone")
  return yield* Effect.tryPromise(async () => {
    const response = await fetch(`${addressOf(otlpUrl)}/v1/traces`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: '{"resourceSpans":[]}',
      signal: AbortSignal.timeout(patienceMillis)
    })
    if (!response.ok) throw new Error(`it answered ${response.status}`)
  }).pipe(
    Effect.as<Finding>(ok("collector", "Accepts traces")),
    Effect.catch((error) =>
      Effect.succeed<Finding>(
        warn(
          "collector",
          `Does not accept traces: ${redacted(errorText(error.cause))}`,
          "See whether it runs, and whether OTLP_URL is its address for OTLP over HTTP (often port 4318)."
        )
      )
    )
  )
})
