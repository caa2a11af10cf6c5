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
    "A parameter or a field of the body is missing, malformed or out of range. Each issue names the place and the rule.",
  metadata: { issues: Schema.Array(Issue) }
}) {}

export class CrossSiteRequest extends Problem<CrossSiteRequest>()("CrossSiteRequest", {
  status: 403,
  title: "Requests from this site are not allowed",
  explanation:
    "A browser sent the request from a page of another origin, which may not change anything here. Requests of other programs are not affected."
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
  explanation: "JSON may have 1 MiB, any other body 50 MiB.",
  metadata: { maximum: Schema.Int }
}) {}

export class UnsupportedMediaType extends Problem<UnsupportedMediaType>()("UnsupportedMediaType", {
  status: 415,
  title: "The operation does not take this kind of body",
  explanation: "Send JSON with `Content-Type: application/json`, unless the reference says otherwise.",
  metadata: { content_type: Schema.String }
}) {}

export class UnreadableRequest extends Problem<UnreadableRequest>()("UnreadableRequest", {
  status: 400,
  title: "The request is not valid HTTP",
  explanation:
    "The bytes on the connection could not be parsed as an HTTP/1.1 request. The connection was closed."
}) {}

export class RequestTooSlow extends Problem<RequestTooSlow>()("RequestTooSlow", {
  status: 408,
  title: "The request did not arrive in time",
  explanation: "Headers may take 20 seconds to arrive, a whole request 60. The connection was closed."
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

export class ShuttingDown extends Problem<ShuttingDown>()("ShuttingDown", {
  status: 503,
  title: "The service is starting or shutting down",
  explanation: "Repeat the request after the seconds in `Retry-After`.",
  metadata: { retry_after: Schema.Int }
}) {}

/** The problems of requests that reach no operation, which no operation therefore declares. */
export const unrouted = [
  NotFound,
  MethodNotAllowed,
  UnreadableRequest,
  RequestTooSlow,
  HeadersTooLarge
] as const
