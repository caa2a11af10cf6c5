import { Schema, SchemaTransformation } from "effect"
import { JsonObject } from "./Json.ts"

/** An instant in UTC; RFC 3339 on the wire, to the millisecond. */
export const Timestamp = Schema.String.annotate({ format: "date-time" }).pipe(
  Schema.decodeTo(Schema.DateTimeUtc, SchemaTransformation.dateTimeUtcFromString)
)

/** The fields every stored resource has beside its id. */
export const resourceFields = {
  createdAt: Timestamp.annotateKey({ description: "When it was made" }),
  updatedAt: Timestamp.annotateKey({ description: "When it was last changed" }),
  deletedAt: Schema.optionalKey(Timestamp).annotateKey({ description: "When it was deleted, if it was" }),
  misc: JsonObject.annotate({ description: "Reserved; an empty object" })
}
