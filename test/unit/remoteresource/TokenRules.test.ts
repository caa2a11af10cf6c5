import { DateTime, Option, Redacted, Result } from "effect"
import { describe, expect, it } from "vitest"
import { type Credentials, readGrant, tokenRequest } from "../../../src/domain/remoteresource/TokenRules.ts"

const now = DateTime.makeUnsafe("2026-11-26T12:00:00Z")

const answered = (body: unknown, status = 200) =>
  Option.some({ status, text: typeof body === "string" ? body : JSON.stringify(body) })

const least = { access_token: "hush-access", token_type: "Bearer" }

const secondsOf = (expires_in: unknown) => {
  const { expiry } = Result.getOrThrow(readGrant(answered({ ...least, expires_in }), now))
  return expiry === undefined
    ? undefined
    : (DateTime.toEpochMillis(expiry) - DateTime.toEpochMillis(now)) / 1000
}

describe("the answer of a token endpoint", () => {
  it("has a token, and what else the server gives", () => {
    const all = {
      ...least,
      expires_in: 3600,
      refresh_token: "hush-refresh",
      scope: " read\twrite ",
      id_token: "x"
    }
    const grant = Result.getOrThrow(readGrant(answered(all, 201), now))
    expect(Redacted.value(grant.accessToken)).toBe("hush-access")
    expect(grant.refreshToken === undefined ? "" : Redacted.value(grant.refreshToken)).toBe("hush-refresh")
    expect(grant).toMatchObject({ tokenType: "Bearer", scope: "read write" })
    expect(JSON.stringify(grant)).not.toContain("hush")
  })

  it("may lack all but the token and its type", () => {
    for (const more of [
      {},
      { expires_in: null, refresh_token: null, scope: null },
      { refresh_token: "", scope: "" }
    ]) {
      const grant = Result.getOrThrow(readGrant(answered({ ...least, ...more }), now))
      expect(grant).toMatchObject({ expiry: undefined, refreshToken: undefined, scope: undefined })
    }
  })

  it("says for how many seconds, as a number or a text", () => {
    for (const [given, seconds] of [
      [3600, 3600],
      ["3600", 3600],
      [0, 0],
      [-5, 0],
      [90.9, 90],
      [1e300, 365 * 24 * 3600],
      ["soon", undefined],
      ["", undefined],
      [undefined, undefined]
    ]) {
      expect(secondsOf(given), String(given)).toBe(seconds)
    }
  })

  it("leaves out a scope or a token to refresh that is too long", () => {
    const all = { ...least, refresh_token: "x".repeat(32_001), scope: "x".repeat(2001) }
    expect(Result.getOrThrow(readGrant(answered(all), now))).toMatchObject({
      refreshToken: undefined,
      scope: undefined
    })
  })

  const noToken = { reason: "answer", message: "The server answered without a token" }
  const without: ReadonlyArray<readonly [body: unknown]> = [
    [""],
    ["access_token=x&token_type=Bearer"],
    ["[]"],
    [{}],
    [{ access_token: "x" }],
    [{ token_type: "Bearer" }],
    [{ ...least, access_token: "" }],
    [{ ...least, access_token: 1 }],
    [{ ...least, access_token: "x".repeat(32_001) }],
    [{ ...least, access_token: "x\0" }],
    [{ ...least, token_type: "" }],
    [{ ...least, token_type: "Bea rer" }],
    [{ ...least, token_type: "x".repeat(101) }],
    [{ ...least, expires_in: {} }]
  ]

  it.each(without)("%j has no token", (body) => {
    expect(Result.getFailure(readGrant(answered(body), now))).toMatchObject({ value: noToken })
  })

  const refusals: ReadonlyArray<readonly [status: number, body: unknown, message: string]> = [
    [400, { error: "invalid_grant", error_description: "hush" }, "The server refused: invalid_grant"],
    [401, { error: "invalid_client" }, "The server refused: invalid_client"],
    [200, { error: "invalid_grant" }, "The server refused: invalid_grant"],
    [400, { error: "hush-code" }, "The server refused with status 400"],
    [500, "<html>hush</html>", "The server refused with status 500"],
    [302, least, "The server refused with status 302"]
  ]

  it.each(refusals)("of status %i with %j says why, in words of ours", (status, body, message) => {
    expect(Result.getFailure(readGrant(answered(body, status), now))).toMatchObject({
      value: { reason: "refused", message }
    })
  })

  it("may not come", () => {
    expect(Result.getFailure(readGrant(Option.none(), now))).toMatchObject({
      value: { reason: "unreachable" }
    })
  })
})

describe("the request for a token", () => {
  const secret = Redacted.make("hush: & ü/+")
  const asked = { grant_type: "refresh_token", refresh_token: "x&y=z" }
  const of = (credentials: Credentials) => {
    const { headers, text } = tokenRequest(credentials, asked)
    return { headers, form: Object.fromEntries(new URLSearchParams(text)) }
  }

  it("names a client without a secret in its body", () => {
    const { form, headers } = of({ clientId: "https://a.example/c", clientSecret: undefined, method: "none" })
    expect(headers).toBeUndefined()
    expect(form).toEqual({ ...asked, client_id: "https://a.example/c" })
  })

  it("has the secret in its body, where the server takes it there", () => {
    const { form, headers } = of({ clientId: "me", clientSecret: secret, method: "client_secret_post" })
    expect(headers).toBeUndefined()
    expect(form).toEqual({ ...asked, client_id: "me", client_secret: "hush: & ü/+" })
  })

  it("has id and secret in the header alone, each in the form of forms", () => {
    const { form, headers } = of({ clientId: "me:you", clientSecret: secret, method: "client_secret_basic" })
    expect(form).toEqual(asked)
    expect(Buffer.from(headers?.authorization?.replace("Basic ", "") ?? "", "base64").toString()).toBe(
      "me%3Ayou:hush%3A+%26+%C3%BC%2F%2B"
    )
  })
})
