/**
 * Makes the texts that describe the API, of megabytes: the OpenAPI document, the reference that contains it, and the list
 * of the tools of agents.
 */
import { Context, Effect } from "effect"
import type { Digest } from "effect/crypto"
import { ForumApi } from "../Api.ts"
import type { Contents } from "../bytes/CachedResponse.ts"
import { type Described, documentOf } from "../document/Document.ts"
import { toolListOf } from "../document/ToolList.ts"
import { makeReference } from "./Reference.ts"

export type Kind = "document" | "reference" | "tools"

/** Makes these texts on another thread: each takes hundreds of milliseconds, in which no request would be served. */
export class Descriptions extends Context.Service<
  Descriptions,
  { readonly make: (kind: Kind, described: Described) => Effect.Effect<Contents> }
>()("forum/http/Descriptions") {}

/** Makes one of these texts on the current thread. */
export const makeDescription = (
  kind: Kind,
  described: Described
): Effect.Effect<Contents, never, Digest.Digest> => {
  const document = documentOf(ForumApi, described)
  switch (kind) {
    case "reference":
      return makeReference(document)
    case "tools":
      return Effect.succeed({
        text: JSON.stringify(toolListOf(ForumApi, document)),
        contentType: "application/json",
        headers: {}
      })
    case "document":
      return Effect.succeed({
        text: JSON.stringify(document),
        contentType: "application/vnd.oai.openapi+json;version=3.1.0",
        headers: { "cache-control": "public, max-age=3600" }
      })
  }
}
