import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { AuthenticationBusy } from "../../domain/authentication/Password.ts"
import { withExample } from "../../domain/field/Example.ts"
import * as Text from "../../domain/field/Text.ts"
import {
  clientsMax,
  NewOAuthClient,
  NewOwnOAuthClient,
  OAuthClient,
  OAuthClientBuiltIn,
  OAuthClientChanges,
  OAuthClientCreated,
  OAuthClientIdTaken,
  OAuthClientInvalid,
  OAuthClientIssued,
  OAuthClientNotFound,
  OAuthClientNotYours,
  OAuthClientOwnerUnknown,
  OAuthClientsFull,
  OwnOAuthClientChanges,
  ownClientsMax,
  TooManyOAuthClients
} from "../../domain/oauthclient/OAuthClient.ts"
import { client } from "../../domain/oauthclient/OAuthClientExamples.ts"
import { OAuthError } from "../../domain/shared/OAuthError.ts"
import { membersByCookieWith, membersWith } from "../contract/AccessPolicies.ts"
import { Deleted } from "../contract/Empty.ts"
import { operation } from "../contract/Operation.ts"

const OAuthClientListResult = Schema.Struct({ clients: Schema.Array(OAuthClient) })
  .annotate({ identifier: "OAuthClientListResult", description: "Clients of OAuth, newest first" })
  .pipe(withExample({ clients: [client] }))

const params = { oauth_client_id: Text.mark({ description: "The `id` of the client" }) }

export class AdminOAuthClientsApi extends HttpApiGroup.make("adminOAuthClients")
  .add(
    HttpApiEndpoint.get("list", "/", { success: OAuthClientListResult }).pipe(
      operation({
        id: "AdminOAuthClientList",
        cost: "long",
        summary: "List the clients of all accounts",
        description: `Newest first, with those of the service itself. Administrators can make ${clientsMax}.`,
        access: membersWith("ADMINISTRATOR")
      })
    ),
    HttpApiEndpoint.post("create", "/", {
      payload: NewOAuthClient,
      success: OAuthClientCreated,
      error: [
        OAuthClientInvalid,
        OAuthClientOwnerUnknown,
        OAuthClientIdTaken,
        TooManyOAuthClients,
        OAuthClientsFull,
        AuthenticationBusy
      ]
    }).pipe(
      operation({
        id: "AdminOAuthClientCreate",
        cost: "hashing",
        summary: "Create a client for any account",
        description:
          "A confidential client without `client_secret_hash` gets a generated secret, which is shown this once.",
        access: membersWith("ADMINISTRATOR")
      })
    ),
    HttpApiEndpoint.get("get", "/:oauth_client_id", {
      params,
      success: OAuthClient,
      error: OAuthClientNotFound
    }).pipe(
      operation({
        id: "AdminOAuthClientGet",
        cost: "quick",
        summary: "Get a client of any account",
        description: "Without its secret, of which only a hash is kept.",
        access: membersWith("ADMINISTRATOR")
      })
    ),
    HttpApiEndpoint.patch("update", "/:oauth_client_id", {
      params,
      payload: OAuthClientChanges,
      success: OAuthClient,
      error: [OAuthClientNotFound, OAuthClientBuiltIn, OAuthClientInvalid]
    }).pipe(
      operation({
        id: "AdminOAuthClientUpdate",
        cost: "write",
        summary: "Change a client of any account",
        description: "Fields that are absent stay as they are; lists are replaced.",
        access: membersWith("ADMINISTRATOR")
      })
    ),
    HttpApiEndpoint.delete("delete", "/:oauth_client_id", {
      params,
      success: Deleted,
      error: [OAuthClientNotFound, OAuthClientBuiltIn]
    }).pipe(
      operation({
        id: "AdminOAuthClientDelete",
        cost: "write",
        summary: "Delete a client of any account",
        description: "Nobody can use it from then on, and nothing that it was granted.",
        access: membersWith("ADMINISTRATOR")
      })
    )
  )
  .prefix("/admin/oauth/clients")
  .annotateMerge(
    OpenApi.annotations({
      title: "OAuth clients of all accounts",
      description: "What administrators do with the programs that may ask for tokens"
    })
  ) {}

export class OAuthClientsApi extends HttpApiGroup.make("oauthClients")
  .add(
    HttpApiEndpoint.get("list", "/", { success: OAuthClientListResult }).pipe(
      operation({
        id: "OAuthClientList",
        cost: "quick",
        summary: "List your clients",
        description: `Newest first; you can have ${ownClientsMax}.`,
        access: membersByCookieWith("ADMINISTRATOR")
      })
    ),
    HttpApiEndpoint.post("create", "/", {
      payload: NewOwnOAuthClient,
      success: OAuthClientIssued,
      error: [OAuthClientInvalid, TooManyOAuthClients, OAuthClientsFull, AuthenticationBusy]
    }).pipe(
      operation({
        id: "OAuthClientCreate",
        cost: "hashing",
        summary: "Create a client of your own",
        description:
          "Its `client_id` is generated, and so is the secret of a confidential client, which is shown this once.",
        access: membersByCookieWith("ADMINISTRATOR")
      })
    ),
    HttpApiEndpoint.get("get", "/:oauth_client_id", {
      params,
      success: OAuthClient,
      error: [OAuthClientNotFound, OAuthError]
    }).pipe(
      operation({
        id: "OAuthClientGet",
        cost: "quick",
        summary: "Get one of your clients",
        description: "A client of somebody else is `invalid_request`.",
        access: membersByCookieWith("ADMINISTRATOR")
      })
    ),
    HttpApiEndpoint.patch("update", "/:oauth_client_id", {
      params,
      payload: OwnOAuthClientChanges,
      success: OAuthClient,
      error: [OAuthClientNotFound, OAuthClientNotYours, OAuthClientInvalid]
    }).pipe(
      operation({
        id: "OAuthClientUpdate",
        cost: "write",
        summary: "Change one of your clients",
        description: "Fields that are absent stay as they are; lists are replaced.",
        access: membersByCookieWith("ADMINISTRATOR")
      })
    ),
    HttpApiEndpoint.delete("delete", "/:oauth_client_id", {
      params,
      success: Deleted,
      error: OAuthError
    }).pipe(
      operation({
        id: "OAuthClientDelete",
        cost: "write",
        summary: "Delete one of your clients",
        description:
          "Nobody can use it from then on, and nothing that it was granted. What is no client of yours is `invalid_request`.",
        access: membersByCookieWith("ADMINISTRATOR")
      })
    )
  )
  .prefix("/auth/oauth/clients")
  .annotateMerge(
    OpenApi.annotations({
      title: "OAuth clients",
      description: "Programs that may ask for tokens of OAuth"
    })
  ) {}
