/** The problems of requests that fail before, or apart from, the rules of the domain. */
import { Schema } from "effect"
import { Problem } from "../../domain/shared/Problem.ts"

export const Issue = Schema.Struct({
  in: Schema.Literals(["path", "query", "header", "body"]).annotate({
    description: "Which part of the request"
  }),
  path: Schema.String.annotate({
    description: "Where in it, as `a.b.0`; empty for the whole",
    examples: ["title"]
  }),
  message: Schema.String.annotate({ description: "The rule that is broken" })
}).annotate({ identifier: "Issue", description: "A rule that the request breaks, and where" })
export type Issue = typeof Issue.Type

export class InvalidRequest extends Problem<InvalidRequest>()("InvalidRequest", {
  status: 400,
  title: "The request is not valid",
  explanation:
    "A parameter or a field of the body is missing, malformed or out of range. Each issue names the place and the rule. At most 50 are named; `more` counts the others.",
  metadata: {
    issues: Schema.Array(Issue),
    more: Schema.optionalKey(Schema.Int).annotateKey({
      description: "How many further issues there are; absent if there are none"
    })
  }
}) {}

export class CrossSiteRequest extends Problem<CrossSiteRequest>()("CrossSiteRequest", {
  status: 403,
  title: "Requests from this site are not allowed",
  explanation:
    "A browser sent the request from a page of another origin, which may not change anything here. Requests of other programs are not affected."
}) {}

export class RateLimitExceeded extends Problem<RateLimitExceeded>()("RateLimitExceeded", {
  status: 429,
  title: "Too many requests",
  explanation:
    "The network of the client has used up what it may use in a period. The request changed nothing, but counts. Every answer says in `X-RateLimit-Remaining` how much is left. Repeat the request after `resets_at`, which `Retry-After` and `X-RateLimit-Reset` have as a date.",
  metadata: {
    limit: Schema.Int.annotate({ description: "How many units there are in a period" }),
    retry_after: Schema.Int.annotate({ description: "Seconds to wait" }),
    resets_at: Schema.String.annotate({ format: "date-time" })
  }
}) {}

export class NotFound extends Problem<NotFound>()("NotFound", {
  status: 404,
  title: "There is nothing at this address",
  explanation: "No operation has this path. The reference under `/api/docs` lists all operations."
}) {}

export class MethodNotAllowed extends Problem<MethodNotAllowed>()("MethodNotAllowed", {
  status: 405,
  title: "This address does not support this method",
  explanation: "The path supports the methods in the header `Allow`.",
  metadata: { allow: Schema.Array(Schema.String) }
}) {}

export class PayloadTooLarge extends Problem<PayloadTooLarge>()("PayloadTooLarge", {
  status: 413,
  title: "The request body is too large",
  explanation:
    "The operation takes bodies of at most `maximum` bytes; the description of the API has it as `x-max-body`.",
  metadata: { maximum: Schema.Int }
}) {}

export class UnsupportedMediaType extends Problem<UnsupportedMediaType>()("UnsupportedMediaType", {
  status: 415,
  title: "The operation does not take this kind of body",
  explanation: "Send JSON with `Content-Type: application/json`, unless the reference says otherwise.",
  metadata: { content_type: Schema.String }
}) {}

export class ContentEncodingUnsupported extends Problem<ContentEncodingUnsupported>()(
  "ContentEncodingUnsupported",
  {
    status: 415,
    title: "Compressed request bodies are not supported",
    explanation: "Send the body as it is, without `Content-Encoding`.",
    metadata: { content_encoding: Schema.String }
  }
) {}

export class ExpectationFailed extends Problem<ExpectationFailed>()("ExpectationFailed", {
  status: 417,
  title: "The service cannot do what the request expects",
  explanation: "`Expect` may say `100-continue` only."
}) {}

export class MethodUnknown extends Problem<MethodUnknown>()("MethodUnknown", {
  status: 501,
  title: "The service does not know this method",
  explanation: "No address supports this method. The connection was closed."
}) {}

export class UnreadableRequest extends Problem<UnreadableRequest>()("UnreadableRequest", {
  status: 400,
  title: "The request is not valid HTTP",
  explanation:
    "The bytes on the connection could not be parsed as an HTTP/1.1 request, or the request has no `Host`, several or an invalid one. The connection was closed."
}) {}

export class RequestTooSlow extends Problem<RequestTooSlow>()("RequestTooSlow", {
  status: 408,
  title: "The request did not arrive in time",
  explanation:
    "Headers may take 10 seconds to arrive, a body 25, or 25 for each mebibyte of a larger one, and no pause between its parts may take 10. A service that is short of memory for bodies ends those that take longer than 5, and one that receives as many uploads as it can ends the slowest when others wait. The connection was closed."
}) {}

export class BodyFragmented extends Problem<BodyFragmented>()("BodyFragmented", {
  status: 400,
  title: "The request body arrives in too many small parts",
  explanation:
    "A body may arrive in 4,096 parts (chunks or packets), and in one more for every 64 bytes of it. Write it in larger parts, of a kilobyte or more. The connection was closed."
}) {}

export class HeadersTooLarge extends Problem<HeadersTooLarge>()("HeadersTooLarge", {
  status: 431,
  title: "The headers of the request are too large",
  explanation: "The address and the headers may have 16 KiB together. The connection was closed."
}) {}

export class InternalError extends Problem<InternalError>()("InternalError", {
  status: 500,
  title: "The service failed unexpectedly",
  explanation: "The log of the service has the failure under the trace id. The request changed nothing."
}) {}

export class DeadlineExceeded extends Problem<DeadlineExceeded>()("DeadlineExceeded", {
  status: 503,
  title: "The request took too long and was cancelled",
  explanation: "The request changed nothing. Repeat it after the seconds in `Retry-After`.",
  metadata: { retry_after: Schema.Int }
}) {}

export class ServiceBusy extends Problem<ServiceBusy>()("ServiceBusy", {
  status: 503,
  title: "The service has too much to do",
  explanation:
    "Too many requests of this kind, or of this client, are running or waiting, or the service is short of time or memory. The request changed nothing. Repeat it after the seconds in `Retry-After`.",
  metadata: { retry_after: Schema.Int }
}) {}

export class ShuttingDown extends Problem<ShuttingDown>()("ShuttingDown", {
  status: 503,
  title: "The service is starting or shutting down",
  explanation: "Repeat the request after the seconds in `Retry-After`.",
  metadata: { retry_after: Schema.Int }
}) {}

export class CapacityExceeded extends Problem<CapacityExceeded>()("CapacityExceeded", {
  status: 503,
  title: "The service has no room for this request right now",
  explanation:
    "The service holds as many connections, request bodies or responses that wait to be received as it can. Repeat the request after the seconds in `Retry-After`.",
  metadata: {
    retry_after: Schema.Int,
    exceeded: Schema.Literals(["connections", "bodies", "responses"]).annotate({
      description: "What there is too much of"
    })
  }
}) {}

/** The problems of requests that reach no operation, which no operation therefore declares. */
export const unrouted = [
  NotFound,
  MethodNotAllowed,
  UnreadableRequest,
  RequestTooSlow,
  BodyFragmented,
  HeadersTooLarge,
  ContentEncodingUnsupported,
  ExpectationFailed,
  MethodUnknown,
  CapacityExceeded
] as const
