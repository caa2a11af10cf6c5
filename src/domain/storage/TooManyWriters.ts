import { Schema } from "effect"
import { Problem } from "../shared/Problem.ts"

export class TooManyWriters extends Problem<TooManyWriters>()("TooManyWriters", {
  status: 503,
  title: "Too many requests change the same right now",
  explanation:
    "Requests that change the same thread wait for each other, and so do those of one account; more than a few dozen are refused, and so is one that waits for seconds. Nothing of the request was kept; repeat it after the seconds in `Retry-After`.",
  metadata: { retry_after: Schema.Int }
}) {}
