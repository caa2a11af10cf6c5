import { DateTime } from "effect"
import { describe, expect, it } from "vitest"
import { AccountId } from "../../../src/domain/shared/Id.ts"
import {
  type VerifiedToken,
  VerifiedTokens,
  verifiedMax
} from "../../../src/domain/signing/VerifiedTokens.ts"

const verified = (id: string): VerifiedToken => ({
  token: {
    id,
    accountId: AccountId.make("00000000000000000000"),
    scopes: [],
    expiresAt: DateTime.makeUnsafe(0)
  },
  key: { kid: "key", n: "n", e: "AQAB" }
})

describe("tokens that were checked", () => {
  it("are found by their hash alone", () => {
    const tokens = new VerifiedTokens()
    tokens.add("one", verified("1"))
    tokens.add("two", verified("2"))
    expect(tokens.find("one")?.token.id).toBe("1")
    expect(tokens.find("two")?.token.id).toBe("2")
    expect(tokens.find("three")).toBeUndefined()
  })

  it("are bounded: those that were checked longest ago are forgotten", () => {
    const tokens = new VerifiedTokens()
    for (let n = 0; n < verifiedMax; n++) tokens.add(`${n}`, verified(`${n}`))
    tokens.add("0", verified("again"))
    expect(tokens.size).toBe(verifiedMax)
    tokens.add("more", verified("more"))
    expect(tokens.size).toBe(verifiedMax)
    expect(tokens.find("0")?.token.id).toBe("again")
    expect(tokens.find("1")).toBeUndefined()
    expect(tokens.find("2")).toBeDefined()
  })
})
