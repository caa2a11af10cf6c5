const created = "2026-11-26T09:12:04.310Z"

const server = "https://id.archive.example"
const redirect_uri = "https://forum.example/oauth/remote/callback"
const client_id = "https://forum.example/.well-known/oauth-client-metadata"

export const resource = { resource_url: "https://archive.example/mcp" } as const

export const discovery = {
  ...resource,
  protected_resource_metadata: {
    authorization_servers: [server],
    resource: "https://archive.example/mcp",
    resource_name: "Archive",
    bearer_methods_supported: ["header"]
  },
  authorization_server: server,
  authorization_server_metadata: {
    issuer: server,
    authorization_endpoint: `${server}/authorize`,
    token_endpoint: `${server}/token`,
    response_types_supported: ["code"],
    grant_types_supported: ["authorization_code", "refresh_token"],
    token_endpoint_auth_methods_supported: ["none"],
    code_challenge_methods_supported: ["S256"],
    client_id_metadata_document_supported: true
  },
  mode: "cimd",
  client_id,
  redirect_uri
} as const

export const newConnection = { ...resource, scope: "read offline_access" } as const

export const connection = {
  id: "dc3v0u7khh6uivg000cg",
  createdAt: created,
  updatedAt: created,
  resource_url: resource.resource_url,
  resource: resource.resource_url,
  resource_name: "Archive",
  authorization_server: server,
  mode: "cimd",
  status: "pending",
  client_id,
  has_client_secret: false,
  authorization_endpoint: `${server}/authorize`,
  token_endpoint: `${server}/token`,
  token_endpoint_auth_method: "none",
  redirect_uri,
  redirect_uris: [redirect_uri],
  scope: newConnection.scope,
  has_access_token: false,
  has_refresh_token: false
} as const

const expiry = "2026-11-26T10:12:04.310Z"

export const connected = {
  ...connection,
  status: "connected",
  has_access_token: true,
  has_refresh_token: true,
  token_type: "Bearer",
  token_expiry: expiry
} as const

const query = new URLSearchParams({
  response_type: "code",
  client_id,
  redirect_uri,
  state: "0bLk6n3hV2Qf1S9mTzYw8uXcRaEiGdPoJqKvNsWtHyM",
  code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
  code_challenge_method: "S256",
  scope: newConnection.scope,
  resource: resource.resource_url
})

export const authorisation = {
  connection,
  authorization_url: `${server}/authorize?${query}`
} as const
