/** What several instances count together. */
import { Context, type Effect, Schema } from "effect"
import type { BucketCount, Shape } from "./Window.ts"

/** Where the counts are kept does not answer. */
export class SharedCountsUnavailable extends Schema.TaggedError<SharedCountsUnavailable>()(
  "SharedCountsUnavailable",
  { reason: Schema.String }
) {}

/** What this instance has counted of a client since it was asked last. */
export interface Counted {
  readonly client: string
  readonly shape: Shape
  readonly counts: ReadonlyArray<BucketCount>
}

export interface SharedCountsShape {
  /** Whether it answers. */
  readonly check: Effect.Effect<void, SharedCountsUnavailable>
  /** Adds counts, and answers those of all instances for each of the clients, in the same order. */
  readonly exchange: (
    counted: ReadonlyArray<Counted>
  ) => Effect.Effect<ReadonlyArray<ReadonlyArray<BucketCount>>, SharedCountsUnavailable>
}

/** Nothing where each instance counts for itself. */
export const SharedCounts = Context.Reference<SharedCountsShape | undefined>("forum/http/SharedCounts", {
  defaultValue: () => undefined
})
