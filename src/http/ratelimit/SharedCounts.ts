/** What several instances count together. */
import { Context, type Effect, Schema } from "effect"
import type { BucketCount, Shape } from "./Window.ts"

/** The place where shared counts are kept does not answer. */
export class SharedCountsUnavailable extends Schema.TaggedError<SharedCountsUnavailable>()(
  "SharedCountsUnavailable",
  { reason: Schema.String }
) {}

/** What this instance has counted of a client since it told others last. */
export interface Counted {
  readonly client: string
  readonly shape: Shape
  readonly counts: ReadonlyArray<BucketCount>
}

export interface SharedCountsShape {
  /** Succeeds if the place of the counts answers. */
  readonly check: Effect.Effect<void, SharedCountsUnavailable>
  /** Adds counts, and answers those of all instances for each of the clients, in the same order. */
  readonly exchange: (
    counted: ReadonlyArray<Counted>
  ) => Effect.Effect<ReadonlyArray<ReadonlyArray<BucketCount>>, SharedCountsUnavailable>
}

/** The counts of all instances; undefined where each instance counts for itself. */
export const SharedCounts = Context.Reference<SharedCountsShape | undefined>("forum/http/SharedCounts", {
  defaultValue: () => undefined
})
