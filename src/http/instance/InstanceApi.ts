import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Info, SessionInfo } from "../../domain/instance/Info.ts"
import { Authentication, anyone } from "../shared/Authentication.ts"
import { operation } from "../shared/Operation.ts"

const Text = Schema.String.pipe(HttpApiSchema.asText())

export class InstanceApi extends HttpApiGroup.make("misc")
  .add(
    HttpApiEndpoint.get("version", "/version", { success: Text })
      .annotateMerge(operation("GetVersion", "Read the version of the service"))
      .annotateMerge(anyone),
    HttpApiEndpoint.get("info", "/info", { success: Info })
      .annotateMerge(operation("GetInfo", "Read what the instance says of itself"))
      .annotateMerge(anyone),
    HttpApiEndpoint.get("session", "/session", {
      success: HttpApiSchema.WithHeaders(SessionInfo, { "cache-control": Schema.String })
    })
      .annotateMerge(operation("GetSession", "Read the instance and, signed in, one's own account"))
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
  )
  .middleware(Authentication)
  .annotateMerge(OpenApi.annotations({ title: "misc", description: "The instance itself" })) {}
