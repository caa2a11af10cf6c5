import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { withExample } from "../../domain/field/Example.ts"
import * as Text from "../../domain/field/Text.ts"
import { Info, SessionInfo } from "../../domain/instance/Info.ts"
import { Forbidden } from "../../domain/shared/Actor.ts"
import { Problem } from "../../domain/shared/Problem.ts"
import { openingPost } from "../../domain/thread/ThreadExamples.ts"
import { anyone, everyone } from "../contract/AccessPolicies.ts"
import { conditional, conditionalHeaders } from "../contract/Conditional.ts"
import { CacheControl } from "../contract/Headers.ts"
import { operation } from "../contract/Operation.ts"

const PlainText = Schema.String.pipe(HttpApiSchema.asText())
const Html = Schema.String.annotate({ examples: ["<!doctype html>"] }).pipe(
  HttpApiSchema.asText({ contentType: "text/html" })
)

const Version = PlainText.annotate({ description: "The version, as in `info.version`", examples: ["0.1.0"] })

const Description = Schema.Record(Schema.String, Schema.Json)
  .annotate({
    description: "An OpenAPI 3.1 document",
    examples: [{ openapi: "3.1.0", info: { title: "Forum service", version: "0.1.0" } }]
  })
  .pipe(HttpApiSchema.asJson({ contentType: "application/vnd.oai.openapi+json;version=3.1.0" }))

const Reference = Html.annotate({ description: "A page that loads nothing else" })

/** The explanation of a problem. */
export const ProblemExplanation = Schema.Struct({
  name: Schema.String.annotate({ description: "The last part of its address" }),
  type: Schema.String.annotate({ description: "Its address, which is the `type` of a response" }),
  status: Schema.Int.annotate({ description: "The status of the response" }),
  title: Schema.String.annotate({ description: "The problem in a sentence, for people" }),
  explanation: Schema.String.annotate({ description: "When it occurs, and what to do about it" })
})
  .annotate({ identifier: "ProblemExplanation", description: "What a problem means" })
  .pipe(withExample(Forbidden.problemType))

const ProblemListResult = Schema.Struct({ problems: Schema.Array(ProblemExplanation) })
  .annotate({ identifier: "ProblemListResult", description: "All problems, by name" })
  .pipe(withExample({ problems: [Forbidden.problemType] }))

/** What a web page sends when its viewer has read something. */
export const Beacon = Schema.Struct({
  k: Schema.Literals(["post", "thread", "reply", "node", "collection", "profile", "event"]).annotate({
    description: "What was read; only `thread` has an effect"
  }),
  id: Schema.String.annotate({ description: "Its id" })
})
  .annotate({ identifier: "BeaconProps", description: "What was read" })
  .pipe(withExample({ k: "thread", id: openingPost.id }))

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
      cost: "quick",
      summary: "Read the description of the API",
      description: "This document, derived from the same definition as the server.",
      access: everyone
    })
  ),
  HttpApiEndpoint.get("reference", "/docs", {
    headers: conditionalHeaders,
    success: conditional(Reference)
  }).pipe(
    operation({
      id: "GetDocs",
      cost: "quick",
      summary: "Open the interactive reference",
      description:
        "This document as a page. Operations can be tried out with the session of the same browser.",
      access: everyone
    })
  ),
  HttpApiEndpoint.get("listProblems", "/problems", { success: [ProblemListResult, Html] }).pipe(
    operation({
      id: "ProblemList",
      cost: "quick",
      summary: "List the problems",
      description: "Every problem that the service can answer with, as JSON or, for browsers, as a page.",
      access: everyone
    })
  ),
  HttpApiEndpoint.get("getProblem", "/problems/:name", {
    params: {
      name: Text.mark({ description: "The name of the problem", examples: ["not-found"] })
    },
    success: [ProblemExplanation, Html],
    error: ProblemUnknown
  }).pipe(
    operation({
      id: "ProblemGet",
      cost: "quick",
      summary: "Read what a problem means",
      description: "The address in the `type` of a problem, as JSON or, for browsers, as a page.",
      access: everyone
    })
  )
] as const

export class InstanceApi extends HttpApiGroup.make("instance")
  .add(
    HttpApiEndpoint.get("version", "/version", { success: Version }).pipe(
      operation({
        id: "GetVersion",
        cost: "quick",
        summary: "Read the version of the service",
        description: "One line of plain text.",
        access: everyone
      })
    ),
    HttpApiEndpoint.get("info", "/info", { success: Info }).pipe(
      operation({
        id: "GetInfo",
        cost: "quick",
        summary: "Read the public settings of the instance",
        description: "Title and texts, how people sign up and in, and the next step of setting up.",
        access: everyone
      })
    ),
    HttpApiEndpoint.get("session", "/session", {
      success: HttpApiSchema.WithHeaders(SessionInfo, { "cache-control": CacheControl })
    }).pipe(
      operation({
        id: "GetSession",
        cost: "quick",
        summary: "Read the instance and your account",
        description: "What a frontend needs when it starts. There is no `account` without a session.",
        access: anyone
      })
    ),
    HttpApiEndpoint.post("beacon", "/beacon", {
      payload: Beacon,
      success: HttpApiSchema.Empty(202).annotate({ description: "Accepted; no content" })
    }).pipe(
      operation({
        id: "SendBeacon",
        cost: "write",
        maxBody: 4096,
        summary: "Mark a thread as read",
        description:
          "Never fails: a body that cannot be read, an unknown id and a request without a session are accepted and change nothing. The content type does not matter: `navigator.sendBeacon` sends the JSON as `text/plain`.",
        access: anyone,
        takesAnything: true
      })
    ),
    ...ownAddresses
  )
  .annotateMerge(
    OpenApi.annotations({ title: "instance", description: "The instance, and the description of its API" })
  ) {}
