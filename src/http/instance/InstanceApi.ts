import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Info, SessionInfo } from "../../domain/instance/Info.ts"
import { Problem } from "../../domain/shared/Problem.ts"
import { anyone, everyone } from "../shared/Access.ts"
import { conditional, conditionalHeaders } from "../shared/Conditional.ts"
import { operation } from "../shared/Operation.ts"

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
  }).pipe(
    operation({
      id: "GetSpec",
      summary: "Read the description of the API",
      description: "This document, for programs. It is derived from the same definition as the server.",
      access: everyone
    })
  ),
  HttpApiEndpoint.get("reference", "/docs", {
    headers: conditionalHeaders,
    success: conditional(Reference)
  }).pipe(
    operation({
      id: "GetDocs",
      summary: "Open the interactive reference",
      description:
        "This document, for people. Operations can be tried out with the session of the same browser.",
      access: everyone
    })
  ),
  HttpApiEndpoint.get("listProblems", "/problems", { success: [ProblemListResult, Html] }).pipe(
    operation({
      id: "ProblemList",
      summary: "List the problems",
      description: "Everything that can go wrong, as JSON or, for browsers, as a page.",
      access: everyone
    })
  ),
  HttpApiEndpoint.get("getProblem", "/problems/:name", {
    params: {
      name: Schema.String.annotate({ description: "The name of the problem", examples: ["not-found"] })
    },
    success: [ProblemExplanation, Html],
    error: ProblemUnknown
  }).pipe(
    operation({
      id: "ProblemGet",
      summary: "Read what a problem means",
      description: "The address that answers carry in `type`, as JSON or, for browsers, as a page.",
      access: everyone
    })
  )
] as const

export class InstanceApi extends HttpApiGroup.make("instance")
  .add(
    HttpApiEndpoint.get("version", "/version", { success: Version }).pipe(
      operation({
        id: "GetVersion",
        summary: "Read the version of the service",
        description: "One line of plain text.",
        access: everyone
      })
    ),
    HttpApiEndpoint.get("info", "/info", { success: Info }).pipe(
      operation({
        id: "GetInfo",
        summary: "Read what the instance says of itself",
        description: "Its title and texts, how people register and sign in, and what is left to set up.",
        access: everyone
      })
    ),
    HttpApiEndpoint.get("session", "/session", {
      success: HttpApiSchema.WithHeaders(SessionInfo, { "cache-control": Schema.String })
    }).pipe(
      operation({
        id: "GetSession",
        summary: "Read the instance and, signed in, one's own account",
        description: "What a frontend needs when it starts. A guest's answer has no `account`.",
        access: anyone
      })
    ),
    HttpApiEndpoint.post("beacon", "/beacon", {
      payload: Text.annotate({ description: 'JSON text: `{"k": "thread", "id": "…"}`' }),
      success: HttpApiSchema.Empty(202)
    }).pipe(
      operation({
        id: "SendBeacon",
        summary: "Say that a thread has been read",
        description:
          "Never fails: what makes no sense, and what a guest sends, is accepted and changes nothing.",
        access: anyone,
        takesAnything: true
      })
    ),
    ...ownAddresses
  )
  .annotateMerge(
    OpenApi.annotations({ title: "instance", description: "The instance itself, and this description" })
  ) {}
