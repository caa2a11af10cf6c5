/** What discovery answers. */
import { Schema } from "effect"
import { withExample } from "../field/Example.ts"
import { discovery } from "./RemoteExamples.ts"
import { AuthorisationServerMetadata, ProtectedResourceMetadata, RemoteMode } from "./RemoteMetadata.ts"

const Address = Schema.String.annotate({ format: "uri" })

export const RemoteDiscoveryResult = Schema.Struct({
  resource_url: Address.annotate({ description: "The address of the resource, as browsers write it" }),
  protected_resource_metadata: ProtectedResourceMetadata,
  authorization_server: Address.annotate({ description: "Who gives tokens for the resource" }),
  authorization_server_metadata: AuthorisationServerMetadata,
  mode: RemoteMode,
  client_id: Schema.String.annotate({
    description: "The address of the document about this service, which is its id where the mode is `cimd`"
  }),
  redirect_uri: Address.annotate({ description: "Where browsers come back to" })
})
  .annotate({
    identifier: "OAuthRemoteDiscoveryResult",
    description: "How to get tokens for a resource of somebody else"
  })
  .pipe(withExample(discovery))
export interface RemoteDiscoveryResult extends Schema.Schema.Type<typeof RemoteDiscoveryResult> {}
