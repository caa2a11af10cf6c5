import { Effect } from "effect"
import { createOwn } from "../support/clients.ts"
import { Cast, guest } from "../support/people.ts"
import type { Scenarios } from "../support/scenarios.ts"
import { askFor, basic, postForm } from "../support/tokens.ts"

export const scenarios: Scenarios = Effect.gen(function* () {
  const { odin } = yield* Cast
  const { client, client_secret } = yield* createOwn(odin, {
    type: "confidential",
    redirect_uris: [],
    allowed_grants: ["client_credentials"]
  })
  // Who asks for the key first makes it.
  yield* guest.get("/oauth/jwks")
  const grant_type = "client_credentials"
  return [
    {
      operation: "OAuthToken",
      when: "for the owner of the client",
      call: askFor({ grant_type }, basic(client.client_id, client_secret)),
      expects: 200,
      statements: 4
    },
    {
      operation: "OAuthToken",
      when: "with the wrong secret",
      call: askFor({ grant_type }, basic(client.client_id, "fos_wrong")),
      expects: "invalid_client"
    },
    {
      operation: "OAuthToken",
      when: "with the wrong secret in the form",
      call: askFor({ grant_type, client_id: client.client_id, client_secret: "fos_wrong" }),
      expects: "invalid_client"
    },
    {
      operation: "OAuthIntrospect",
      call: postForm("/oauth/introspect", { token: "x".repeat(43) }, basic(client.client_id, client_secret)),
      expects: 200,
      statements: 2
    },
    {
      operation: "OAuthIntrospect",
      when: "by a client without a secret",
      call: postForm("/oauth/introspect", { token: "x", client_id: "forum-cli" }),
      expects: "invalid_client"
    },
    {
      operation: "OAuthIntrospect",
      when: "with the wrong secret",
      call: postForm("/oauth/introspect", { token: "x" }, basic(client.client_id, "fos_wrong")),
      expects: "invalid_client"
    },
    {
      operation: "OAuthRevoke",
      call: postForm("/oauth/revoke", { token: "x".repeat(43), client_id: "forum-cli" }),
      expects: 200,
      statements: 2
    },
    {
      operation: "OAuthRevoke",
      when: "without a token",
      call: postForm("/oauth/revoke", { client_id: "forum-cli" }),
      expects: "invalid_request"
    },
    {
      operation: "OAuthRevoke",
      when: "with the wrong secret",
      call: postForm("/oauth/revoke", { token: "x" }, basic(client.client_id, "fos_wrong")),
      expects: "invalid_client"
    }
  ]
})
