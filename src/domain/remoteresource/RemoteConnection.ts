/** Connections of this service to remote resources, by tokens of OAuth. */
import { Schema } from "effect"
import { withExample } from "../field/Example.ts"
import { Timestamp } from "../field/Resource.ts"
import * as Text from "../field/Text.ts"
import { RemoteConnectionId } from "../shared/Id.ts"
import { remoteAddressMax } from "./RemoteAddress.ts"
import { connected, connection, newConnection, resource } from "./RemoteExamples.ts"
import { RemoteMode } from "./RemoteMetadata.ts"

/** Connections of an instance: the list has all of them. The database holds this limit, too. */
export const connectionsMax = 100

/** How many minutes somebody has to approve at the server. */
export const awayMinutes = 10

/** Addresses that a server registered for a client, and the characters of all of them together. */
export const redirectsMax = 10
export const redirectsLengthMax = 4000

/** Characters of what a server or an administrator gives the client. */
export const clientIdMax = 1000
export const clientSecretMax = 2000
export const scopeMax = 2000

export const AuthMethod = Schema.Literals(["none", "client_secret_basic", "client_secret_post"])
export type AuthMethod = typeof AuthMethod.Type

export const RemoteStatus = Schema.Literals(["pending", "connected", "error"]).annotate({
  identifier: "OAuthRemoteStatus",
  description:
    "Whether nobody has approved it yet, or there is a token, or something went wrong, which `last_error` tells"
})
export type RemoteStatus = typeof RemoteStatus.Type

const address = (description: string) => Text.verbatim({ max: remoteAddressMax, format: "uri", description })

const resourceUrl = address(
  "The address of the resource: https, or http of this machine; without user name, password and fragment"
)

const scope = Text.visibleLine({
  max: scopeMax,
  description: "What to ask for, as words with spaces between them"
})

export const RemoteResource = Schema.Struct({ resource_url: resourceUrl })
  .annotate({ identifier: "OAuthRemoteDiscoverProps", description: "A resource of somebody else" })
  .pipe(withExample(resource))

export const ManualConfig = Schema.Struct({
  client_id: Schema.optionalKey(
    Text.visibleLine({ max: clientIdMax, description: "The id of this service at the server" })
  ),
  client_secret: Schema.optionalKey(
    Text.verbatim({
      max: clientSecretMax,
      description: "The secret of this service at the server; it is never shown"
    })
  ),
  authorization_endpoint: Schema.optionalKey(address("Where people approve")),
  token_endpoint: Schema.optionalKey(address("Where tokens are given")),
  redirect_uri: Schema.optionalKey(
    address("Where browsers come back to; the page of this instance, if it is absent")
  ),
  authorization_server: Schema.optionalKey(address("The issuer of tokens")),
  scope: Schema.optionalKey(scope)
}).annotate({
  identifier: "OAuthRemoteManualConfig",
  description: "What somebody has registered at the server"
})
export interface ManualConfig extends Schema.Schema.Type<typeof ManualConfig> {}

export const NewRemoteConnection = Schema.Struct({
  resource_url: resourceUrl,
  mode: Schema.optionalKey(RemoteMode).annotateKey({
    description: "How the server comes to know this service; what discovery finds, if it is absent"
  }),
  scope: Schema.optionalKey(scope),
  manual: Schema.optionalKey(ManualConfig).annotateKey({
    description: "Used where nobody but a person registers this service"
  })
})
  .annotate({ identifier: "OAuthRemoteConnectionCreateProps", description: "A resource to connect to" })
  .pipe(withExample(newConnection))
export interface NewRemoteConnection extends Schema.Schema.Type<typeof NewRemoteConnection> {}

const Address = Schema.String.annotate({ format: "uri" })

const shown = <S extends Schema.Top>(schema: S, description: string) =>
  Schema.optionalKey(schema).annotateKey({ description })

/** A connection as it is shown: never with a secret or a token. */
export const RemoteConnection = Schema.Struct({
  id: RemoteConnectionId,
  createdAt: Timestamp.annotateKey({ description: "When it was created" }),
  updatedAt: Timestamp.annotateKey({ description: "When it, or a token of it, was last changed" }),
  resource_url: Address.annotate({ description: "The address of the resource, as browsers write it" }),
  resource: shown(Schema.String, "What the resource calls itself, which tokens are asked for"),
  resource_name: shown(Schema.String, "The name of the resource for people"),
  authorization_server: shown(Address, "Who gives tokens for the resource"),
  mode: RemoteMode,
  status: RemoteStatus,
  client_id: shown(Schema.String, "The id of this service at the server"),
  has_client_secret: Schema.Boolean.annotate({ description: "Whether this service has a secret there" }),
  authorization_endpoint: shown(Address, "Where people approve"),
  token_endpoint: shown(Address, "Where tokens are given"),
  registration_endpoint: shown(Address, "Where this service registers"),
  token_endpoint_auth_method: shown(AuthMethod, "How this service authenticates where tokens are given"),
  redirect_uri: shown(Address, "Where browsers come back to"),
  redirect_uris: shown(Schema.Array(Address), "The addresses that the server has registered"),
  scope: shown(Schema.String, "What is asked for, or what was granted"),
  has_access_token: Schema.Boolean.annotate({ description: "Whether there is an access token" }),
  has_refresh_token: Schema.Boolean.annotate({ description: "Whether the token can be refreshed" }),
  token_type: shown(Schema.String, "How the token is used"),
  token_expiry: shown(Timestamp, "When the token expires; absent if the server does not say"),
  last_error: shown(Schema.String, "What went wrong last")
})
  .annotate({
    identifier: "OAuthRemoteConnection",
    description: "A connection of this service to a resource of somebody else"
  })
  .pipe(withExample(connection))
export interface RemoteConnection extends Schema.Schema.Type<typeof RemoteConnection> {}

export const RemoteConnections = Schema.Struct({ connections: Schema.Array(RemoteConnection) })
  .annotate({
    identifier: "OAuthRemoteConnectionListResult",
    description: "The connections of all accounts, newest first"
  })
  .pipe(withExample({ connections: [connection] }))

export const RemoteConnected = Schema.Struct({ connection: RemoteConnection })
  .annotate({ identifier: "OAuthRemoteCallbackResult", description: "A connection that now has a token" })
  .pipe(withExample({ connection: connected }))
