import { Result } from "effect"
import { describe, expect, it } from "vitest"
import {
  type DocumentRefusal,
  modeOf,
  readResource,
  readServer
} from "../../../src/domain/remoteresource/DiscoveryRules.ts"

const resource = new URL("https://a.example/mcp")
const server = new URL("https://id.example/t")

const issuer = "https://id.example/t"

const about = {
  resource: "https://a.example/mcp",
  authorization_servers: ["https://id.example/t/", "not used"],
  resource_name: "Archive",
  bearer_methods_supported: ["header"]
}

const endpoints = {
  issuer,
  authorization_endpoint: "https://id.example/authorize?tenant=1",
  token_endpoint: "https://tokens.example/"
}

const many = Array.from({ length: 101 }, () => "x")

describe("the document of a resource", () => {
  const read = (document: unknown) =>
    readResource(resource, typeof document === "string" ? document : JSON.stringify(document))

  it("tells who gives tokens, and what the resource is called", () => {
    const found = Result.getOrThrow(read({ ...about, jwks_uri: "https://a.example/keys" }))
    expect(found.server.href).toBe("https://id.example/t/")
    expect(found.metadata).toEqual(about)
  })

  it("needs to tell nothing but a server", () => {
    const least = { authorization_servers: ["http://localhost:9000"] }
    for (const document of [
      least,
      { ...least, resource: null, resource_name: null, bearer_methods_supported: null },
      { ...least, resource_name: "", resource: "" },
      { ...least, resource_name: "\u200b" }
    ]) {
      expect(Result.getOrThrow(read(document)).metadata).toEqual(least)
    }
  })

  it("may be that of the whole origin", () => {
    for (const named of ["https://a.example", "https://A.example/", "https://a.example/other"]) {
      expect(Result.isSuccess(read({ ...about, resource: named })), named).toBe(true)
    }
  })

  it("gives a name of one line that is not too long", () => {
    const named = (resource_name: string) =>
      Result.getOrThrow(read({ ...about, resource_name })).metadata.resource_name
    expect(named("  Two\nlines\u202e ")).toBe("Two lines")
    expect(named("ö".repeat(1000))).toBe("ö".repeat(200))
  })

  const refused: ReadonlyArray<readonly [document: unknown, reason: DocumentRefusal]> = [
    ["", "document"],
    ["<html>", "document"],
    ["null", "document"],
    ["[]", "document"],
    ["{}", "document"],
    [{ ...about, authorization_servers: [] }, "document"],
    [{ ...about, authorization_servers: "https://id.example" }, "document"],
    [{ ...about, authorization_servers: [null] }, "document"],
    [{ ...about, authorization_servers: many }, "document"],
    [{ ...about, resource_name: 1 }, "document"],
    [{ ...about, resource_name: "x".repeat(1001) }, "document"],
    [{ ...about, resource_name: "\0" }, "document"],
    [{ ...about, bearer_methods_supported: many }, "document"],
    [{ ...about, authorization_servers: ["http://id.example"] }, "address"],
    [{ ...about, authorization_servers: ["id.example"] }, "address"],
    [{ ...about, authorization_servers: ["", "https://id.example"] }, "address"],
    [{ ...about, authorization_servers: ["https://id.example/#x"] }, "address"],
    [{ ...about, resource: "https://b.example/mcp" }, "resource"],
    [{ ...about, resource: "http://a.example/mcp" }, "resource"],
    [{ ...about, resource: "https://a.example:8443/mcp" }, "resource"],
    [{ ...about, resource: "urn:x" }, "resource"]
  ]

  it.each(refused)("%j is refused for its %s", (document, reason) => {
    expect(Result.getFailure(read(document))).toMatchObject({ value: reason })
  })
})

describe("the document of a server", () => {
  const read = (document: unknown) =>
    readServer(server, typeof document === "string" ? document : JSON.stringify(document))

  it("tells where what is, and says nothing against what it does not list", () => {
    for (const document of [
      endpoints,
      { ...endpoints, registration_endpoint: "", grant_types_supported: null }
    ]) {
      const { metadata, namesItself } = Result.getOrThrow(read(document))
      expect(metadata).toEqual({ ...endpoints, client_id_metadata_document_supported: false })
      expect(namesItself).toBe(false)
      expect(modeOf(metadata)).toBe("manual")
    }
  })

  it("tells how the server comes to know clients", () => {
    const listed = {
      ...endpoints,
      registration_endpoint: "https://id.example/register",
      response_types_supported: ["token", "code"],
      grant_types_supported: ["authorization_code"],
      token_endpoint_auth_methods_supported: ["private_key_jwt"],
      code_challenge_methods_supported: ["plain", "S256"],
      client_id_metadata_document_supported: false
    }
    const known = Result.getOrThrow(
      read({ ...listed, scopes_supported: ["x"], authorization_response_iss_parameter_supported: true })
    )
    expect(known).toEqual({ metadata: listed, namesItself: true })
    expect(modeOf(known.metadata)).toBe("dcr")
    const both = Result.getOrThrow(read({ ...listed, client_id_metadata_document_supported: true }))
    expect(modeOf(both.metadata)).toBe("cimd")
  })

  it("is about the server, with or without a slash at its end", () => {
    for (const named of [issuer, `${issuer}/`, "https://ID.example/t"]) {
      expect(Result.isSuccess(read({ ...endpoints, issuer: named })), named).toBe(true)
    }
  })

  const refused: ReadonlyArray<readonly [document: unknown, reason: DocumentRefusal]> = [
    ["no JSON", "document"],
    ["1", "document"],
    [{ ...endpoints, issuer: undefined }, "document"],
    [{ ...endpoints, authorization_endpoint: undefined }, "document"],
    [{ ...endpoints, token_endpoint: null }, "document"],
    [{ ...endpoints, token_endpoint: 1 }, "document"],
    [{ ...endpoints, token_endpoint: `https://id.example/${"x".repeat(1000)}` }, "document"],
    [{ ...endpoints, response_types_supported: many }, "document"],
    [{ ...endpoints, grant_types_supported: [1] }, "document"],
    [{ ...endpoints, client_id_metadata_document_supported: "true" }, "document"],
    [{ ...endpoints, authorization_endpoint: "http://id.example/" }, "address"],
    [{ ...endpoints, authorization_endpoint: "javascript:alert(1)" }, "address"],
    [{ ...endpoints, token_endpoint: "/token" }, "address"],
    [{ ...endpoints, registration_endpoint: "https://user@id.example/" }, "address"],
    [{ ...endpoints, issuer: "http://id.example/t" }, "address"],
    [{ ...endpoints, issuer: "https://id.example" }, "issuer"],
    [{ ...endpoints, issuer: "https://id.example/t/2" }, "issuer"],
    [{ ...endpoints, issuer: "https://evil.example/t" }, "issuer"],
    [{ ...endpoints, response_types_supported: [] }, "unsupported"],
    [{ ...endpoints, response_types_supported: ["token"] }, "unsupported"],
    [{ ...endpoints, grant_types_supported: ["implicit"] }, "unsupported"],
    [{ ...endpoints, code_challenge_methods_supported: ["plain"] }, "unsupported"]
  ]

  it.each(refused)("%j is refused for its %s", (document, reason) => {
    expect(Result.getFailure(read(document))).toMatchObject({ value: reason })
  })
})
