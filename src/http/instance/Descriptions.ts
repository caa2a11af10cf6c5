/** Makes the texts that describe the API, of megabytes: the OpenAPI document, and the reference that contains it. */
import { Context, Effect } from "effect"
import type { Digest } from "effect/crypto"
import { ForumApi } from "../Api.ts"
import type { Contents } from "../bytes/CachedResponse.ts"
import { type Described, documentOf } from "../document/Document.ts"
import { makeReference } from "./Reference.ts"

export type Kind = "document" | "reference"

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
  return kind === "reference"
    ? makeReference(document)
    : Effect.succeed({
        text: JSON.stringify(document),
        contentType: "application/vnd.oai.openapi+json;version=3.1.0",
        headers: { "cache-control": "public, max-age=3600" }
      })
}
