/** Why a remote resource is not discovered, or not connected to. */
import { Schema } from "effect"
import { Problem } from "../shared/Problem.ts"
import { documentRefusals } from "./DiscoveryRules.ts"
import { addressRefusals } from "./RemoteAddress.ts"
import { awayMinutes, connectionsMax } from "./RemoteConnection.ts"

export class RemoteAddressRefused extends Problem<RemoteAddressRefused>()("RemoteAddressRefused", {
  status: 400,
  title: "The service uses no address like this",
  explanation:
    "An address of a remote resource, or of its server, is absolute, has no user name, password or fragment, and is https, or http of the machine of the service. It has 1,000 characters at most. `field` says which address it is, and `reason` what is wrong with it.",
  metadata: { field: Schema.String, reason: Schema.Literals(addressRefusals) }
}) {}

export const DiscoveryStage = Schema.Literals(["protected_resource", "authorization_server"])
export type DiscoveryStage = typeof DiscoveryStage.Type

export class RemoteDiscoveryFailed extends Problem<RemoteDiscoveryFailed>()("RemoteDiscoveryFailed", {
  status: 400,
  title: "The resource does not tell how to get tokens for it",
  explanation:
    "The service reads what the resource tells about itself (`stage` is `protected_resource`, RFC 9728), and then what its server does (`authorization_server`, RFC 8414). `reason` is `unreachable` if no whole answer came, or the service sends no requests there; `status` if the answer is a failure; `document` if it is no JSON of the form that the standard says; `address` if an address is neither https nor http of the machine of the service; `resource` or `issuer` if the document is about another one; `unsupported` if the server does not give codes that are proven by `S256`.",
  metadata: { stage: DiscoveryStage, reason: Schema.Literals(documentRefusals) }
}) {}

export class RemoteManualIncomplete extends Problem<RemoteManualIncomplete>()("RemoteManualIncomplete", {
  status: 400,
  title: "This is not enough to connect to the resource",
  explanation:
    "Without discovery, `manual` has `client_id`, `authorization_endpoint` and `token_endpoint`. `missing` lists those that it lacks.",
  metadata: { missing: Schema.Array(Schema.String) }
}) {}

export class RemoteModeUnsupported extends Problem<RemoteModeUnsupported>()("RemoteModeUnsupported", {
  status: 400,
  title: "The server cannot come to know this service in this way",
  explanation:
    "`dcr` needs a server where clients register, and `cimd` one that takes clients without a secret. Choose another `mode`, or none.",
  metadata: { mode: Schema.Literals(["cimd", "dcr"]) }
}) {}

export const registrationRefusals = ["unreachable", "refused", "answer", "method", "redirect"] as const

export class RemoteRegistrationFailed extends Problem<RemoteRegistrationFailed>()(
  "RemoteRegistrationFailed",
  {
    status: 400,
    title: "The server did not register this service",
    explanation:
      "`reason` is `unreachable` if no whole answer came, `refused` if it is a failure, `answer` if it is not of the form of RFC 7591, `method` if the server wants a way to authenticate that the service does not know, and `redirect` if it has not registered the address where browsers come back to.",
    metadata: { reason: Schema.Literals(registrationRefusals) }
  }
) {}

export class RemoteConnectionExists extends Problem<RemoteConnectionExists>()("RemoteConnectionExists", {
  status: 409,
  title: "You are connected to this resource",
  explanation:
    "An account has one connection to a resource at a server. Delete the one with the id in `oauth_remote_connection_id` to make another.",
  metadata: { oauth_remote_connection_id: Schema.String }
}) {}

export class TooManyRemoteConnections extends Problem<TooManyRemoteConnections>()(
  "TooManyRemoteConnections",
  {
    status: 409,
    title: "There are as many connections as there may be",
    explanation: `An instance has ${connectionsMax} connections to remote resources at most. Delete one to make another.`,
    metadata: { maximum: Schema.Int }
  }
) {}

export class RemoteConnectionNotFound extends Problem<RemoteConnectionNotFound>()(
  "RemoteConnectionNotFound",
  {
    status: 404,
    title: "There is no such connection",
    explanation: "No connection to a remote resource has this id. One that was made again has another id.",
    metadata: { oauth_remote_connection_id: Schema.String }
  }
) {}

export class RemoteStateUnknown extends Problem<RemoteStateUnknown>()("RemoteStateUnknown", {
  status: 404,
  title: "Nobody has begun to connect with this state",
  explanation: "The state is of another instance, or its connection was deleted or made again. Begin again."
}) {}

export class RemoteStateNotYours extends Problem<RemoteStateNotYours>()("RemoteStateNotYours", {
  status: 403,
  title: "Another account has begun to connect with this state",
  explanation: "Only the account that has begun to connect finishes it."
}) {}

export const callbackRefusals = ["expired", "used", "issuer", "unreachable", "refused", "answer"] as const
export type CallbackRefusal = (typeof callbackRefusals)[number]

export class RemoteCallbackRefused extends Problem<RemoteCallbackRefused>()("RemoteCallbackRefused", {
  status: 400,
  title: "This does not connect to the resource",
  explanation: `\`reason\` is \`expired\` if it began ${awayMinutes} minutes ago, \`used\` if the state was used before, \`issuer\` if another server than the one of the connection has sent the browser back, or one that names itself in \`iss\` did not, \`unreachable\` if the server gave no whole answer to the code, \`refused\` if it refused it, and \`answer\` if it gave no token. Begin again.`,
  metadata: { reason: Schema.Literals(callbackRefusals) }
}) {}
