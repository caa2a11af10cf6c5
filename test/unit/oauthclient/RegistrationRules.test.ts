import { assert, describe, it } from "@effect/vitest"
import { DateTime, Result } from "effect"
import type { ChangedMetadata, ClientMetadata } from "../../../src/domain/oauthclient/Registration.ts"
import {
  decideRegistration,
  decideRegistrationChange,
  readPresented,
  secondsUntilNext
} from "../../../src/domain/oauthclient/RegistrationRules.ts"
import type { OAuthErrorCode } from "../../../src/domain/shared/OAuthError.ts"
import { standardScopes } from "../../../src/domain/vocabulary/Scope.ts"

const redirect_uris = ["https://tides.example/callback"]

const codeOf = (decided: ReturnType<typeof decideRegistration>) =>
  Result.isFailure(decided) ? decided.failure.error : "accepted"

describe("what a client says of itself", () => {
  it("is completed by what most clients are", () => {
    assert.deepStrictEqual(
      decideRegistration({ redirect_uris }),
      Result.succeed({
        name: undefined,
        type: "confidential",
        redirectUris: redirect_uris,
        allowedScopes: standardScopes,
        allowedGrants: ["authorization_code", "refresh_token"],
        authMethod: "client_secret_basic",
        details: {}
      })
    )
  })

  const refused: ReadonlyArray<readonly [said: ClientMetadata, code: OAuthErrorCode | "accepted"]> = [
    [{ redirect_uris, grant_types: ["authorization_code"] }, "accepted"],
    [{ redirect_uris, response_types: ["code"] }, "accepted"],
    [{ redirect_uris, scope: "  " }, "accepted"],
    [{ redirect_uris, scope: "ADMINISTRATOR" }, "accepted"],
    [{}, "invalid_redirect_uri"],
    [{ redirect_uris: [] }, "invalid_redirect_uri"],
    [{ redirect_uris, grant_types: [] }, "invalid_client_metadata"],
    [{ redirect_uris, grant_types: ["refresh_token"] }, "invalid_client_metadata"],
    [{ redirect_uris, grant_types: [], response_types: [] }, "invalid_client_metadata"],
    [{ redirect_uris, response_types: [] }, "invalid_client_metadata"],
    [{ redirect_uris, scope: "openid unknown" }, "invalid_client_metadata"],
    [{ redirect_uris, scope: "openid ".repeat(65) }, "invalid_client_metadata"]
  ]

  it.each(refused)("such as %j is %s", (said, code) => {
    assert.strictEqual(codeOf(decideRegistration(said)), code)
  })

  const changes: ReadonlyArray<readonly [said: ChangedMetadata, code: OAuthErrorCode | "accepted"]> = [
    [{ client_id: "foc_a", redirect_uris }, "accepted"],
    [{ client_id: "foc_b", redirect_uris }, "invalid_client_metadata"],
    [{ client_id: "foc_a" }, "invalid_redirect_uri"],
    [{ client_id: "foc_a", redirect_uris, registration_access_token: "x" }, "invalid_request"],
    [{ client_id: "foc_a", redirect_uris, registration_client_uri: "x" }, "invalid_request"],
    [{ client_id: "foc_a", redirect_uris, client_secret_expires_at: 0 }, "invalid_request"],
    [{ client_id: "foc_a", redirect_uris, client_id_issued_at: 0 }, "invalid_request"]
  ]

  it.each(changes)("later, such as %j, is %s", (said, code) => {
    assert.strictEqual(codeOf(decideRegistrationChange("foc_a", said)), code)
  })
})

describe("the token in a header", () => {
  it.each([
    ["Bearer x", "x"],
    ["bearer   x", "x"],
    ["BEARER x.y~z", "x.y~z"],
    ["", undefined],
    ["Bearer", undefined],
    ["Bearer ", undefined],
    ["Bearer x y", undefined],
    ["Basic x", undefined]
  ])("%j is %j", (authorization, token) => {
    assert.deepStrictEqual(readPresented(authorization), { _tag: "Bearer", token })
  })

  it("is none where there is no header", () => {
    assert.deepStrictEqual(readPresented(undefined), { _tag: "None" })
  })
})

it("a network waits until its oldest client of the day does not count any more", () => {
  const now = DateTime.makeUnsafe("2026-11-26T12:00:00Z")
  const before = (milliseconds: number) => DateTime.subtract(now, { milliseconds })
  assert.strictEqual(secondsUntilNext(now, now), 86_400)
  assert.strictEqual(secondsUntilNext(before(86_399_999), now), 1)
  assert.strictEqual(secondsUntilNext(before(86_400_000), now), 1)
})
