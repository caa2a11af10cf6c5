/** Declares responses that a client may keep and ask about again (RFC 9110, 13). The entity tag is the only validator. */
import { Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"
import { CacheControl, ETag, IfNoneMatch } from "./Headers.ts"

/** Request headers of a conditional operation. */
export const conditionalHeaders = { "if-none-match": Schema.optionalKey(IfNoneMatch) }

const responseHeaders = { "cache-control": CacheControl, etag: ETag }

const NotModified = HttpApiSchema.Empty(304).annotate({
  description: "Nothing has changed since the response with the tag in `If-None-Match`"
})

/** The responses of a conditional operation: the resource, or that it has not changed. */
export const conditional = <S extends Schema.Top>(schema: S) =>
  [
    HttpApiSchema.WithHeaders(schema, responseHeaders),
    HttpApiSchema.WithHeaders(NotModified, responseHeaders)
  ] as const
