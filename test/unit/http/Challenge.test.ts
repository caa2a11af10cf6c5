import { describe, expect, it } from "vitest"
import type { Access } from "../../../src/domain/shared/Access.ts"
import { challengeOf } from "../../../src/http/pipeline/Challenge.ts"

const resourceMetadata = "https://forum.test/.well-known/oauth-protected-resource/api"
const led = `Bearer resource_metadata="${resourceMetadata}"`

describe("the challenge of a 401", () => {
  it.each<readonly [string, Access, string | undefined, boolean, string]>([
    ["any credential", { _tag: "SignedIn" }, resourceMetadata, false, led],
    ["any credential", { _tag: "SignedIn" }, resourceMetadata, true, `${led}, error="invalid_token"`],
    ["any credential", { _tag: "SignedIn" }, undefined, false, "Bearer"],
    ["any credential", { _tag: "SignedIn" }, undefined, true, 'Bearer error="invalid_token"'],
    ["any credential or none", { _tag: "Public" }, resourceMetadata, false, led],
    ["cookie or key", { _tag: "SignedIn", takes: "cookie or key" }, resourceMetadata, false, led],
    ["a token", { _tag: "SignedIn", takes: "token" }, resourceMetadata, false, led],
    ["the cookie", { _tag: "SignedIn", takes: "cookie" }, resourceMetadata, false, "Bearer"],
    ["the cookie", { _tag: "SignedIn", takes: "cookie" }, resourceMetadata, true, "Bearer"]
  ])("of an operation that takes %s", (_takes, access, resourceMetadata, hasBadBearer, challenge) => {
    expect(challengeOf({ access, resourceMetadata, hasBadBearer })).toBe(challenge)
  })
})
