import { Schema } from "effect"

/** Why a measurement could not be made. */
export class BenchFailure extends Schema.TaggedError<BenchFailure>()("BenchFailure", {
  message: Schema.String
}) {}
