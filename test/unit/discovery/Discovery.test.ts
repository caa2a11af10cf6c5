import { describe, expect, it } from "vitest"
import {
  authorisationServer,
  type Endpoint,
  endpointPaths,
  openidConfiguration,
  protectedResource
} from "../../../src/domain/discovery/Discovery.ts"
import { scopes } from "../../../src/domain/vocabulary/Scope.ts"

const issuer = "https://forum.example"

const every: ReadonlyArray<Endpoint> = [
  "authorization_endpoint",
  "device_authorization_endpoint",
  "token_endpoint",
  "userinfo_endpoint",
  "registration_endpoint",
  "revocation_endpoint",
  "introspection_endpoint",
  "jwks_uri"
]

const complete = {
  issuer,
  authorization_endpoint: `${issuer}/api/oauth/authorize`,
  device_authorization_endpoint: `${issuer}/api/oauth/device_authorization`,
  token_endpoint: `${issuer}/api/oauth/token`,
  registration_endpoint: `${issuer}/api/oauth/register`,
  revocation_endpoint: `${issuer}/api/oauth/revoke`,
  introspection_endpoint: `${issuer}/api/oauth/introspect`,
  jwks_uri: `${issuer}/api/oauth/jwks`,
  response_types_supported: ["code"],
  grant_types_supported: [
    "authorization_code",
    "refresh_token",
    "client_credentials",
    "urn:ietf:params:oauth:grant-type:device_code"
  ],
  code_challenge_methods_supported: ["S256"],
  authorization_response_iss_parameter_supported: true,
  scopes_supported: scopes,
  token_endpoint_auth_methods_supported: ["none", "client_secret_basic", "client_secret_post"],
  client_id_metadata_document_supported: false
}

describe("the documents about the server", () => {
  it("know all endpoints", () => {
    expect(Object.keys(endpointPaths).toSorted()).toEqual(every.toSorted())
  })

  it("say whether clients may be named by documents", () => {
    for (const takesDocuments of [true, false]) {
      for (const document of [authorisationServer, openidConfiguration]) {
        const { client_id_metadata_document_supported } = document(issuer, takesDocuments, every)
        expect(client_id_metadata_document_supported).toBe(takesDocuments)
      }
    }
  })

  it("name everything where all endpoints exist", () => {
    expect(authorisationServer(issuer, false, every)).toEqual(complete)
    expect(openidConfiguration(issuer, false, every)).toEqual({
      ...complete,
      userinfo_endpoint: `${issuer}/api/oauth/userinfo`,
      subject_types_supported: ["public"],
      id_token_signing_alg_values_supported: ["RS256"]
    })
  })

  it("promise nothing that needs an endpoint which does not exist", () => {
    const keysOnly = { issuer, jwks_uri: `${issuer}/api/oauth/jwks` }
    expect(authorisationServer(issuer, false, ["jwks_uri"])).toEqual(keysOnly)
    expect(openidConfiguration(issuer, false, ["jwks_uri"])).toEqual(keysOnly)
  })

  it.each([
    [["token_endpoint"], ["refresh_token", "client_credentials"]],
    [
      ["authorization_endpoint", "token_endpoint"],
      ["authorization_code", "refresh_token", "client_credentials"]
    ],
    [
      ["token_endpoint", "device_authorization_endpoint"],
      ["refresh_token", "client_credentials", "urn:ietf:params:oauth:grant-type:device_code"]
    ],
    [["authorization_endpoint", "device_authorization_endpoint"], undefined]
  ] satisfies ReadonlyArray<readonly [ReadonlyArray<Endpoint>, ReadonlyArray<string> | undefined]>)(
    "with %j offer the grants %j",
    (existing, grants) => {
      const document = authorisationServer(issuer, false, existing)
      expect(document.grant_types_supported).toEqual(grants)
      expect("scopes_supported" in document).toBe(grants !== undefined)
    }
  )

  it("leave the registration out where there is none", () => {
    const existing = every.filter((name) => name !== "registration_endpoint")
    expect("registration_endpoint" in openidConfiguration(issuer, false, existing)).toBe(false)
  })

  it("name exactly the endpoints that exist, whichever they are", () => {
    for (const missing of every) {
      const existing = every.filter((name) => name !== missing)
      const named = Object.keys(openidConfiguration(issuer, false, existing)).filter(
        (name) => name in endpointPaths
      )
      expect(named.toSorted()).toEqual(existing.toSorted())
    }
  })
})

describe("the document about a resource", () => {
  const always = { bearer_methods_supported: ["header"], authorization_servers: [issuer] }

  it.each([
    ["/", { resource: issuer }],
    ["/api", { resource: `${issuer}/api`, scopes_supported: scopes }],
    ["/mcp/sse", { resource: `${issuer}/mcp/sse` }],
    ["/any/thing", { resource: `${issuer}/any/thing` }],
    ["/api/", { resource: `${issuer}/api/` }]
  ])("at %s", (path, expected) => {
    expect(protectedResource(issuer, path, false, every)).toEqual({ ...always, ...expected })
  })

  it("names no server while none issues tokens", () => {
    expect(protectedResource(issuer, "/api", false, ["jwks_uri"])).toEqual({
      resource: `${issuer}/api`,
      bearer_methods_supported: ["header"]
    })
  })
})
