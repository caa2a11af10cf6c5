import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { toEmailAddress } from "../../../src/domain/account/Email.ts"
import { processorMillis } from "../../support/cpu.ts"

describe("toEmailAddress", () => {
  it.each([
    ["odin@asgard.example", "odin@asgard.example"],
    ["a@b", "a@b"],
    ["ODIN@Asgard.EXAMPLE", "odin@asgard.example"],
    ["  odin@asgard.example\t", "odin@asgard.example"],
    ["odin+ravens@asgard.example", "odin+ravens@asgard.example"],
    ["o.d.i.n@asgard.example", "o.d.i.n@asgard.example"],
    ["!#$%&'*+/=?^_`{|}~-@asgard.example", "!#$%&'*+/=?^_`{|}~-@asgard.example"],
    ['"odin"@asgard.example', "odin@asgard.example"],
    ["Odin <odin@asgard.example>", "odin@asgard.example"],
    ["<odin@asgard.example>", "odin@asgard.example"],
    ["Óðinn Borson < ODIN@asgard.example >", "odin@asgard.example"],
    ['"Odin, the <old>" <odin@asgard.example>', "odin@asgard.example"],
    ['"Odin \\"one-eyed\\"" <odin@asgard.example>', "odin@asgard.example"],
    ["odin@münchen.example", "odin@xn--mnchen-3ya.example"],
    ["odin@xn--mnchen-3ya.example", "odin@xn--mnchen-3ya.example"],
    ["odin@MÜNCHEN.example", "odin@xn--mnchen-3ya.example"],
    ["odin@ａｓｇａｒｄ.example", "odin@asgard.example"],
    ["odin@1.example", "odin@1.example"],
    [`${"x".repeat(64)}@asgard.example`, `${"x".repeat(64)}@asgard.example`],
    [
      `odin@${"x".repeat(63)}.${"y".repeat(63)}.${"z".repeat(63)}.${"w".repeat(57)}`,
      `odin@${"x".repeat(63)}.${"y".repeat(63)}.${"z".repeat(63)}.${"w".repeat(57)}`
    ]
  ])("reads %j as %j", (text, address) => {
    expect(toEmailAddress(text)).toBe(address)
    expect(toEmailAddress(address)).toBe(address)
  })

  it.each([
    "",
    "odin",
    "@",
    "@asgard.example",
    "odin@",
    "odin@@asgard.example",
    "odin@loki@asgard.example",
    ".odin@asgard.example",
    "odin.@asgard.example",
    "o..din@asgard.example",
    "o din@asgard.example",
    "odin@asgard example",
    "odin@.asgard.example",
    "odin@asgard.example.",
    "odin@asgard..example",
    "odin@-asgard.example",
    "odin@asgard-.example",
    "odin@asgard_.example",
    "odin@127.0.0.1",
    "odin@0x7f.1",
    "odin@2130706433",
    "odin@[127.0.0.1]",
    "odin@[IPv6:::1]",
    "odin@asgard.example:25",
    "odin@asgard.example/x",
    "odin@asgard.example?x",
    "odin@asgard.example#x",
    "odin@user@asgard.example",
    "odin@%61sgard.example",
    "óðinn@asgard.example",
    "odin\u0000@asgard.example",
    "odin@asgard.example\r\nBcc: loki@asgard.example",
    "odin@asgard.example, loki@asgard.example",
    "odin@asgard.example <loki@asgard.example>",
    "<odin@asgard.example> loki@asgard.example",
    "Odin <odin@asgard.example> <loki@asgard.example>",
    '"odin@evil.example x"@asgard.example',
    '"o\\din"@asgard.example',
    '""@asgard.example',
    "odin(eye)@asgard.example",
    "odin;loki@asgard.example",
    `${"x".repeat(65)}@asgard.example`,
    `odin@${"x".repeat(64)}.example`,
    `odin@${"x".repeat(63)}.${"y".repeat(63)}.${"z".repeat(63)}.${"w".repeat(58)}`
  ])("refuses %j", (text) => {
    expect(toEmailAddress(text)).toBeUndefined()
  })

  it("answers what it answers to itself, in lower-case ASCII, for any text", () => {
    const part = fc.oneof(fc.string({ maxLength: 4 }), fc.constantFrom("@", ".", '"', "<", ">", "a"))
    fc.assert(
      fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
        const address = toEmailAddress(parts.join(""))
        if (address === undefined) return
        expect(toEmailAddress(address)).toBe(address)
        expect(address).toMatch(/^[\x21-\x7e]{3,254}$/)
        expect(address).toBe(address.toLowerCase())
        expect(address.split("@")).toHaveLength(2)
      })
    )
  })

  it("takes no longer for hostile texts", () => {
    for (const text of [
      `${'"\\'.repeat(500)}`,
      `${"a.".repeat(500)}@`,
      `${'""'.repeat(490)}<a@b`,
      `a@${"a-".repeat(490)}`
    ]) {
      expect(processorMillis(() => toEmailAddress(text))).toBeLessThan(50)
    }
  })
})
