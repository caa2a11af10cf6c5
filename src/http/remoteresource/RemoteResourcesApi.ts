import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { withExample } from "../../domain/field/Example.ts"
import { secretText } from "../../domain/field/SecretText.ts"
import * as Text from "../../domain/field/Text.ts"
import {
  awayMinutes,
  connectionsMax,
  NewRemoteConnection,
  RemoteConnected,
  RemoteConnection,
  RemoteConnections,
  RemoteResource
} from "../../domain/remoteresource/RemoteConnection.ts"
import { RemoteDiscoveryResult } from "../../domain/remoteresource/RemoteDiscoveryResult.ts"
import { authorisation } from "../../domain/remoteresource/RemoteExamples.ts"
import {
  RemoteAddressRefused,
  RemoteCallbackRefused,
  RemoteConnectionExists,
  RemoteConnectionNotFound,
  RemoteDiscoveryFailed,
  RemoteManualIncomplete,
  RemoteModeUnsupported,
  RemoteRegistrationFailed,
  RemoteStateNotYours,
  RemoteStateUnknown,
  TooManyRemoteConnections
} from "../../domain/remoteresource/RemoteRefusal.ts"
import { membersByCookieWith, membersWith } from "../contract/AccessPolicies.ts"
import { Deleted } from "../contract/Empty.ts"
import { operation } from "../contract/Operation.ts"

const params = { oauth_remote_connection_id: Text.mark({ description: "The id of the connection" }) }

const RemoteAuthorisation = Schema.Struct({
  connection: RemoteConnection,
  authorization_url: secretText("Where a browser goes to approve").annotate({ format: "uri" })
})
  .annotate({
    identifier: "OAuthRemoteAuthorizeResult",
    description: "A connection, and where somebody approves it"
  })
  .pipe(withExample(authorisation))

export class RemoteResourcesApi extends HttpApiGroup.make("remoteResources")
  .add(
    HttpApiEndpoint.post("discover", "/discover", {
      payload: RemoteResource,
      success: RemoteDiscoveryResult,
      error: [RemoteAddressRefused, RemoteDiscoveryFailed]
    }).pipe(
      operation({
        id: "OAuthRemoteDiscover",
        cost: "quick",
        units: 10,
        summary: "Find out how to get tokens for a resource",
        description:
          "Reads what the resource tells about itself (RFC 9728), and what its first authorisation server does (RFC 8414, or OpenID Connect Discovery). Nothing is stored.",
        access: membersWith("MANAGE_ROBOTS")
      })
    ),
    HttpApiEndpoint.get("list", "/connections", { success: RemoteConnections }).pipe(
      operation({
        id: "OAuthRemoteConnectionList",
        cost: "long",
        summary: "List the connections to remote resources",
        description: `Those of all accounts, newest first. An instance has ${connectionsMax} at most. Secrets and tokens are never shown.`,
        access: membersWith("MANAGE_ROBOTS")
      })
    ),
    HttpApiEndpoint.post("create", "/connections", {
      payload: NewRemoteConnection,
      success: RemoteConnection,
      error: [
        RemoteAddressRefused,
        RemoteDiscoveryFailed,
        RemoteManualIncomplete,
        RemoteModeUnsupported,
        RemoteRegistrationFailed,
        RemoteConnectionExists,
        TooManyRemoteConnections
      ]
    }).pipe(
      operation({
        id: "OAuthRemoteConnectionCreate",
        cost: "write",
        units: 10,
        summary: "Make a connection to a remote resource",
        description:
          "Asks nobody where `mode` is `manual`; else discovers how to get tokens, and registers this service where it has to. A connection of yours to the same resource at the same server that nobody has approved is made anew, with another id.",
        access: membersWith("MANAGE_ROBOTS")
      })
    ),
    HttpApiEndpoint.post("authorise", "/connections/:oauth_remote_connection_id/authorize", {
      params,
      success: RemoteAuthorisation,
      error: RemoteConnectionNotFound
    }).pipe(
      operation({
        id: "OAuthRemoteConnectionAuthorize",
        cost: "write",
        summary: "Begin to approve a connection",
        description: `Answers where a browser goes. It comes back to the page \`/oauth/remote/callback\` at the web address of the instance within ${awayMinutes} minutes, and that page calls \`OAuthRemoteCallback\`.`,
        access: membersWith("MANAGE_ROBOTS")
      })
    ),
    HttpApiEndpoint.delete("delete", "/connections/:oauth_remote_connection_id", {
      params,
      success: Deleted,
      error: RemoteConnectionNotFound
    }).pipe(
      operation({
        id: "OAuthRemoteConnectionDelete",
        cost: "write",
        summary: "Delete a connection to a remote resource",
        description: "Its secret and tokens are deleted here; the server is not told.",
        access: membersWith("MANAGE_ROBOTS")
      })
    )
  )
  .prefix("/admin/oauth/remote")
  .annotateMerge(
    OpenApi.annotations({
      title: "Remote resources",
      description: "Resources of others to which this service connects by OAuth"
    })
  ) {}

/** What a browser brings back from a server. */
export const brought = {
  state: Text.verbatim({
    max: 1000,
    description: "The parameter `state` that the server sent back"
  }).check(Schema.isMinLength(1)),
  code: Text.verbatim({ max: 4000, description: "The parameter `code` that the server sent" }).check(
    Schema.isMinLength(1)
  ),
  iss: Schema.optionalKey(
    Text.verbatim({
      max: 1000,
      description: "The parameter `iss`, where the server sent one (RFC 9207)"
    })
  )
}

export class RemoteCallbackApi extends HttpApiGroup.make("remoteCallback")
  .add(
    HttpApiEndpoint.get("finish", "/callback", {
      query: brought,
      success: RemoteConnected,
      error: [RemoteCallbackRefused, RemoteStateUnknown, RemoteStateNotYours]
    }).pipe(
      operation({
        id: "OAuthRemoteCallback",
        cost: "write",
        units: 10,
        summary: "Finish to approve a connection",
        description:
          "For the page to which the server sends the browser back, with the parameters that it brings. Only the account that has begun finishes it. Each state is taken once.",
        access: membersByCookieWith("MANAGE_ROBOTS")
      })
    )
  )
  .prefix("/oauth/remote")
  .annotateMerge(
    OpenApi.annotations({
      title: "Return from remote servers",
      description: "Where browsers come back that were sent to the server of a remote resource"
    })
  ) {}
