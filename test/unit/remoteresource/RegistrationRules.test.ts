import { Option, Redacted, Result } from "effect"
import { describe, expect, it } from "vitest"
import { ownClient } from "../../../src/domain/discovery/ClientMetadata.ts"
import {
  type RegistrationRefusal,
  readRegistration,
  registrationRequest
} from "../../../src/domain/remoteresource/RegistrationRules.ts"

const own = ownClient({
  publicUrl: new URL("https://forum.example/api-host/"),
  webUrl: new URL("https://www.forum.example")
})

const { redirectUri } = own

const answered = (body: unknown, status = 201) => Option.some({ status, text: JSON.stringify(body) })

describe("a registration", () => {
  it("says who this service is", () => {
    const { contentType, text } = registrationRequest(own, "Forum", "read write")
    expect(contentType).toBe("application/json")
    const said = {
      client_name: "Forum",
      client_uri: "https://www.forum.example",
      redirect_uris: ["https://www.forum.example/oauth/remote/callback"],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none"
    }
    expect(JSON.parse(text)).toEqual({ ...said, scope: "read write" })
    expect(JSON.parse(registrationRequest(own, "Forum", undefined).text)).toEqual(said)
  })

  const secret = { client_secret: "hush" }
  const none = { method: "none", secret: undefined, redirectUris: [redirectUri] }
  const taken: ReadonlyArray<readonly [answer: object, made: object]> = [
    [{}, none],
    [{ client_secret: null, token_endpoint_auth_method: null, redirect_uris: null }, none],
    [{ client_secret: "" }, none],
    [{ ...secret, token_endpoint_auth_method: "none" }, none],
    [secret, { ...none, method: "client_secret_basic", secret: "hush" }],
    [
      { ...secret, token_endpoint_auth_method: "client_secret_post" },
      { ...none, method: "client_secret_post", secret: "hush" }
    ],
    [
      { redirect_uris: ["https://other.example/cb", redirectUri, "myapp://cb"] },
      { ...none, redirectUris: ["https://other.example/cb", redirectUri] }
    ]
  ]

  it.each(taken)("with %j is taken", (answer, made) => {
    const found = Result.getOrThrow(readRegistration(answered({ client_id: "me", ...answer }), redirectUri))
    const { clientSecret, ...rest } = found
    const known = clientSecret === undefined ? undefined : Redacted.value(clientSecret)
    expect({ ...rest, secret: known }).toEqual({ clientId: "me", ...made })
  })

  const refused: ReadonlyArray<readonly [answer: object, reason: RegistrationRefusal]> = [
    [{ client_id: "" }, "answer"],
    [{ client_id: undefined }, "answer"],
    [{ client_id: "x".repeat(1001) }, "answer"],
    [{ client_id: "\0" }, "answer"],
    [{ client_secret: "x".repeat(2001) }, "answer"],
    [{ redirect_uris: "x" }, "answer"],
    [{ redirect_uris: Array(11).fill(redirectUri) }, "answer"],
    [{ redirect_uris: [redirectUri, "x".repeat(4000)] }, "answer"],
    [{ token_endpoint_auth_method: "client_secret_basic" }, "answer"],
    [{ token_endpoint_auth_method: "client_secret_post", client_secret: "" }, "answer"],
    [{ ...secret, token_endpoint_auth_method: "private_key_jwt" }, "method"],
    [{ redirect_uris: [] }, "redirect"],
    [{ redirect_uris: [`${redirectUri}/`] }, "redirect"]
  ]

  it.each(refused)("with %j is refused for its %s", (answer, reason) => {
    const made = readRegistration(answered({ client_id: "me", ...answer }), redirectUri)
    expect(Result.getFailure(made)).toMatchObject({ value: reason })
  })

  it("may fail", () => {
    for (const [answer, reason] of [
      [Option.none(), "unreachable"],
      [answered({ error: "invalid_client_metadata" }, 400), "refused"],
      [answered({ client_id: "me" }, 302), "refused"],
      [Option.some({ status: 201, text: "hello" }), "answer"]
    ] as const) {
      expect(Result.getFailure(readRegistration(answer, redirectUri))).toMatchObject({ value: reason })
    }
  })
})
