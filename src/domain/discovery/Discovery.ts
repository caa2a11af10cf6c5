/** What programs are told of how to sign in here (RFC 8414, RFC 9728, OpenID Connect Discovery 1.0). Pure. */
import { scopes } from "../vocabulary/Scope.ts"

/** The endpoints that documents name, by their fields, each with its path. */
export const endpointPaths = {
  authorization_endpoint: "/api/oauth/authorize",
  device_authorization_endpoint: "/api/oauth/device_authorization",
  token_endpoint: "/api/oauth/token",
  userinfo_endpoint: "/api/oauth/userinfo",
  registration_endpoint: "/api/oauth/register",
  revocation_endpoint: "/api/oauth/revoke",
  introspection_endpoint: "/api/oauth/introspect",
  jwks_uri: "/api/oauth/jwks"
} as const

/** Where documents about resources are, by the paths of these after it (RFC 9728, 3.1). */
export const protectedResourcePath = "/.well-known/oauth-protected-resource"

export type Endpoint = keyof typeof endpointPaths

/** The endpoints that there are. What is derived from them is left out of the documents where they are missing. */
export const endpoints: ReadonlyArray<Endpoint> = [
  "authorization_endpoint",
  "device_authorization_endpoint",
  "token_endpoint",
  "userinfo_endpoint",
  "revocation_endpoint",
  "introspection_endpoint",
  "registration_endpoint",
  "jwks_uri"
]

/** Where agents reach the service, and the address by which older programs know that. */
export const mcpPath = "/mcp"
const mcpPaths: ReadonlyArray<string> = [mcpPath, `${mcpPath}/sse`]

/** Whether a resource says which scopes it takes, by its path. */
const isScoped = (path: string, mcpEnabled: boolean) =>
  path === "/api" || (mcpEnabled && mcpPaths.includes(path))

const endpointNames = Object.keys(endpointPaths).filter((name): name is Endpoint => name in endpointPaths)

/** The ways to get a token, each with the endpoints that it needs. */
const grants: ReadonlyArray<readonly [name: string, needs: ReadonlyArray<Endpoint>]> = [
  ["authorization_code", ["authorization_endpoint", "token_endpoint"]],
  ["refresh_token", ["token_endpoint"]],
  ["client_credentials", ["token_endpoint"]],
  ["urn:ietf:params:oauth:grant-type:device_code", ["device_authorization_endpoint", "token_endpoint"]]
]

const only = <Fields extends object>(condition: boolean, fields: Fields): Partial<Fields> =>
  condition ? fields : {}

/** What both documents about the server of these endpoints say. An empty list is left out (RFC 8414, 3.2). */
const commonFields = (issuer: string, existing: ReadonlyArray<Endpoint>, takesDocuments: boolean) => {
  const has = (...needed: ReadonlyArray<Endpoint>) => needed.every((name) => existing.includes(name))
  const issuesTokens = has("token_endpoint")
  const authorises = has("authorization_endpoint", "token_endpoint")
  const named = endpointNames.filter((name) => name !== "userinfo_endpoint" && has(name))
  return {
    issuer,
    ...Object.fromEntries(named.map((name) => [name, `${issuer}${endpointPaths[name]}`])),
    ...only(authorises, {
      response_types_supported: ["code"],
      code_challenge_methods_supported: ["S256"],
      authorization_response_iss_parameter_supported: true,
      client_id_metadata_document_supported: takesDocuments
    }),
    ...only(issuesTokens, {
      grant_types_supported: grants.flatMap(([name, needs]) => (has(...needs) ? [name] : [])),
      scopes_supported: scopes,
      token_endpoint_auth_methods_supported: ["none", "client_secret_basic", "client_secret_post"]
    })
  }
}

/** The document about the authorisation server (RFC 8414); clients may be named by documents, or not. */
export const authorisationServer = (
  issuer: string,
  takesDocuments: boolean,
  existing: ReadonlyArray<Endpoint> = endpoints
) => commonFields(issuer, existing, takesDocuments)

/** The document about the OpenID provider. */
export const openidConfiguration = (
  issuer: string,
  takesDocuments: boolean,
  existing: ReadonlyArray<Endpoint> = endpoints
) => ({
  ...commonFields(issuer, existing, takesDocuments),
  ...only(existing.includes("userinfo_endpoint"), {
    userinfo_endpoint: `${issuer}${endpointPaths.userinfo_endpoint}`
  }),
  ...only(existing.includes("authorization_endpoint") && existing.includes("token_endpoint"), {
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: ["RS256"]
  })
})

/** The document about a resource of this service (RFC 9728), by its path below the issuer, which may be anything. */
export const protectedResource = (
  issuer: string,
  path: string,
  mcpEnabled: boolean,
  existing: ReadonlyArray<Endpoint> = endpoints
) => ({
  resource: path === "/" ? issuer : `${issuer}${path}`,
  bearer_methods_supported: ["header"],
  ...only(existing.includes("token_endpoint"), { authorization_servers: [issuer] }),
  ...only(existing.includes("token_endpoint") && isScoped(path, mcpEnabled), {
    scopes_supported: scopes
  })
})
