import { Schema } from "effect"
import { Problem } from "../shared/Problem.ts"

export class SanitiserUnavailable extends Problem<SanitiserUnavailable>()("SanitiserUnavailable", {
  status: 503,
  title: "Long texts cannot be read right now",
  explanation:
    "Texts of more than 64 Ki characters, and shorter ones with complex markup, are read beside the other requests, a few at a time. Too many are waiting, or too many of this client (`busy`), or reading this one ended unexpectedly (`ended`). The request changed nothing. Repeat it after the seconds in `Retry-After`.",
  metadata: { reason: Schema.Literals(["busy", "ended"]), retry_after: Schema.Int }
}) {}
