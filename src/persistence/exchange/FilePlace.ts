import { Schema } from "effect"

/** Where a record says that a file is, which is replaced by its SHA-256. */
export const FilePlace = Schema.Struct({
  store: Schema.Literals(["disk", "s3"]),
  key: Schema.String.check(Schema.isPattern(/^[A-Za-z0-9-]{1,100}$/)),
  size: Schema.Int
})
export type FilePlace = typeof FilePlace.Type
