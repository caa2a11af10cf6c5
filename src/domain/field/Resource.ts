import { Schema } from "effect"
import { JsonObject } from "./Json.ts"

/**
 * An instant as resources show it: RFC 3339 in UTC, to the millisecond. It stays
 * text because resources are read far more often than their instants are
 * compared; code that compares them has a `DateTime`.
 */
export const Timestamp = Schema.String.check(
  Schema.isPattern(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/u, { expected: "an instant in UTC" })
)
  .annotate({ format: "date-time" })
  .pipe(Schema.brand("Timestamp"))
export type Timestamp = typeof Timestamp.Type

/** The fields every stored resource has beside its id. */
export const resourceFields = {
  createdAt: Timestamp.annotateKey({ description: "When it was created" }),
  updatedAt: Timestamp.annotateKey({ description: "When it was last changed" }),
  deletedAt: Schema.optionalKey(Timestamp).annotateKey({ description: "When it was deleted, if it was" }),
  misc: JsonObject.annotateKey({ description: "Reserved; an empty object" })
}

/** `misc` of what may lack fields that did not fit into an answer. */
export const omittedMisc = JsonObject.annotateKey({
  description:
    "An empty object, or `omitted`: an array of the fields that this has and that did not fit into the answer, which lacks them. A list that is there and empty always means that there is nothing."
})
