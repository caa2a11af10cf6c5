/** What servers of others are told of this service as a client of theirs (OAuth Client ID Metadata Document). Pure. */
import { addressOf, type Deployment } from "../settings/Deployment.ts"

/** Where the document is, under the public address: its address is the id of the client. */
export const clientMetadataPath = "/.well-known/oauth-client-metadata"

/** Where browsers come back to, under the address of the web. */
export const remoteCallbackPath = "/oauth/remote/callback"

type Addresses = Pick<Deployment["Service"], "publicUrl" | "webUrl">

/** As which client this service is known to a server of others, and where that sends browsers back to. */
export const ownClient = ({ publicUrl, webUrl }: Addresses) => ({
  clientId: `${addressOf(publicUrl)}${clientMetadataPath}`,
  clientUri: addressOf(webUrl),
  redirectUri: `${addressOf(webUrl)}${remoteCallbackPath}`
})

/** How this service gets tokens of others, in the words of RFC 7591. */
export const ownGrants = {
  grant_types: ["authorization_code", "refresh_token"],
  response_types: ["code"],
  token_endpoint_auth_method: "none"
} as const

export const clientMetadata = (addresses: Addresses, title: string) => {
  const { clientId, clientUri, redirectUri } = ownClient(addresses)
  return {
    client_id: clientId,
    client_name: title,
    client_uri: clientUri,
    redirect_uris: [redirectUri],
    ...ownGrants
  }
}
