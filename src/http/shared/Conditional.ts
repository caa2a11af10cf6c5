/** Declares answers that a client may keep and ask about again (RFC 9110, 13). The entity tag is the only validator. */
import { Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"

/** Request headers of a conditional operation. */
export const conditionalHeaders = {
  "if-none-match": Schema.optionalKey(
    Schema.String.annotate({
      description: "The `ETag` of an earlier answer; 304 without a body if it still holds"
    })
  )
}

const responseHeaders = {
  etag: Schema.String.annotate({ description: "Changes whenever the answer does" }),
  "cache-control": Schema.String
}

/** The answers of a conditional operation: what was asked for, or that it has not changed. */
export const conditional = <S extends Schema.Top>(schema: S) =>
  [
    HttpApiSchema.WithHeaders(schema, responseHeaders),
    HttpApiSchema.WithHeaders(HttpApiSchema.Empty(304), responseHeaders)
  ] as const
