import fc from "fast-check"
import { describe, expect, it } from "vitest"
import {
  readUserCode,
  showUserCode,
  userCodeBytes,
  userCodeOf
} from "../../../src/domain/oauthdevice/UserCode.ts"

describe("what people type", () => {
  it.each([
    ["7QXM-K2PD", "7QXMK2PD"],
    ["7qxmk2pd", "7QXMK2PD"],
    ["  7qxm-k2pd  ", "7QXMK2PD"],
    ["\t7QXMK2PD\n", "7QXMK2PD"],
    ["-7-Q-X-M--K-2-P-D-", "7QXMK2PD"],
    ["ooii-llOI", "00111101"],
    [`${" ".repeat(24)}7QXMK2PD`, "7QXMK2PD"]
  ])("%j is a code", (typed, code) => {
    expect(readUserCode(typed)).toBe(code)
  })

  it.each([
    "",
    " ",
    "--------",
    "7QXM-K2P",
    "7QXM-K2PD7",
    "7QXM K2PD",
    "7QXM_K2PD",
    "7QXMK2PU",
    "7QXMK2PÄ",
    "７QXMK2PD",
    "7QXMK2PD\0",
    `${" ".repeat(25)}7QXMK2PD`,
    "-".repeat(33),
    "ß".repeat(4),
    "ﬁ".repeat(4)
  ])("%j is none", (typed) => {
    expect(readUserCode(typed)).toBeUndefined()
  })
})

describe("a code", () => {
  it("is read as it is shown, in any case", () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: userCodeBytes, maxLength: userCodeBytes }), (bytes) => {
        const code = userCodeOf(bytes)
        expect(readUserCode(showUserCode(code))).toBe(code)
        expect(readUserCode(showUserCode(code).toLowerCase())).toBe(code)
      })
    )
  })

  it("has each character as often as any other", () => {
    const counts = new Map<string, number>()
    for (let byte = 0; byte < 256; byte++) {
      const [first = ""] = userCodeOf(new Uint8Array(userCodeBytes).fill(byte))
      counts.set(first, (counts.get(first) ?? 0) + 1)
    }
    expect([...counts.keys()].sort().join("")).toBe("0123456789ABCDEFGHJKMNPQRSTVWXYZ")
    expect(new Set(counts.values())).toEqual(new Set([8]))
  })
})
