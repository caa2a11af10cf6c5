import { Schema } from "effect"
import { Problem } from "../shared/Problem.ts"

export class TooManyWriters extends Problem<TooManyWriters>()("TooManyWriters", {
  status: 503,
  title: "Too many requests change the same right now",
  explanation:
    "Requests that change the same thread wait for each other, and so do those of one account; more than a few dozen are refused, and so is one that waits for seconds. Nothing of the request was kept; repeat it after the seconds in `Retry-After`.",
  metadata: { retry_after: Schema.Int }
}) {}

export class StorageUnavailable extends Problem<StorageUnavailable>()("StorageUnavailable", {
  status: 503,
  title: "The service cannot reach its database right now",
  explanation:
    "The database is starting, restarting or overloaded. Nothing of the request was kept; repeat it after the seconds in `Retry-After`.",
  metadata: { retry_after: Schema.Int }
}) {}
