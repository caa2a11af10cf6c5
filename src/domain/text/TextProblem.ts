import { Schema } from "effect"
import { Problem } from "../shared/Problem.ts"

export class MarkupTooComplex extends Problem<MarkupTooComplex>()("MarkupTooComplex", {
  status: 400,
  title: "The markup of the text is too complex",
  explanation:
    "Parsing is limited: `size` counts characters, of which there may be 655,360, `steps` the elements, attributes and words, again for each copy that HTML makes of elements which are not closed, and `depth` the open elements around one with attributes. Close elements where they end, or shorten the text.",
  metadata: { limit: Schema.Literals(["size", "steps", "depth"]), maximum: Schema.Int }
}) {}

export class SanitiserUnavailable extends Problem<SanitiserUnavailable>()("SanitiserUnavailable", {
  status: 503,
  title: "Long texts cannot be read right now",
  explanation:
    "Texts of more than 64 Ki characters, and shorter ones with complex markup, are read beside the other requests, a few at a time. Too many are waiting, or too many of this client (`busy`), or reading this one ended unexpectedly (`ended`). The request changed nothing. Repeat it after the seconds in `Retry-After`.",
  metadata: { reason: Schema.Literals(["busy", "ended"]), retry_after: Schema.Int }
}) {}

/** Seconds that a search may take. */
export const searchSeconds = 2

export class SearchTookTooLong extends Problem<SearchTookTooLong>()("SearchTookTooLong", {
  status: 503,
  title: "The search took too long and was cancelled",
  explanation:
    "A search may take a few seconds. A longer text to search for is found faster, and so are fewer pages; or other searches kept the service busy, then repeat it after the seconds in `Retry-After`.",
  metadata: { maximum_seconds: Schema.Int, retry_after: Schema.Int }
}) {}
