import { Schema } from "effect"
import { Problem } from "../shared/Problem.ts"

export class StorageUnavailable extends Problem<StorageUnavailable>()("StorageUnavailable", {
  status: 503,
  title: "The service cannot reach its database right now",
  explanation:
    "The database is starting, restarting or overloaded. Nothing of the request was kept; repeat it after the seconds in `Retry-After`.",
  metadata: { retry_after: Schema.Int }
}) {}
