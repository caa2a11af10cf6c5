import { DateTime, Result } from "effect"
import { describe, expect, it } from "vitest"
import {
  authorisationUrl,
  decideDocumentClient,
  decideManual,
  decideRegistration,
  decideReturn,
  decideUpkeep,
  isFromServer,
  type TokenState
} from "../../../src/domain/remoteresource/ConnectionRules.ts"
import { AccountId, RemoteConnectionId } from "../../../src/domain/shared/Id.ts"

const now = DateTime.makeUnsafe("2026-11-26T12:00:00Z")
const inSeconds = (seconds: number) => DateTime.add(now, { seconds })

describe("a manual configuration", () => {
  it.each([
    [{}, ["client_id", "authorization_endpoint", "token_endpoint"]],
    [{ client_id: "me", token_endpoint: "" }, ["authorization_endpoint", "token_endpoint"]],
    [{ client_id: "me", authorization_endpoint: "a" }, ["token_endpoint"]],
    [{ authorization_endpoint: "a", token_endpoint: "t" }, ["client_id"]]
  ])("of %j lacks %j", (manual, missing) => {
    expect(Result.getFailure(decideManual(manual))).toMatchObject({ value: { metadata: { missing } } })
  })

  it("has a client and two endpoints", () => {
    const enough = { client_id: "me", authorization_endpoint: "a", token_endpoint: "t" }
    expect(Result.getOrThrow(decideManual({ ...enough, scope: "x" }))).toEqual(enough)
  })
})

describe("a server", () => {
  const server = {
    issuer: "https://id.example",
    authorization_endpoint: "https://id.example/a",
    token_endpoint: "https://id.example/t",
    client_id_metadata_document_supported: true
  }

  it("takes a client without a secret unless it says otherwise", () => {
    const of = (...methods: ReadonlyArray<string>) =>
      Result.isSuccess(decideDocumentClient({ ...server, token_endpoint_auth_methods_supported: methods }))
    expect(Result.isSuccess(decideDocumentClient(server))).toBe(true)
    expect([of("none"), of("client_secret_basic", "none"), of(), of("client_secret_basic")]).toEqual([
      true,
      true,
      false,
      false
    ])
  })

  it("registers where it says", () => {
    expect(Result.getFailure(decideRegistration(server))).toMatchObject({
      value: { metadata: { mode: "dcr" } }
    })
    const registration_endpoint = "https://id.example/r"
    expect(Result.getOrThrow(decideRegistration({ ...server, registration_endpoint }))).toBe(
      registration_endpoint
    )
  })
})

describe("the address to approve at", () => {
  const terms = {
    clientId: "me & you",
    authorisationEndpoint: "https://id.example/a?tenant=1&scope=all&state=fixed",
    tokenEndpoint: "https://id.example/t",
    method: "none",
    redirectUri: "https://forum.example/cb?x=1",
    resource: undefined,
    scope: undefined,
    issuer: undefined,
    namesItself: false
  } as const

  it("has what the server asks for, beside what is in it", () => {
    const { searchParams } = new URL(authorisationUrl(terms, "state", "challenge"))
    expect(Object.fromEntries(searchParams)).toEqual({
      tenant: "1",
      scope: "all",
      response_type: "code",
      client_id: "me & you",
      redirect_uri: "https://forum.example/cb?x=1",
      state: "state",
      code_challenge: "challenge",
      code_challenge_method: "S256"
    })
    expect(searchParams.getAll("state")).toEqual(["state"])
  })

  it("names scope and resource where there are some", () => {
    const more = { ...terms, scope: "a b", resource: "https://a.example/mcp" }
    const { searchParams } = new URL(authorisationUrl(more, "state", "challenge"))
    expect(searchParams.getAll("scope")).toEqual(["a b"])
    expect(searchParams.get("resource")).toBe("https://a.example/mcp")
  })
})

describe("a state", () => {
  const [freya, loki] = [AccountId.make("00000000000000000100"), AccountId.make("00000000000000000200")]
  const begun = {
    connectionId: RemoteConnectionId.make("00000000000000000300"),
    accountId: freya,
    sealedVerifier: new Uint8Array(),
    expiresAt: inSeconds(1),
    isUsed: false
  }

  it.each([
    [{}, freya, "use"],
    [{ expiresAt: now }, freya, "expired"],
    [{ isUsed: true }, freya, "used"],
    [{ isUsed: true, expiresAt: now }, freya, "used"],
    [{}, loki, "another's"],
    [{ isUsed: true }, loki, "another's"]
  ] as const)("with %j brought by %s: %s", (more, caller, decision) => {
    expect(decideReturn({ ...begun, ...more }, caller, now)).toBe(decision)
  })
})

describe("the name of a server in its answer", () => {
  const issuer = "https://id.example"

  it.each([
    [issuer, true, issuer, true],
    [issuer, true, `${issuer}/`, true],
    [`${issuer}/`, true, issuer, true],
    [issuer, true, undefined, false],
    [issuer, true, "https://evil.example", false],
    [issuer, true, "", false],
    [issuer, false, undefined, true],
    [issuer, false, issuer, true],
    [issuer, false, "https://evil.example", false],
    [undefined, false, undefined, true],
    [undefined, false, "https://any.example", true]
  ])("where %s is known, and named always: %s, is %s: %s", (known, namesItself, iss, isFrom) => {
    expect(isFromServer({ issuer: known, namesItself }, iss)).toBe(isFrom)
  })
})

describe("a token", () => {
  const minutes = 60
  const fresh: TokenState = {
    hasAccessToken: true,
    hasRefreshToken: true,
    expiry: inSeconds(5 * minutes),
    lease: undefined
  }
  const held = { holder: "one", until: inSeconds(1) }
  const failed = { holder: undefined, until: inSeconds(1) }

  it.each([
    ["that there is not", { hasAccessToken: false, expiry: undefined }, "missing"],
    ["without an expiry", { expiry: undefined }, "use"],
    ["of more than five minutes", { expiry: inSeconds(5 * minutes + 1) }, "use"],
    ["of more than five minutes that is refreshed", { expiry: inSeconds(301), lease: held }, "use"],
    ["of five minutes", {}, "refresh"],
    ["that has expired", { expiry: inSeconds(-1) }, "refresh"],
    ["of a minute without another", { hasRefreshToken: false, expiry: inSeconds(minutes) }, "use"],
    ["that expires now without another", { hasRefreshToken: false, expiry: now }, "expired"],
    ["that another one refreshes", { lease: held }, "wait"],
    ["that has expired, and another one refreshes", { lease: held, expiry: now }, "wait"],
    ["whose lease has ended", { lease: { ...held, until: now } }, "refresh"],
    ["that could not be refreshed", { lease: failed }, "use"],
    ["that has expired, and could not be refreshed", { lease: failed, expiry: now }, "expired"],
    ["that could not be refreshed some time ago", { lease: { ...failed, until: now } }, "refresh"]
  ] as const)("%s", (_, more, upkeep) => {
    expect(decideUpkeep({ ...fresh, ...more }, now)).toBe(upkeep)
  })
})
