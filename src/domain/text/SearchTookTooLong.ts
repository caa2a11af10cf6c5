import { Schema } from "effect"
import { Problem } from "../shared/Problem.ts"

/** Seconds that a search may take. */
export const searchSeconds = 2

export class SearchTookTooLong extends Problem<SearchTookTooLong>()("SearchTookTooLong", {
  status: 503,
  title: "The search took too long and was cancelled",
  explanation:
    "A search may take a few seconds. A longer text to search for is found faster, and so are fewer pages; or other searches kept the service busy, then repeat it after the seconds in `Retry-After`.",
  metadata: { maximum_seconds: Schema.Int, retry_after: Schema.Int }
}) {}
