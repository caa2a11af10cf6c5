import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Info, SessionInfo } from "../../domain/instance/Info.ts"
import { Problem } from "../../domain/shared/Problem.ts"
import { Authentication, anyone } from "../shared/Authentication.ts"
import { conditional, conditionalHeaders } from "../shared/Conditional.ts"
import { operation, takesAnything } from "../shared/Operation.ts"

const Text = Schema.String.pipe(HttpApiSchema.asText())
const Html = Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/html" }))

const Version = Text.annotate({ description: "The version, as in the description's `info.version`" })

const Description = Schema.Record(Schema.String, Schema.Json)
  .annotate({ description: "An OpenAPI 3.1 document" })
  .pipe(HttpApiSchema.asJson({ contentType: "application/vnd.oai.openapi+json;version=3.1.0" }))

const Reference = Html.annotate({ description: "A page with everything in it" })

/** What a problem means, wherever it occurs. */
export const ProblemExplanation = Schema.Struct({
  name: Schema.String.annotate({ description: "The last part of its address" }),
  type: Schema.String.annotate({ description: "Its address, as in the `type` of an answer" }),
  status: Schema.Int,
  title: Schema.String.annotate({ description: "A sentence for people" }),
  explanation: Schema.String.annotate({ description: "When it occurs, and what to do about it" })
}).annotate({ identifier: "ProblemExplanation", description: "What a problem means, wherever it occurs" })

const ProblemListResult = Schema.Struct({ problems: Schema.Array(ProblemExplanation) }).annotate({
  identifier: "ProblemListResult",
  description: "Every problem that the service can answer with, by name"
})

export class ProblemUnknown extends Problem<ProblemUnknown>()("ProblemUnknown", {
  status: 404,
  title: "There is no such problem",
  explanation: "No problem of this API has the name in the path.",
  metadata: { name: Schema.String }
}) {}

const ownAddresses = [
  HttpApiEndpoint.get("description", "/openapi.json", {
    headers: conditionalHeaders,
    success: conditional(Description)
  })
    .annotateMerge(
      operation(
        "GetSpec",
        "Read the description of the API",
        "This document, for programs. It is derived from the same definition as the server."
      )
    )
    .annotateMerge(anyone),
  HttpApiEndpoint.get("reference", "/docs", {
    headers: conditionalHeaders,
    success: conditional(Reference)
  })
    .annotateMerge(
      operation(
        "GetDocs",
        "Open the interactive reference",
        "This document, for people. Operations can be tried out with the session of the same browser."
      )
    )
    .annotateMerge(anyone),
  HttpApiEndpoint.get("listProblems", "/problems", { success: [ProblemListResult, Html] })
    .annotateMerge(
      operation(
        "ProblemList",
        "List the problems",
        "Everything that can go wrong, as JSON or, for browsers, as a page."
      )
    )
    .annotateMerge(anyone),
  HttpApiEndpoint.get("getProblem", "/problems/:name", {
    params: {
      name: Schema.String.annotate({ description: "The name of the problem", examples: ["not-found"] })
    },
    success: [ProblemExplanation, Html],
    error: ProblemUnknown
  })
    .annotateMerge(
      operation(
        "ProblemGet",
        "Read what a problem means",
        "The address that answers carry in `type`, as JSON or, for browsers, as a page."
      )
    )
    .annotateMerge(anyone)
] as const

export class InstanceApi extends HttpApiGroup.make("misc")
  .add(
    HttpApiEndpoint.get("version", "/version", { success: Version })
      .annotateMerge(operation("GetVersion", "Read the version of the service", "One line of plain text."))
      .annotateMerge(anyone),
    HttpApiEndpoint.get("info", "/info", { success: Info })
      .annotateMerge(
        operation(
          "GetInfo",
          "Read what the instance says of itself",
          "Its title and texts, how people register and sign in, and what is left to set up."
        )
      )
      .annotateMerge(anyone),
    HttpApiEndpoint.get("session", "/session", {
      success: HttpApiSchema.WithHeaders(SessionInfo, { "cache-control": Schema.String })
    })
      .annotateMerge(
        operation(
          "GetSession",
          "Read the instance and, signed in, one's own account",
          "What a frontend needs when it starts. A guest's answer has no `account`."
        )
      )
      .annotateMerge(anyone),
    HttpApiEndpoint.post("beacon", "/beacon", {
      payload: Text.annotate({ description: 'JSON text: `{"k": "thread", "id": "…"}`' }),
      success: HttpApiSchema.Empty(202)
    })
      .annotateMerge(
        operation(
          "SendBeacon",
          "Say that a thread has been read",
          "Never fails: what makes no sense, and what a guest sends, is accepted and changes nothing."
        )
      )
      .annotateMerge(anyone)
      .annotateMerge(takesAnything),
    ...ownAddresses
  )
  .middleware(Authentication)
  .annotateMerge(
    OpenApi.annotations({ title: "misc", description: "The instance itself, and this description" })
  ) {}
